/** What the tests of shipments in motion start from: builders that need only what a test is about. */
import { Result } from "effect"
import { decidePallet } from "../movement/Movement.ts"
import type { PalletPlan, PalletShipment, PalletSnapshot, StepSnapshot } from "../movement/Movement.ts"
import { textOf } from "../movement/Pallet.ts"
import type { PalletEvent, RecordedPallet } from "../movement/Pallet.ts"
import type { Shipment } from "../shipment/Shipment.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import { acme, aGrant, aPrincipal, aShipment, earlier, east, now, refusalOf } from "./Given.ts"
import type { Refusal } from "./Given.ts"

/** A client that may move everything at acme. */
export const mover = aPrincipal(aGrant("acme", "*", ["pallets:write", "shipments:write"]))

/** The dashboard that messages link to. */
export const dashboardUrl = "https://dashboard.example.com"

/** A dock of the facility. */
export const dock1 = { id: 41, slug: "D1" }
/** Another one. */
export const dock2 = { id: 42, slug: "D2" }

/** The labels of a pallet, as `[name, value]`. */
export const labelled = (...labels: ReadonlyArray<readonly [name: string, value: string]>) =>
  labels.map(([name, value]) => ({ name, value }))

/** The pallet L1, loaded at dock D1 of acme's east hub. */
export const aPalletEvent = (fields: Partial<PalletEvent> = {}): PalletEvent => ({
  eventId: "E1",
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: earlier,
  shipmentId: null,
  shipmentNumber: "",
  labels: labelled(["lpn", "L1"]),
  ...fields
})

/** The shipment S1, arrived, as a pallet meets it: without pallets or orders. */
export const aPalletShipment = (fields: Partial<PalletShipment> = {}): PalletShipment => ({
  id: 1,
  number: "S1",
  status: "ARRIVED",
  palletId: null,
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
  recorded: null,
  given: null,
  byLpn: null,
  atDock: null,
  newPalletId: 77,
  ...fields
})

/** Decides on behalf of {@link mover}, or of another client. */
export const decideOn = (event: PalletEvent, snapshot: PalletSnapshot, principal = mover) =>
  decidePallet(event, snapshot, { principal, dashboardUrl, text: textOf(event) })

/** The plan of an event that is recorded. */
export const recorded = (event: PalletEvent, snapshot: PalletSnapshot): PalletPlan => {
  const decision = Result.getOrThrow(decideOn(event, snapshot))
  if (decision._tag === "Repeat") throw new Error("A repeat")
  return decision.plan
}

/** The refusal of an event that is not. */
export const refusedPallet = (event: PalletEvent, snapshot: PalletSnapshot, principal = mover): Refusal =>
  refusalOf(Result.getOrThrow(Result.flip(decideOn(event, snapshot, principal))))

/** A shipment of acme's east hub. */
export const located = (fields: Partial<Shipment> = {}): LocatedShipment => ({
  location: { business: acme, facility: east },
  shipment: aShipment(fields)
})

/** What a step of a shipment depends on, without pallets. */
export const aStepSnapshot = (
  shipment: Partial<Shipment> = {},
  fields: Partial<StepSnapshot> = {}
): StepSnapshot => ({ now, found: located(shipment), dock: null, fieldMap: [], pallets: [], ...fields })

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
