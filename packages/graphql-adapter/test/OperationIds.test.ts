/**
 * The ids of a socket's operations, which a client may use again once it has completed one (graphql-transport-ws).
 */
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import { assert, describe } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import * as LiveSetup from "./LiveSetup.ts"
import { append, connect, draft, lastId, messageOf, next, onServer, refusalOf } from "./LiveSetup.ts"

/** Closed, it keeps operations from beginning: what completes them arrives before they are over. */
const gate = Latch.makeUnsafe(true)

const limits = Layer.succeed(RequestLimits, { count: () => Effect.as(gate.await, undefined) })

/** Lets no operation begin until the server has handled all that the socket has sent. */
const together = (socket: LiveSetup.RawSocket, send: () => void) =>
  Effect.gen(function*() {
    yield* gate.close
    send()
    yield* Effect.promise(() => socket.ping())
    yield* gate.open
  })

describe("D8.7 an id of an operation", () => {
  onServer({ limits }, (test) => {
    test("an id may be used again as soon as it was completed, before its operation was even open", function*() {
      const afterId = yield* lastId("acme")
      const [east, west] = yield* append(draft(), draft({ facility: "west" }))
      const socket = yield* connect()
      const id = `a"漢`
      yield* together(socket, () => {
        for (let time = 0; time < 5; time++) {
          socket.subscribe(id, { businessSlug: "acme", facilitySlug: "east", afterId })
          socket.send({ type: "complete", id })
        }
        socket.subscribe(id, { businessSlug: "acme", facilitySlug: "west", afterId })
      })
      const frame = yield* next(socket)
      assert.deepStrictEqual([frame.id, messageOf(frame).id], [id, west!.id])
      socket.send({ type: "complete", id })
      socket.subscribe(id, { businessSlug: "globex" })
      assert.deepStrictEqual(refusalOf(yield* next(socket)).slice(0, 2), [id, "FORBIDDEN"])
      socket.subscribe(id, { businessSlug: "acme", facilitySlug: "east", afterId })
      assert.strictEqual(messageOf(yield* next(socket)).id, east!.id)
    })

    test("a query that was completed is not answered, and another under its id is", function*() {
      const socket = yield* connect()
      const ask = (slug: string) =>
        socket.send({
          type: "subscribe",
          id: "q",
          payload: { query: `{ business(slug: "${slug}") { slug } }` }
        })
      yield* together(socket, () => {
        ask("acme")
        socket.send({ type: "complete", id: "q" })
        ask("nobody")
      })
      const answer = yield* next(socket)
      assert.deepStrictEqual([answer.id, answer.type], ["q", "next"])
      assert.include(JSON.stringify(answer.payload), "BUSINESS_NOT_FOUND")
      assert.deepStrictEqual(yield* next(socket), { id: "q", type: "complete" })
      yield* Effect.promise(() => socket.ping())
    })
  })

  onServer({ live: { operationsPerSocket: 3 }, limits }, (test) => {
    test("an operation that was completed counts until it is over", function*() {
      const socket = yield* connect()
      yield* gate.close
      for (let time = 0; time < 4; time++) {
        socket.subscribe("a", { businessSlug: "acme" })
        if (time < 3) socket.send({ type: "complete", id: "a" })
      }
      assert.deepStrictEqual(refusalOf(yield* next(socket)).slice(0, 2), ["a", "BAD_USER_INPUT"])
      yield* gate.open
    })
  })
})
