/**
 * Storages whose transactions are sound, but which show a decision, or carry out, something else than there is: what the
 * laws over a storage are for.
 */
import { Effect, Result } from "effect"
import type { Document } from "../../src/document/Document.ts"
import type { Plan, Snapshot } from "../../src/document/Plan.ts"
import type { MovementStore, PalletSnapshot, StepSnapshot } from "../../src/movement/Movement.ts"
import { storage, transacting } from "./WrongStorages.ts"

type Movement = MovementStore["Service"]

const seeing = (see: (snapshot: Snapshot, document: Document) => Partial<Snapshot>) =>
  transacting((transact) => (document, decide, options) =>
    transact(document, (snapshot) => decide({ ...snapshot, ...see(snapshot, document) }), options)
  )

/** Leaves out what a document updates of its orders but the first, and says so. */
export const updatesTheFirst = transacting((transact) => (document, decide, options) => {
  const first = (plan: Plan): Plan => ({
    ...plan,
    orders: plan.orders.map((change, index) =>
      index === 0 ? change : { ...change, items: { ...change.items, updated: [] } }
    )
  })
  return transact(document, (snapshot) => Result.map(decide(snapshot), first), options)
})

/** Does not see that a shipment has departed. */
export const departsTwice = seeing(({ target }) => ({
  target: target && { ...target, status: "SCHEDULED" as const }
}))

/** Does not see the shipment of a number that is there. */
export const forgetsNumbers = seeing(() => ({ target: null }))

/** Takes orders of either direction for those of the document. */
export const ignoresDirections = seeing(({ candidates }, { direction }) => ({
  candidates: candidates.map((each) => ({ ...each, order: { ...each.order, direction } }))
}))

/** Does not see orders on other shipments. */
export const seesNoOrdersElsewhere = seeing(() => ({ candidates: [] }))

/** Takes orders from linked shipments, and from those that have arrived. */
export const takesFromAnywhere = seeing(({ candidates }) => ({
  candidates: candidates.map((each) => ({
    ...each,
    shipmentIsLinked: false,
    shipmentStatus: "SCHEDULED" as const
  }))
}))

const recording = (record: (right: Movement["recordPallet"]) => Movement["recordPallet"]) =>
  storage({ movement: (right) => ({ ...right, recordPallet: record(right.recordPallet) }) })

const seeingPallets = (see: (snapshot: PalletSnapshot) => Partial<PalletSnapshot>) =>
  recording((record) => (event, text, decide) =>
    record(event, text, (snapshot) => decide({ ...snapshot, ...see(snapshot) }))
  )

/** Does not know the events that it has recorded. */
export const forgetsEvents = seeingPallets(() => ({ earlierEvent: null }))

/** Does not know where pallets were seen before. */
export const forgetsSightings = seeingPallets(({ namedShipment, byLpn }) => ({
  namedShipment: namedShipment && { ...namedShipment, sightings: null },
  byLpn: byLpn && { ...byLpn, sightings: null }
}))

/** Does not know when a shipment arrived, so that pallets pass before it did. */
export const forgetsArrivals = seeingPallets(({ namedShipment, byLpn }) => ({
  namedShipment: namedShipment && { ...namedShipment, arrivedAt: null },
  byLpn: byLpn && { ...byLpn, arrivedAt: null }
}))

/** Takes the time that each event reports for its own. */
export const believesClocks = recording((record) => (event, text, decide) =>
  record(event, text, (snapshot) => decide({ ...snapshot, now: event.occurredAt }))
)

/** Lets a shipment arrive that has departed. */
export const arrivesAgain = seeingPallets(({ namedShipment }) => ({
  namedShipment: namedShipment && { ...namedShipment, status: "SCHEDULED" as const }
}))

/** Records each event twice, the second time under another name. */
export const tellsTwice = recording((record) => (event, text, decide) =>
  Effect.tap(
    record(event, text, decide),
    ({ repeated }) =>
      repeated ? Effect.void : record({ ...event, eventId: `${event.eventId} again` }, text, decide)
  )
)

const stepping = (step: (right: Movement["step"]) => Movement["step"]) =>
  storage({ movement: (right) => ({ ...right, step: step(right.step) }) })

const seeingSteps = (see: (snapshot: StepSnapshot) => Partial<StepSnapshot>) =>
  stepping((take) => (step, decide) => take(step, (snapshot) => decide({ ...snapshot, ...see(snapshot) })))

/** Knows only the first event of a shipment when it departs. */
export const forgetsPallets = seeingSteps(({ pallets }) => ({ pallets: pallets.slice(0, 1) }))

/** Knows no earlier step of a check-in when it notes another. */
export const forgetsCheckIns = seeingSteps(({ match }) => ({
  match: { ...match, shipment: { ...match.shipment, checkIn: {} } }
}))

/** Tells of a departure again when it is asked for again. */
export const completesTwice = seeingSteps(({ match }) => ({
  match: match.shipment.status === "DEPARTED"
    ? { ...match, shipment: { ...match.shipment, status: "ARRIVED" as const } }
    : match
}))

/** Lets a shipment arrive whose departure it refuses. */
export const arrivesOnRefusal = stepping((take) => (step, decide) =>
  Effect.suspend(() => {
    let refusal: ReturnType<typeof decide> | undefined
    const taking = take(step, (snapshot) => {
      const decision = decide(snapshot)
      if (Result.isSuccess(decision)) return decision
      refusal = decision
      return Result.succeed({
        _tag: "Arrive" as const,
        clientId: "c1",
        arrivedAt: snapshot.now,
        dock: null,
        messages: []
      })
    })
    return Effect.flatMap(taking, (match) =>
      refusal === undefined
        ? Effect.succeed(match)
        : Effect.map(Effect.fromResult(refusal), () => match))
  })
)
