/** What decisions on pallets and steps depend on: builders that need only what a test is about. */
import {
  acme,
  aShipment,
  dashboardUrl,
  earlier,
  east,
  mover,
  now,
  refusalOf
} from "@dockline/testing/generators/Given"
import type { Refusal } from "@dockline/testing/generators/Given"
import { Result } from "effect"
import { decidePallet } from "../../src/movement/Movement.ts"
import type { PalletPlan, PalletShipment, PalletSnapshot, StepSnapshot } from "../../src/movement/Movement.ts"
import { textOf } from "../../src/movement/Pallet.ts"
import type { PalletEvent, RecordedPallet } from "../../src/movement/Pallet.ts"
import type { LocatedShipment, Shipment } from "../../src/shipment/Shipment.ts"

/** A dock of the facility. */
export const dock1 = { id: 41, slug: "D1" }
/** Another one. */
export const dock2 = { id: 42, slug: "D2" }

/** The shipment S1, arrived, as a pallet meets it: without pallets or orders. */
export const aPalletShipment = (fields: Partial<PalletShipment> = {}): PalletShipment => ({
  id: 1,
  number: "S1",
  status: "ARRIVED",
  direction: "OUTBOUND",
  dock: dock1,
  arrivedAt: earlier,
  departure: null,
  palletId: null,
  sightings: null,
  elsewhere: null,
  orders: [],
  ordersWithLpn: [],
  onlyOrder: null,
  events: 0,
  labelText: 0,
  ...fields
})

/** A snapshot with the event's dock and no shipment. */
export const aPalletSnapshot = (fields: Partial<PalletSnapshot> = {}): PalletSnapshot => ({
  now,
  business: acme,
  facility: east,
  dock: dock1,
  fieldMap: [],
  earlierEvent: null,
  namedShipment: null,
  byLpn: null,
  departed: null,
  atDock: null,
  newPalletId: 77,
  ...fields
})

/** Decides an event. */
export const decideOn = (event: PalletEvent, snapshot: PalletSnapshot) =>
  decidePallet(event, snapshot, { clientId: mover.clientId, dashboardUrl, text: textOf(event) })

/** The plan of an event that is recorded. */
export const planOf = (event: PalletEvent, snapshot: PalletSnapshot): PalletPlan => {
  const decision = Result.getOrThrow(decideOn(event, snapshot))
  if (decision._tag === "Repeat") throw new Error("A repeat")
  return decision.plan
}

/** The refusal of an event that is not. */
export const refusedPallet = (event: PalletEvent, snapshot: PalletSnapshot): Refusal =>
  refusalOf(Result.getOrThrow(Result.flip(decideOn(event, snapshot))))

/** A shipment of acme's east hub. */
export const locatedShipment = (fields: Partial<Shipment> = {}): LocatedShipment => ({
  location: { business: acme, facility: east },
  shipment: aShipment(fields)
})

/** What a step of a shipment depends on, without pallets. */
export const aStepSnapshot = (
  shipment: Partial<Shipment> = {},
  fields: Partial<StepSnapshot> = {}
): StepSnapshot => ({
  now,
  match: locatedShipment(shipment),
  dock: null,
  fieldMap: [],
  pallets: [],
  elsewhere: [],
  ...fields
})

/** A recorded event of pallet 7. */
export const aRecordedPallet = (fields: Partial<RecordedPallet> = {}): RecordedPallet => ({
  palletId: 7,
  messageId: 1,
  direction: "LOADING",
  occurredAt: earlier,
  dock: dock1,
  orders: [],
  labels: [],
  ...fields
})
