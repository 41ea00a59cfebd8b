/**
 * The rules for shipments in motion, for every storage: pallet events, steps, completions and links, also concurrently (D6).
 */
import { Intake } from "@dockline/core/document/Intake"
import { payloadOf } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { decidePallet, MovementStore } from "@dockline/core/movement/Movement"
import type { PalletDecision, Step, StepPlan } from "@dockline/core/movement/Movement"
import type { PalletError } from "@dockline/core/movement/PalletOperations"
import { Pallets } from "@dockline/core/movement/Pallets"
import type { StepError } from "@dockline/core/movement/ShipmentOperations"
import { Shipments } from "@dockline/core/movement/Shipments"
import { decideArrive, decideDepart, decideLink } from "@dockline/core/movement/Steps"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { Cause, Effect, Exit, Layer, Result } from "effect"
import * as assert from "../../Assert.ts"
import { aPalletEvent, dashboardUrl, labelsOf } from "../../generators/Given.ts"
import * as Suite from "../../Suite.ts"
import { keepsAnswers } from "../../worlds/KeepWorld.ts"
import type { KeptCall } from "../../worlds/KeepWorld.ts"
import { aWorld, breaking, failure, linksOf, payloads } from "../../worlds/MovementWorld.ts"
import type { AddTest, MovementServices, MovementStores } from "../../worlds/MovementWorld.ts"
import { movementTraces } from "../Traces.ts"
import { palletReads } from "./PalletReadSuite.ts"
import { matching, palletsAndOrders, recording } from "./PalletSuite.ts"
import { discrepancies, latePallets, progress } from "./ProgressSuite.ts"
import { scans } from "./ScanSuite.ts"
import { documentsMeanwhile, snapshots } from "./SnapshotSuite.ts"
import { cancellations, checkedDocuments, checkIns, links, steps, stepTimes } from "./StepSuite.ts"

const breakingPallet = (decision: PalletDecision): PalletDecision =>
  decision._tag === "Repeat" ? decision : { ...decision, plan: breaking(decision.plan, "messages") }

/** Cases of plans that break while they are applied. */
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

/** Cases of wake-ups. The log polls only once an hour here, so that its followers depend on wake-ups. */
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

const anEvent = Effect.gen(function*() {
  const { business, moves, submit } = yield* aWorld()
  const store = yield* MovementStore
  const shipmentId = yield* submit("S1")
  let events = 0
  const keptCall: KeptCall<MovementServices> = {
    call: (keep, deciding) =>
      Effect.suspend(() => {
        const event = aPalletEvent({ business, shipmentId, eventId: `E${++events}` })
        const context = { clientId: "tower", dashboardUrl, text: event.eventId }
        return store.recordPallet(
          event,
          event.eventId,
          (snapshot) => deciding(() => decidePallet(event, snapshot, context)),
          keep
        )
      }),
    writeCount: Effect.map(moves, ({ length }) => length)
  }
  return keptCall
})

/** A world with as many shipments as the cases need, because each step changes its shipment. */
const several = Effect.gen(function*() {
  const world = yield* aWorld()
  const ids = yield* Effect.forEach(
    Array.from({ length: 16 }, (_, at) => `S${at}`),
    (number) => world.submit(number)
  )
  let next = 0
  return { ...world, ids, nextId: () => assert.present(ids[next++]) }
})

const aStep = Effect.gen(function*() {
  const { client, ids, nextId } = yield* several
  const store = yield* MovementStore
  const shipments = yield* Shipments
  const keptCall: KeptCall<MovementServices> = {
    call: (keep, deciding) =>
      Effect.suspend(() =>
        store.step(
          { shipmentId: nextId(), dockSlug: "", withPallets: false },
          (snapshot) => deciding(() => decideArrive({}, snapshot, { principal: client, dashboardUrl: "" })),
          keep
        )
      ),
    writeCount: Effect.map(
      Effect.forEach(ids, (id) => shipments.get(String(id), client)),
      (all) => all.filter(({ status }) => status === "ARRIVED").length
    )
  }
  return keptCall
})

const aLink = Effect.gen(function*() {
  const { business, client, nextId, submit } = yield* several
  const store = yield* MovementStore
  const hub = yield* submit("HUB")
  const keptCall: KeptCall<MovementServices> = {
    call: (keep, deciding) =>
      Effect.suspend(() => {
        const id = nextId()
        const parameters = { id: String(id), linkedShipmentId: String(hub) }
        return store.link(
          id,
          hub,
          (snapshot) => deciding(() => decideLink(parameters, snapshot, client)),
          keep
        )
      }),
    writeCount: Effect.map(linksOf(business), (links) => assert.at(links, -1).length)
  }
  return keptCall
})

/** Cases of stored answers of pallet events, steps and links. */
export const keeping = (test: AddTest): void => {
  keepsAnswers(test, "the answer of a pallet event", anEvent)
  keepsAnswers(test, "the answer of a step", aStep)
  keepsAnswers(test, "the answer of a link", aLink)
}

/** Concurrent events, departures and links. */
export const races = (test: AddTest): void => {
  test("D6.1 an event repeated 50 times at once makes one message", function*() {
    const { submit, record, moves } = yield* aWorld()
    yield* submit("S1")
    const answers = yield* Effect.all(Array.from({ length: 50 }, () => record({ shipmentNumber: "S1" })), {
      concurrency: "unbounded"
    })
    assert.strictEqual(answers.filter(({ repeated }) => !repeated).length, 1)
    assert.strictEqual(new Set(answers.map(({ answer }) => JSON.stringify(answer))).size, 1)
    assert.strictEqual((yield* moves).length, 1)
  })

  test("D6.3 the same pallet 20 times at once is one pallet", function*() {
    const { submit, record, moves } = yield* aWorld()
    yield* submit("S1")
    const events = Array.from({ length: 20 }, (_, n) => record({ eventId: `E${n}`, shipmentNumber: "S1" }))
    const answers = yield* Effect.all(events, { concurrency: "unbounded" })
    assert.strictEqual(new Set(answers.map(({ answer }) => answer.servicePalletId)).size, 1)
    assert.deepStrictEqual(
      (yield* moves).map(({ id }) => id),
      answers.map(({ answer }) => answer.messageId).sort((left, right) => left - right)
    )
  })

  test("D6.6, D21.4 departures at once, amid pallets: one completion; who comes after it is late", function*() {
    const { client, submit, record, moves } = yield* aWorld()
    const shipments = yield* Shipments
    const id = yield* submit("S1")
    yield* shipments.arrive(String(id), {}, client)
    const pallet = (n: number) =>
      Effect.asVoid(
        record({ eventId: `E${n}`, shipmentId: id, labels: labelsOf(["lpn", `L${n}`]) })
      )
    const depart = Effect.asVoid(shipments.depart(String(id), {}, client))
    const steps: ReadonlyArray<Effect.Effect<void, PalletError | StepError>> = Array.from(
      { length: 40 },
      (_, n) => (n % 4 === 3 ? depart : pallet(n))
    )
    const results = yield* Effect.all(steps.map((step) => Effect.result(step)), {
      concurrency: "unbounded"
    })
    for (const each of results) assert.isTrue(Result.isSuccess(each))
    const all = yield* moves
    const completion = all.filter(({ type }) => type === "SHIPMENT_COMPLETE")
    const isLate = (message: typeof all[number]) => payloadOf(message)["late"] === true
    const pallets = all.filter(({ type }) => type === "PALLET_EVENT")
    const before = pallets.filter((message) => !isLate(message))
    assert.deepStrictEqual([completion.length, pallets.length], [1, 30])
    assert.deepStrictEqual(all, [...before, ...completion, ...pallets.filter(isLate)])
    const palletIds = (list: ReadonlyArray<unknown>) =>
      list.map((each) => Number((each as { servicePalletId: string }).servicePalletId)).sort((a, b) => a - b)
    assert.deepStrictEqual(
      palletIds(payloadOf(assert.at(completion, 0))["pallets"] as ReadonlyArray<unknown>),
      palletIds(payloads(before))
    )
  })

  test("D6.5 links between three shipments made at once all hold, both ways", function*() {
    const { business, client, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const ids = [yield* submit("S1"), yield* submit("S2"), yield* submit("S3")].map(String)
    const pairs = ids.flatMap((one) =>
      ids.filter((other) => other !== one).map((other) => [one, other] as const)
    )
    yield* Effect.all(pairs.map(([one, other]) => shipments.link(one, other, client)), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(yield* linksOf(business), ids.map((id) => ids.filter((other) => other !== id)))
  })
}

const services = Layer.mergeAll(
  Intake.layer(),
  Pallets.layer({ dashboardUrl }),
  Shipments.layer({ dashboardUrl: `${dashboardUrl}/` })
)

/** The suite of shipments in motion: of `MovementStore`, with the ports that it needs. */
export const movementSuite: Suite.Suite<MovementStores> = Suite.ofParts("shipments in motion", {
  snapshots,
  "documents meanwhile": documentsMeanwhile,
  recording,
  matching,
  "pallets and orders": palletsAndOrders,
  "pallets read": palletReads,
  steps,
  "times of steps": stepTimes,
  cancellations,
  "check-ins": checkIns,
  "documents with a check-in": checkedDocuments,
  links,
  progress,
  discrepancies,
  scans,
  "late pallets": latePallets,
  traces: movementTraces,
  "all or nothing": allOrNothing,
  "answers kept": keeping,
  "wake-ups": wakeUps,
  "all at once": races
}, services)
