/** The rule that every storage applies a pallet or a step with its message, or nothing, and wakes followers (D6, D7.1). */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { decidePallet } from "@dockline/core/movement/Movement"
import type { PalletDecision, StepPlan } from "@dockline/core/movement/Movement"
import { MovementStore } from "@dockline/core/movement/MovementStore"
import type { Step } from "@dockline/core/movement/MovementStore"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { decideDepart } from "@dockline/core/movement/Steps"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { Cause, Effect, Exit, Result } from "effect"
import * as assert from "../../Assert.ts"
import { aPalletEvent, dashboardUrl, labelsOf } from "../../generators/Motion.ts"
import { aWorld, breaking, failure } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"

const breakingPallet = (decision: PalletDecision): PalletDecision =>
  decision._tag === "Repeat" ? decision : { ...decision, plan: breaking(decision.plan, "messages") }

/** A pallet or a step that breaks while it is applied. */
export const allOrNothing = (test: AddTest): void => {
  test("D6.1 a pallet that breaks leaves nothing, and frees what it held", function*() {
    const { business, client, messages, record, submit } = yield* aWorld()
    const [store, pallets, shipments] = [yield* MovementStore, yield* Pallets, yield* Shipments]
    const id = yield* submit("S1")
    const event = aPalletEvent({ business, shipmentId: id, labels: labelsOf(["lpn", "L1"]) })
    const context = { clientId: client.clientId, dashboardUrl, text: "text" }
    const before = yield* shipments.get(String(id), client)
    for (
      const breaks of [
        () => {
          throw failure
        },
        (decision: PalletDecision) => breakingPallet(decision)
      ]
    ) {
      const exit = yield* Effect.exit(
        store.recordPallet(
          event,
          context.text,
          (snapshot) => Result.map(decidePallet(event, snapshot, context), breaks)
        )
      )
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepStrictEqual(yield* shipments.get(String(id), client), before)
      assert.deepStrictEqual((yield* pallets.ofShipment(String(id), {}, client)).items, [])
      assert.deepStrictEqual(yield* messages, [])
    }
    // The event is new, because nothing of the first attempt was stored.
    assert.isFalse((yield* record({ shipmentId: id, labels: labelsOf(["lpn", "L1"]) })).repeated)
    assert.deepStrictEqual((yield* messages).map(({ type }) => type), ["SHIPMENT_ARRIVED", "PALLET_EVENT"])
  })

  test("D6.6 a departure that breaks leaves nothing, and frees what it held", function*() {
    const { client, messages, submit } = yield* aWorld()
    const [store, shipments] = [yield* MovementStore, yield* Shipments]
    const id = yield* submit("S1")
    const before = yield* shipments.arrive(String(id), {}, client)
    const newMessages = yield* messages
    const step: Step = { shipmentId: id, dockSlug: "", withPallets: true }
    for (
      const breaks of [
        (): StepPlan => {
          throw failure
        },
        (plan: StepPlan) => plan._tag === "Unchanged" ? plan : breaking(plan, "messages")
      ]
    ) {
      const exit = yield* Effect.exit(
        store.step(
          step,
          (snapshot) => Result.map(decideDepart({}, snapshot, { principal: client, dashboardUrl }), breaks)
        )
      )
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepStrictEqual(yield* shipments.get(String(id), client), before)
      assert.deepStrictEqual(yield* messages, newMessages)
    }
    assert.strictEqual((yield* shipments.depart(String(id), {}, client)).status, "DEPARTED")
    assert.deepStrictEqual((yield* messages).map(({ type }) => type), [
      "SHIPMENT_ARRIVED",
      "SHIPMENT_COMPLETE"
    ])
  })
}

/** Followers of the log learn of each message by its wake-up: here they poll only once an hour. */
export const wakeUps = (test: AddTest): void => {
  test(
    "D7.1 who follows the log is woken by pallets and steps, without looking by itself",
    Effect.gen(function*() {
      const { business, client, record, submit } = yield* aWorld()
      const [log, shipments] = [yield* MessageLog, yield* Shipments]
      const id = yield* submit("S1")
      const other = yield* submit("S2")
      const follower = yield* log.follow(
        { business, facility: undefined, types: messageTypes },
        { afterId: undefined, buffer: 10 }
      )
      const next = Effect.timeout(follower.next, "20 seconds")
      const wakeUp = Effect.map(next, (messages) => messages.map(({ type }) => type))
      yield* shipments.cancel(String(other), client)
      assert.deepStrictEqual(yield* wakeUp, ["SHIPMENT_CANCELLED"])
      yield* shipments.arrive(String(id), {}, client)
      assert.deepStrictEqual(yield* wakeUp, ["SHIPMENT_ARRIVED"])
      for (const eventId of ["E1", "E2"]) {
        const { answer } = yield* record({ eventId, shipmentId: id })
        assert.deepStrictEqual((yield* next).map(({ id }) => id), [answer.messageId])
      }
      yield* shipments.depart(String(id), {}, client)
      assert.deepStrictEqual(yield* wakeUp, ["SHIPMENT_COMPLETE", "SHIPMENT_DISCREPANCIES"])
    }).pipe(Effect.scoped),
    { pollMillis: 3_600_000 }
  )
}
