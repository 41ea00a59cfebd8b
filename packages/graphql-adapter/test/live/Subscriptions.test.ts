/**
 * What a subscription gives: the messages of its filter, history and live joined, and how they are rendered.
 */
import { assert, describe, vi } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { GraphqlEngine } from "../../src/engine/Engine.ts"
import type { GraphqlContext } from "../../src/resolvers/Run.ts"
import { Outbox } from "../../src/socket/Frames.ts"
import { sessionOf } from "../EngineSetup.ts"
import {
  append,
  begin,
  connect,
  draft,
  lastId,
  LiveServer,
  messageOf,
  next,
  onServer,
  RawSocket,
  take
} from "../LiveSetup.ts"

const idsOf = (messages: ReadonlyArray<{ readonly id: number }>) => messages.map(({ id }) => id)

describe("which messages (D8.3)", () => {
  onServer({}, (test) => {
    test("without afterId, those from now on", function*() {
      yield* append(draft())
      const before = yield* lastId("acme")
      const socket = yield* connect()
      socket.subscribe("a", { businessSlug: "acme" })
      yield* begin(socket)
      const first = messageOf(yield* next(socket)).id
      assert.isAbove(first, before)
      const last = yield* lastId("acme")
      const rest = yield* take(socket, last - first)
      assert.deepStrictEqual(
        idsOf(rest),
        Array.from({ length: last - first }, (_, index) => first + 1 + index)
      )
    })
  })
})

describe("history and live joined (D8.3)", () => {
  onServer({}, (test) => {
    test("the schema's field is a source for any server: it ends when its consumer does", function*() {
      const { schema } = yield* GraphqlEngine
      const start = yield* lastId("acme")
      const [message] = yield* append(draft())
      const context: GraphqlContext = { session: sessionOf("acme-client"), correlationId: "c" }
      const subscribe = schema.getSubscriptionType()!.getFields()["pushMessage"]!.subscribe!
      const source = (yield* Effect.promise(async () =>
        subscribe(
          undefined,
          { filter: { businessSlug: "acme", afterId: start } },
          context,
          undefined as never
        )
      )) as AsyncIterable<{ readonly id: number }>
      const iterator = source[Symbol.asyncIterator]()
      const first = yield* Effect.promise(() => iterator.next())
      assert.strictEqual(first.value.id, message!.id)
      const pending = iterator.next()
      yield* Effect.promise(() => iterator.return!())
      assert.isTrue((yield* Effect.promise(() => pending)).done)
    })
  })
})

describe("rendering", () => {
  onServer({}, (test) => {
    const counting = Effect.gen(function*() {
      const { schema } = yield* GraphqlEngine
      const field = schema.getSubscriptionType()!.getFields()["pushMessage"]!
      const resolve = field.resolve!
      const counts = { executions: 0, serializations: 0 }
      field.resolve = (...args) => {
        counts.executions++
        return resolve(...args)
      }
      const stringify = JSON.stringify
      JSON.stringify = (value: unknown) => {
        if (Predicate.hasProperty(value, "data")) counts.serializations++
        return stringify(value)
      }
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          field.resolve = resolve
          JSON.stringify = stringify
        })
      )
      return counts
    })

    test("1,000 subscribers share one execution and one serialization of a message", function*() {
      const counts = yield* counting
      const { url } = yield* LiveServer
      const afterId = yield* lastId("acme")
      const sockets = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => Effect.promise(() => RawSocket.connect(url, "acme-client"))
      )
      const perSocket = 100
      for (const socket of sockets) {
        for (let id = 0; id < perSocket; id++) {
          // Alike but for the arguments, which decide on what is followed and not on how it reads.
          const filter = { businessSlug: "acme", afterId, facilitySlug: id % 2 === 0 ? "east" : null }
          socket.subscribe(`s${id}`, filter)
        }
      }
      const [message] = yield* append(draft())
      for (const socket of sockets) {
        const messages = yield* take(socket, perSocket)
        assert.deepStrictEqual(new Set(idsOf(messages)), new Set([message!.id]))
        socket[Symbol.dispose]()
      }
      assert.deepStrictEqual(counts, { executions: 1, serializations: 1 })
    })

    test("is shared by those only that read alike: aliases and directives count", function*() {
      const counts = yield* counting
      const socket = yield* connect()
      const afterId = yield* lastId("acme")
      const query = `subscription ($filter: PushMessageSubscriptionFilter!, $with: Boolean!) {
        latest: pushMessage(filter: $filter) { number: id facilitySlug @include(if: $with) }
      }`
      const filter = { businessSlug: "acme", afterId }
      for (const [id, shows] of [["a", true], ["b", false], ["c", true]] as const) {
        socket.send({
          type: "subscribe",
          id,
          payload: { query, variables: { filter, with: shows } }
        })
      }
      socket.subscribe("d", filter)
      const [message] = yield* append(draft())
      const payloads = new Map<string, unknown>()
      while (payloads.size < 4) {
        const frame = yield* next(socket)
        payloads.set(frame.id!, frame.payload)
      }
      const answer = { data: { latest: { number: message!.id, facilitySlug: "east" } } }
      assert.deepStrictEqual(payloads.get("a"), answer)
      assert.deepStrictEqual(payloads.get("b"), { data: { latest: { number: message!.id } } })
      assert.deepStrictEqual(payloads.get("c"), answer)
      assert.isTrue("pushMessage" in (payloads.get("d") as { readonly data: object }).data)
      assert.strictEqual(counts.executions, 3)
    })

    test("what is kept of a message and of a subscription takes no more memory than it has bytes", function*() {
      const sendAround = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(Outbox.prototype, "sendAround")),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      const socket = yield* connect()
      socket.subscribe("a", { businessSlug: "acme", afterId: yield* lastId("acme") })
      yield* append(draft())
      yield* next(socket)
      const [prefix, text] = sendAround.mock.calls[0]!
      assert.deepStrictEqual([prefix.buffer.byteLength, text.buffer.byteLength], [
        prefix.length,
        text.length
      ])
    })
  })
})
