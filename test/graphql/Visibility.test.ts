/**
 * Nobody sees a message of another business or facility: every client with every filter, held against a table that is
 * written out by hand from D8.1, D8.3 and D10.3. What else a client may see is in `test/security/tenants`.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { GraphqlServer, layerMemory } from "../support/GraphqlServer.ts"
import type { ShownError } from "../support/GraphqlServer.ts"
import { TestServer } from "../support/TestServer.ts"
import { beginning, draft, follow, history } from "./Sample.ts"
import type { HistoryData } from "./Sample.ts"
import { connected, errorsOf, messagesOf, rawSocket } from "./Sockets.ts"

const clients = ["acme-client", "acme-east-client", "globex-client", "tower", "operator"] as const

/** The places there are; messages are made at each. */
const places = [
  { business: "acme", facility: "east" },
  { business: "acme", facility: "west" },
  { business: "globex", facility: "main" }
] as const

type Place = (typeof places)[number]["facility"]

type Expected = ReadonlyArray<Place> | "FORBIDDEN" | "BUSINESS_NOT_FOUND" | "FACILITY_NOT_FOUND"

const no = "FORBIDDEN"

/** What a client gets of messages, by business and facility; what is not listed here does not exist. */
const messagesTable: Readonly<Record<(typeof clients)[number], Readonly<Record<string, Expected>>>> = {
  "acme-client": {
    "acme": ["east", "west"],
    "acme/east": ["east"],
    "acme/west": ["west"],
    "globex": no,
    "globex/main": no
  },
  // Without a facility the whole business is asked for, of which it may read a part only.
  "acme-east-client": {
    "acme": no,
    "acme/east": ["east"],
    "acme/west": no,
    "globex": no,
    "globex/main": no
  },
  "globex-client": {
    "acme": no,
    "acme/east": no,
    "acme/west": no,
    "globex": ["main"],
    "globex/main": ["main"]
  },
  // May move pallets and shipments, not read messages.
  "tower": { "acme": no, "acme/east": no, "acme/west": no, "globex": no, "globex/main": no },
  "operator": { "acme": no, "acme/east": no, "acme/west": no, "globex": no, "globex/main": no }
}

interface Filter {
  readonly business: string
  readonly facility: string | undefined
}

const filters: ReadonlyArray<Filter> = ["acme", "globex", "initech", "ACME"].flatMap((business) =>
  [undefined, "east", "west", "main", "nowhere", ""].map((facility) => ({ business, facility }))
)

const expectedOf = (
  client: (typeof clients)[number],
  { business, facility }: Filter
): Expected =>
  business !== "acme" && business !== "globex"
    ? "BUSINESS_NOT_FOUND"
    : messagesTable[client][facility === undefined ? business : `${business}/${facility}`] ??
      "FACILITY_NOT_FOUND"

const codeOf: Readonly<Record<Extract<Expected, string>, string>> = {
  FORBIDDEN: "FORBIDDEN",
  BUSINESS_NOT_FOUND: "NOT_FOUND",
  FACILITY_NOT_FOUND: "NOT_FOUND"
}

const codesOf = (errors: ReadonlyArray<ShownError> | undefined) =>
  (errors ?? []).map(({ extensions }) => [extensions.code, extensions.reason] as const)

const refusedWith = (expected: Extract<Expected, string>) => [[codeOf[expected], expected] as const]

const describeFilter = ({ business, facility }: Filter) => `${business}/${facility ?? "(none)"}`

/** Two messages at each place; gives their ids by place. */
const appendEverywhere = Effect.gen(function*() {
  const { append } = yield* GraphqlServer
  const all = yield* append(
    ...[...places, ...places].map((place) => draft({ ...place, payload: { at: place.facility } }))
  )
  return {
    first: Math.min(...all.map(({ id }) => id)),
    idsOf: (facilities: ReadonlyArray<Place>) =>
      all.filter(({ facility }) => facilities.some((each) => each === facility)).map(({ id }) => id)
  }
})

const messageFilter = ({ business, facility }: Filter) => ({ businessSlug: business, facilitySlug: facility })

layer(layerMemory(), { excludeTestServices: true })("D8, D10 who sees what", (it) => {
  for (const client of clients) {
    it.effect(`${client} reads of pushMessages what it may, with every filter`, () =>
      Effect.gen(function*() {
        const { execute } = yield* GraphqlServer
        const { first, idsOf } = yield* appendEverywhere
        for (const filter of filters) {
          const expected = expectedOf(client, filter)
          const { data, errors } = yield* execute<HistoryData>(
            history({ ...messageFilter(filter), afterId: first - 1, since: beginning }),
            client
          )
          const shown = data?.pushMessages.map(({ id }) => id)
          if (typeof expected === "string") {
            assert.deepStrictEqual(
              [shown, codesOf(errors)],
              [undefined, refusedWith(expected)],
              describeFilter(filter)
            )
          } else {
            assert.deepStrictEqual([shown, errors], [idsOf(expected), undefined], describeFilter(filter))
          }
        }
      }))

    // @threat tenants.3
    it.effect(`${client} is sent by pushMessage what it may read, past and live, and its socket stays`, () =>
      Effect.scoped(Effect.gen(function*() {
        const raw = yield* connected(client)
        const past = yield* appendEverywhere
        const granted: Array<readonly [string, ReadonlyArray<Place>]> = []
        for (const filter of filters) {
          const id = describeFilter(filter)
          const expected = expectedOf(client, filter)
          raw.send({
            id,
            type: "subscribe",
            payload: follow({ ...messageFilter(filter), afterId: past.first - 1 })
          })
          if (typeof expected === "string") {
            const frame = yield* raw.frame(`the refusal of ${id}`, (frame) => frame.id === id)
            assert.strictEqual(frame.type, "error", id)
            assert.deepStrictEqual(codesOf(errorsOf(frame)), refusedWith(expected), id)
          } else granted.push([id, expected])
        }
        const sent = (id: string) => messagesOf(raw.frames, id).map(({ id }) => id)
        for (const [id, facilities] of granted) {
          const last = past.idsOf(facilities).at(-1)!
          yield* raw.frame(`history of ${id}`, () => sent(id).includes(last))
        }
        const live = yield* appendEverywhere
        for (const [id, facilities] of granted) {
          const last = live.idsOf(facilities).at(-1)!
          yield* raw.frame(`live messages of ${id}`, () => sent(id).includes(last))
        }
        // What is sent to a socket is sent in order: the answer to this comes after everything else.
        raw.send({ type: "ping" })
        yield* raw.frame("pong", ({ type }) => type === "pong")
        for (const [id, facilities] of granted) {
          assert.deepStrictEqual(sent(id), [...past.idsOf(facilities), ...live.idsOf(facilities)], id)
        }
        const expectedFrames = granted.reduce((sum, [, facilities]) => sum + 4 * facilities.length, 0)
        assert.strictEqual(raw.frames.filter(({ type }) => type === "next").length, expectedFrames)
      })))
  }

  it.effect("a disabled client gets nothing: 401 with every filter, and no socket", () =>
    Effect.scoped(Effect.gen(function*() {
      const { change, fetch } = yield* GraphqlServer
      const server = yield* TestServer
      yield* appendEverywhere
      const authorization = `Bearer ${yield* server.token("acme-client")}`
      yield* Effect.acquireRelease(
        change("acme-client", { enabled: false }),
        () => Effect.andThen(change("acme-client", { enabled: true }), server.advance(5000))
      )
      // What was looked up of a client is kept for up to five seconds (D10.3).
      yield* server.advance(5000)
      for (const filter of filters) {
        const answer = yield* fetch({
          method: "POST",
          headers: { "content-type": "application/json", authorization },
          body: JSON.stringify(history(messageFilter(filter)))
        }, null)
        assert.deepStrictEqual([answer.status, answer.data], [401, undefined], describeFilter(filter))
        assert.deepInclude(JSON.parse(answer.text), { status: 401, code: "UNAUTHENTICATED" })
      }
      const raw = yield* rawSocket()
      raw.send({ type: "connection_init", payload: { authorization } })
      assert.strictEqual((yield* raw.closed).code, 4403)
      assert.deepStrictEqual(raw.frames, [])
    })))
})
