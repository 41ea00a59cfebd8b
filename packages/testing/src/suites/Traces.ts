/**
 * The rules for the trace context of messages, for every storage: messages of a traced request have the context in the log and in their
 * deliveries, and other messages have none.
 */
import type { Message } from "@dockline/core/messages/Message"
import { Shipments } from "@dockline/core/movement/Shipments"
import * as TraceContext from "@dockline/core/values/TraceContext"
import { Effect, Tracer } from "effect"
import * as assert from "../Assert.ts"
import { create, deliveryOf, failureOf, open, settle, take } from "../worlds/DeliveryWorld.ts"
import type { Part } from "../worlds/DeliveryWorld.ts"
import { aBusiness, aDraft, append, everythingOf, read } from "../worlds/MessageLogWorld.ts"
import type { Test } from "../worlds/MessageLogWorld.ts"
import { aWorld } from "../worlds/MovementWorld.ts"
import type { AddTest } from "../worlds/MovementWorld.ts"

/** The trace context with a number. */
const traceparentOf = (n: number): string =>
  `00-${String(n).padStart(32, "0")}-${String(n).padStart(16, "0")}-01`

/** Runs an effect in a trace, as a request does. */
const inTrace = (n: number, isSampled = true) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.withParentSpan(effect, Tracer.externalSpan({ ...idsOf(n), sampled: isSampled }))

const idsOf = (n: number) => {
  const { spanId, traceId } = assert.present(TraceContext.toSpan(traceparentOf(n)))
  return { spanId, traceId }
}

const tracesOf = (messages: ReadonlyArray<Pick<Message, "trace">>) => messages.map(({ trace }) => trace)

const tracesOfDue = (due: ReadonlyArray<{ readonly message: Pick<Message, "trace"> }>) =>
  tracesOf(due.map(({ message }) => message))

/** The cases of the message log. */
export const logTraces = (test: Test): void => {
  test("messages carry the trace that they were appended in; without one, or not sampled, none", function*() {
    const business = yield* aBusiness
    const newMessages = [
      ...yield* inTrace(1)(append(aDraft(business, 1), aDraft(business, 2))),
      ...yield* append(aDraft(business, 3)),
      ...yield* inTrace(4, false)(append(aDraft(business, 4)))
    ]
    const expected = [traceparentOf(1), traceparentOf(1), undefined, undefined]
    assert.deepStrictEqual(tracesOf(newMessages), expected)
    const { messages } = yield* read(everythingOf(business))
    assert.deepStrictEqual(tracesOf(messages), expected)
    assert.deepStrictEqual(messages.map((message) => "trace" in message), [true, true, false, false])
  })
}

/** The cases of shipments in motion. */
export const movementTraces = (test: AddTest): void => {
  test("the messages of a pallet event and of a departure carry the trace of their request", function*() {
    const { client, messages, record, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const shipmentId = yield* submit("S1")
    yield* inTrace(1)(record({ eventId: "E1", shipmentId }))
    yield* record({ eventId: "E2", shipmentId })
    yield* inTrace(2)(shipments.depart(String(shipmentId), {}, client))
    // The first pallet also makes a message about the arrival, and the departure one about the discrepancies.
    assert.deepStrictEqual(tracesOf(yield* messages), [
      traceparentOf(1),
      traceparentOf(1),
      undefined,
      traceparentOf(2),
      traceparentOf(2)
    ])
  })
}

/** The cases of deliveries. */
export const deliveryTraces: Part = (test, describe) => {
  describe("traces", () => {
    test("messages are handed out with their trace, the first time and again", function*() {
      const business = yield* aBusiness
      const { id } = yield* create(business)
      yield* inTrace(1)(append(aDraft(business, 1, { shipmentId: 1 })))
      yield* append(aDraft(business, 2, { shipmentId: 2 }))
      const { lease } = yield* open(id)
      const { fresh, readTo } = yield* take(lease, 0)
      assert.deepStrictEqual(tracesOfDue(fresh), [traceparentOf(1), undefined])
      yield* settle(lease, readTo, {
        results: [failureOf(assert.at(fresh, 0), 0, 5), deliveryOf(assert.at(fresh, 1))]
      })
      const { due } = yield* take(lease, readTo, 10)
      assert.deepStrictEqual(tracesOfDue(due), [traceparentOf(1)])
    })
  })
}
