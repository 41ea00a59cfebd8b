/**
 * What holds for shipments in motion whatever they are stored in: pallet events, steps, completions, links, and all of
 * them at once (D6).
 */
import { Intake } from "@dockline/core/document/Intake"
import { payloadOf } from "@dockline/core/messages/Message"
import { decidePallet } from "@dockline/core/movement/Movement"
import type { PalletError, StepError } from "@dockline/core/movement/MovementErrors"
import { MovementStore } from "@dockline/core/movement/MovementStore"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { decideArrive, decideLink } from "@dockline/core/movement/Steps"
import { Effect, Layer, Result } from "effect"
import * as assert from "../../Assert.ts"
import { aPalletEvent, dashboardUrl, labelsOf } from "../../generators/Motion.ts"
import * as Suite from "../../Suite.ts"
import { keepsAnswers } from "../../worlds/KeepWorld.ts"
import type { KeptCall } from "../../worlds/KeepWorld.ts"
import { aWorld, linksOf, payloads } from "../../worlds/MovementWorld.ts"
import type { AddTest, MovementServices, MovementStores } from "../../worlds/MovementWorld.ts"
import { movementTraces } from "../Traces.ts"
import { checkedDocuments, checkIns } from "./CheckInSuite.ts"
import { latePallets } from "./LateSuite.ts"
import { allOrNothing, wakeUps } from "./MovementAtomicitySuite.ts"
import { palletReads } from "./PalletReadSuite.ts"
import { matching, palletsAndOrders, recording } from "./PalletSuite.ts"
import { discrepancies, progress } from "./ProgressSuite.ts"
import { scans } from "./ScanSuite.ts"
import { documentsMeanwhile, snapshots } from "./SnapshotSuite.ts"
import { cancellations, links, steps, stepTimes } from "./StepSuite.ts"

/*
 * That a storage keeps the answers of pallet events, steps and links with what they write (D5.2).
 */

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

/** As many shipments as the cases need: the step of each changes it. */
const several = Effect.gen(function*() {
  const world = yield* aWorld()
  const ids = yield* Effect.forEach(
    Array.from({ length: 16 }, (_, at) => `S${at}`),
    (number) => world.submit(number)
  )
  let next = 0
  return { ...world, ids, nextId: () => ids[next++]! }
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
    writeCount: Effect.map(linksOf(business), (links) => links.at(-1)!.length)
  }
  return keptCall
})

/** Cases of kept answers of pallet events, steps and links. */
export const keeping = (test: AddTest): void => {
  keepsAnswers(test, "the answer of a pallet event", anEvent)
  keepsAnswers(test, "the answer of a step", aStep)
  keepsAnswers(test, "the answer of a link", aLink)
}

/*
 * What holds when everything comes at once, whatever shipments in motion are stored in (D6.1, D6.3, D6.5, D6.6).
 */

/** Events, departures and links that come at once. */
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
      palletIds(payloadOf(completion[0]!)["pallets"] as ReadonlyArray<unknown>),
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

/** The suite of shipments in motion: of `MovementStore`, with the ports that it goes together with. */
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
