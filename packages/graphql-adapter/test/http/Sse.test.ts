/**
 * Subscriptions over server-sent events, distinct connections (D8.3): on a real server.
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../../../../test/support/Eventually.ts"
import { WebSockets } from "../../src/socket/WebSockets.ts"
import * as LiveSetup from "../LiveSetup.ts"
import {
  append,
  draft,
  followUnread,
  lastId,
  LiveServer,
  onServer,
  post,
  serverEnds,
  turn
} from "../LiveSetup.ts"
import type { MessageRecord } from "../LiveSetup.ts"

interface Event {
  readonly event: string
  readonly data: {
    readonly data?: { readonly pushMessage: MessageRecord }
    readonly errors?: ReadonlyArray<{ readonly extensions: Readonly<Record<string, unknown>> }>
  } | undefined
}

/** An event stream that the test reads event by event. */
class Events {
  readonly response: Response
  readonly #reader: ReadableStreamDefaultReader<string>
  readonly #abort: AbortController
  #text = ""
  comments = 0

  constructor(response: Response, abort: AbortController) {
    this.response = response
    this.#abort = abort
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  }

  /** The next event; `undefined` at the end. */
  async next(): Promise<Event | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n")
      if (end < 0) {
        const { done, value } = await this.#reader.read()
        if (done) return undefined
        this.#text += value
        continue
      }
      const block = this.#text.slice(0, end)
      this.#text = this.#text.slice(end + 2)
      const event = /^event: (.*)$/m.exec(block)?.[1]
      if (event === undefined) {
        this.comments++
        continue
      }
      const data = /^data: ?(.*)$/m.exec(block)?.[1] ?? ""
      return { event, data: data === "" ? undefined : JSON.parse(data) as Event["data"] }
    }
  }

  close(): void {
    this.#abort.abort()
  }
}

interface Ask {
  readonly client?: string
  readonly query?: string
  readonly accept?: string
  readonly method?: "GET" | "POST"
}

/** Opens an event stream for the length of the test. */
const listen = Effect.fnUntraced(function*(
  filter: Record<string, unknown>,
  { client = "acme-client", query = LiveSetup.defaultSubscription, accept, method = "POST" }: Ask = {}
) {
  const { httpUrl } = yield* LiveServer
  const abort = new AbortController()
  const operation = { query, variables: { filter } }
  const search = new URLSearchParams({ query, variables: JSON.stringify(operation.variables) })
  const response = yield* Effect.promise(() =>
    fetch(method === "GET" ? `${httpUrl}?${search}` : httpUrl, {
      method,
      headers: {
        authorization: `Bearer ${client}`,
        accept: accept ?? "text/event-stream",
        ...(method === "POST" ? { "content-type": "application/json" } : {})
      },
      ...(method === "POST" ? { body: JSON.stringify(operation) } : {}),
      signal: abort.signal
    })
  )
  const events = new Events(response, abort)
  yield* Effect.addFinalizer(() => Effect.sync(() => events.close()))
  return events
})

const take = (events: Events, count: number) =>
  Effect.promise(async () => {
    const ids: Array<number> = []
    while (ids.length < count) ids.push((await events.next())!.data!.data!.pushMessage.id)
    return ids
  })

/** The codes of the error that is the next event, which is followed by the end. */
const endOf = (events: Events) =>
  Effect.promise(async () => {
    const { event, data } = (await events.next())!
    assert.strictEqual(event, "next")
    assert.deepStrictEqual(await events.next(), { event: "complete", data: undefined })
    assert.isUndefined(await events.next())
    const { code, reason } = data!.errors![0]!.extensions
    return [code, reason]
  })

describe("D8.3 GraphQL over SSE", () => {
  onServer({ live: { keepAliveMillis: 30 } }, (test) => {
    for (const method of ["GET", "POST"] as const) {
      test(`${method}: replays, and then follows`, function*() {
        const afterId = yield* lastId("acme")
        yield* append(...Array.from({ length: 700 }, () => draft()))
        const events = yield* listen({ businessSlug: "acme", afterId }, { method })
        assert.strictEqual(events.response.status, 200)
        assert.match(events.response.headers.get("content-type")!, /^text\/event-stream/)
        const replayed = yield* take(events, 700)
        assert.deepStrictEqual(replayed, replayed.map((_, index) => afterId + 1 + index))
        yield* append(draft(), draft())
        assert.deepStrictEqual(yield* take(events, 2), [afterId + 701, afterId + 702])
      })
    }

    test("comments keep a quiet stream alive", function*() {
      const events = yield* listen({ businessSlug: "acme", afterId: yield* lastId("acme") })
      const pending = events.next()
      yield* Effect.promise(() => eventually("four comments", () => events.comments >= 4))
      const [message] = yield* append(draft())
      assert.strictEqual((yield* Effect.promise(() => pending))?.data?.data?.pushMessage.id, message!.id)
    })

    test("what is refused is told in the stream", function*() {
      const refusals = [
        [{ businessSlug: "globex" }, undefined, ["FORBIDDEN", "FORBIDDEN"]],
        [{ businessSlug: "nobody" }, undefined, ["NOT_FOUND", "BUSINESS_NOT_FOUND"]],
        [{}, undefined, ["BAD_USER_INPUT", undefined]],
        [{}, "{ nothing }", ["GRAPHQL_VALIDATION_FAILED", undefined]]
      ] as const
      for (const [filter, query, codes] of refusals) {
        const events = yield* listen(filter, query === undefined ? {} : { query })
        assert.deepStrictEqual<unknown>(yield* endOf(events), codes)
      }
    })

    test("a query has one result; a subscription streams even when other types are preferred", function*() {
      const events = yield* listen({}, { query: `{ business(slug: "acme") { slug } }` })
      const first = yield* Effect.promise(() => events.next())
      assert.deepStrictEqual<unknown>(first?.data, { data: { business: { slug: "acme" } } })
      assert.strictEqual((yield* Effect.promise(() => events.next()))?.event, "complete")
      const afterId = yield* lastId("acme")
      const [message] = yield* append(draft())
      const accept = "application/graphql-response+json, application/json, text/event-stream"
      const other = yield* listen({ businessSlug: "acme", afterId }, { accept })
      assert.deepStrictEqual(yield* take(other, 1), [message!.id])
    })

    test("D5.2: a mutation with an Idempotency-Key is run once, and a bad key is refused", function*() {
      const query = `mutation ($input: DocumentInput!) {
        submitDocument(input: $input) { created { id } updated { id } }
      }`
      const input = { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "S-1" }
      const ask = (accept: string, key: string) =>
        Effect.map(
          post({ query, variables: { input } }, { accept, "idempotency-key": key }),
          ({ text }) => JSON.parse(/^\{.*/.exec(text)?.[0] ?? /^data: (\{.*)$/m.exec(text)![1]!) as unknown
        )
      const first = yield* ask("text/event-stream", "K1")
      assert.match(JSON.stringify(first), /"created":\[\{/)
      assert.deepStrictEqual(yield* ask("text/event-stream", "K1"), first)
      assert.deepStrictEqual(yield* ask("application/json", "K1"), first)
      assert.match(JSON.stringify(yield* ask("text/event-stream", "K2")), /"created":\[\]/)
      const refusal = yield* ask("text/event-stream", "k".repeat(256))
      assert.include(JSON.stringify(refusal), "Idempotency-Key")
    })

    test("it ends without being complete when the service stops, so that clients connect again", function*() {
      const { closeAll } = yield* WebSockets
      const events = yield* listen({ businessSlug: "acme", afterId: yield* lastId("acme") })
      yield* append(draft())
      yield* take(events, 1)
      yield* Effect.promise(closeAll)
      assert.isUndefined(yield* Effect.promise(() => events.next()))
    })

    test("D8.7: it ends when the token expires, or the client or its permission is gone", function*() {
      const { control } = yield* LiveServer
      const follow = Effect.gen(function*() {
        const afterId = yield* lastId("acme")
        const events = yield* listen({ businessSlug: "acme", afterId })
        yield* append(draft())
        yield* take(events, 1)
        return events
      })
      control.expiresAt.set("acme-client", Date.now() + 200)
      assert.deepStrictEqual(yield* endOf(yield* follow), ["UNAUTHENTICATED", "UNAUTHENTICATED"])
      control.expiresAt.clear()
      const grants = control.grants.get("acme-client")!
      const events = yield* follow
      control.grants.set("acme-client", [])
      assert.deepStrictEqual(yield* endOf(events), ["FORBIDDEN", "FORBIDDEN"])
      control.grants.set("acme-client", grants)
      const disabled = yield* follow
      control.grants.delete("acme-client")
      assert.deepStrictEqual(yield* endOf(disabled), ["UNAUTHENTICATED", "UNAUTHENTICATED"])
      control.grants.set("acme-client", grants)
    })
  })
})

const pad = "x".repeat(64 * 1024)

describe("D8.7 consumers of event streams that do not keep up", () => {
  onServer({ config: { subscriptionBuffer: 20 }, live: { closeMillis: 100 } }, (test) => {
    test("are cut when they do not even read of it, with bounded memory; afterId resumes", function*() {
      const afterId = yield* lastId("acme")
      const ends = yield* serverEnds
      yield* followUnread({ businessSlug: "acme", afterId })
      const closing = new Promise<void>((resolve) => ends[0]!.once("close", () => resolve()))
      let most = 0
      for (let count = 0; count < 300; count++) {
        yield* append(draft({ payload: { n: count, pad } }))
        // A turn for the stream, which is no callback of the feed.
        yield* turn
        most = Math.max(most, ends[0]!.writableLength)
      }
      yield* Effect.promise(() => closing)
      assert.isBelow(most, 20 * (pad.length + 500))
      const events = yield* listen({ businessSlug: "acme", afterId })
      const ids = yield* take(events, 300)
      assert.deepStrictEqual(ids, ids.map((_, index) => afterId + 1 + index))
    })
  })
})
