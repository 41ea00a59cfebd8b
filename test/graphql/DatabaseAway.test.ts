/**
 * The database goes away and comes back while customers follow the log (D12.3, D7.1).
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { palletEvent, record, scheduled } from "../http/facility/Facility.ts"
import * as Way from "../support/database/DatabaseWay.ts"
import { DatabaseWay, whileAway } from "../support/database/DatabaseWay.ts"
import { GraphqlServer, layerSql } from "../support/GraphqlServer.ts"
import { TestServer } from "../support/TestServer.ts"
import { draft, follow, history, readShipment, submit } from "./Sample.ts"
import type { HistoryData } from "./Sample.ts"
import { connected, errorsOf, following, messagesOf, rawSocket, socketClient } from "./Sockets.ts"

const environment = layerSql().pipe(Layer.provideMerge(Way.layer))

/** Repeats a request that gets a 503 or no answer, for the ten seconds of D12.3. */
const untilBack = <A extends { readonly status: number }, R>(request: Effect.Effect<A, never, R>) =>
  request.pipe(
    Effect.repeat({ until: ({ status }) => status !== 503, schedule: Schedule.spaced("50 millis") }),
    Effect.timeout("10 seconds"),
    Effect.orDie
  )

/** Ends once no broken connection is in use any more: it sends as many concurrent requests as there may be. */
const settled = Effect.gen(function*() {
  const { get } = yield* TestServer
  for (let good = 0; good < 3;) {
    const replies = yield* Effect.replicateEffect(get("/v1/shipments?limit=1"), 16, { concurrency: 16 })
    good = replies.every(({ status }) => status === 200) ? good + 1 : 0
  }
})

const idsOf = (messages: ReadonlyArray<{ readonly id: number }>) => messages.map(({ id }) => id)

layer(environment, { excludeTestServices: true })("D12.3 the database is away from subscribers", (it) => {
  it.effect("the socket stays, and what is written before, between and after comes once and in order", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* TestServer
      const way = yield* DatabaseWay
      const { append } = yield* GraphqlServer
      const raw = yield* connected()
      yield* settled
      const shipment = yield* scheduled()
      const [first] = yield* append(draft())
      raw.send({ id: "s", type: "subscribe", payload: follow({ afterId: first!.id - 1 }) })
      yield* raw.nexts(1)
      const events = Array.from({ length: 60 }, () => palletEvent({ shipmentId: shipment.id }))
      const writing = yield* Effect.forkChild(
        // An event has an id, so that it can be repeated until its receipt is confirmed.
        Effect.forEach(events, (event) => untilBack(record(event)), { concurrency: 4 })
      )
      for (const count of [10, 25, 40]) {
        yield* raw.nexts(count)
        yield* way.cut
        yield* way.restore
      }
      const replies = yield* Fiber.join(writing)
      assert.isTrue(replies.every(({ status }) => status === 201 || status === 200))
      yield* raw.nexts(1 + events.length)
      yield* settled
      const log = yield* server.messages("acme", first!.id - 1)
      assert.strictEqual(log.length, 1 + events.length)
      assert.deepStrictEqual(idsOf(messagesOf(raw.frames, "s")), idsOf(log))
      assert.strictEqual(raw.socket.readyState, raw.socket.OPEN)
    })))

  it.effect("while it is away: 503 in GraphQL's form, an error frame for a new subscription, 1013 for a new socket", () =>
    Effect.scoped(Effect.gen(function*() {
      const { append, execute } = yield* GraphqlServer
      const server = yield* TestServer
      yield* settled
      const [first] = yield* append(draft())
      const raw = yield* connected()
      const quiet = following(yield* socketClient(), follow({ afterId: first!.id - 1 }))
      yield* quiet.reach(first!.id)
      yield* execute(history(), "acme-client")
      const unknown = `Bearer ${yield* server.token("acme-east-client")}`
      yield* whileAway(Effect.gen(function*() {
        for (
          const operation of [
            history(),
            readShipment(1),
            submit({ business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "O" })
          ]
        ) {
          const answer = yield* execute(operation)
          assert.strictEqual(answer.status, 503, answer.text)
          assert.isNotNull(answer.headers.get("retry-after"))
          assert.deepStrictEqual(
            answer.errors!.map(({ extensions }) => [extensions.code, extensions.reason]),
            [["INTERNAL", "STORAGE_UNAVAILABLE"]]
          )
          assert.notMatch(answer.text, /ECONN|select |postgres/i)
        }
        raw.send({ id: "s", type: "subscribe", payload: follow() })
        const frame = yield* raw.frame("a refusal", ({ id }) => id === "s")
        assert.deepInclude(errorsOf(frame)[0]!.extensions, {
          code: "INTERNAL",
          reason: "STORAGE_UNAVAILABLE"
        })
        // Its client is not known yet, so the service cannot decide whether it may connect.
        const late = yield* rawSocket()
        late.send({ type: "connection_init", payload: { Authorization: unknown } })
        assert.strictEqual((yield* late.closed).code, 1013)
      }))
      const read = yield* untilBack(execute<HistoryData>(history({ afterId: first!.id - 1 })))
      assert.deepStrictEqual(idsOf(read.data!.pushMessages), [first!.id])
      raw.send({ id: "t", type: "subscribe", payload: follow({ afterId: first!.id - 1 }) })
      yield* raw.nexts(1)
      yield* settled
      const [second] = yield* append(draft())
      yield* quiet.reach(second!.id)
      assert.deepStrictEqual(idsOf(quiet.received), [first!.id, second!.id])
    })))
})
