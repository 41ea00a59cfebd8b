/**
 * Shipments in motion over the database in memory: what `MovementStore` asks of one. Every function is synchronous,
 * so it is a transaction of its own.
 */
import { Result } from "effect"
import type { MessageDraft } from "../messages/Message.ts"
import { palletAnswer } from "../movement/Movement.ts"
import type {
  PalletPlan,
  PalletShipment,
  PalletSnapshot,
  StepPlan,
  StepSnapshot
} from "../movement/Movement.ts"
import type { Step } from "../movement/MovementStore.ts"
import { lpnOf } from "../movement/Pallet.ts"
import type { PalletAnswer, PalletEvent } from "../movement/Pallet.ts"
import type { Dock, ShipmentHeader } from "../shipment/Shipment.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { MemoryDatabase } from "./MemoryDatabase.ts"

type Database = MemoryDatabase["Service"]

/** Everything a pallet event's decision depends on. */
export const palletSnapshot = (database: Database, event: PalletEvent, now: Timestamp): PalletSnapshot => {
  const { business, facility, eventId, dockSlug } = event
  const lpn = lpnOf(event.labels)
  const dock = database.places.dock(business, facility, dockSlug)
  const headers = database.shipmentsAt(business, facility)
  const asked = askedFor(event, headers)
  const open = asked === undefined ? headers.filter(({ status }) => status !== "DEPARTED") : []
  const shown = (header: ShipmentHeader | undefined) =>
    header === undefined ? null : show(database, header, lpn)
  return {
    now,
    ...database.places.lookup(business, facility),
    dock,
    fieldMap: database.places.fieldMap(business) ?? [],
    recorded: database.pallets.recorded(business, facility, eventId),
    given: shown(asked?.found),
    byLpn: shown(open.findLast(({ id }) => database.holdsLpn(id, lpn))),
    atDock: shown(lastAt(open, dock)),
    newPalletId: database.nextId()
  }
}

/** The shipment that the event names; `undefined` when it names none. */
const askedFor = (
  { shipmentId, shipmentNumber }: PalletEvent,
  headers: ReadonlyArray<ShipmentHeader>
): { readonly found: ShipmentHeader | undefined } | undefined => {
  if (shipmentId !== null) return { found: headers.find(({ id }) => id === shipmentId) }
  return shipmentNumber === ""
    ? undefined
    : { found: headers.find(({ number }) => number === shipmentNumber) }
}

/** The shipment that arrived last at the dock; shipments come in the order of their creation. */
const lastAt = (open: ReadonlyArray<ShipmentHeader>, dock: Dock | null): ShipmentHeader | undefined => {
  let last: ShipmentHeader | undefined
  for (const shipment of open) {
    if (shipment.status !== "ARRIVED" || dock === null || shipment.dock?.id !== dock.id) continue
    if (last === undefined || shipment.arrivedAt! >= last.arrivedAt!) last = shipment
  }
  return last
}

const show = (database: Database, { id, number, status }: ShipmentHeader, lpn: string): PalletShipment => {
  const { byLpn, events, labelText } = database.pallets.of(id)
  const orders = database.ordersOf(id)
  const withLpn = lpn === "" ? [] : orders.filter(({ items }) => items.some((item) => item.lpn === lpn))
  return {
    id,
    number,
    status,
    palletId: byLpn.get(lpn) ?? null,
    ordersWithLpn: withLpn.map((order) => order.number),
    onlyOrder: orders.length === 1 ? orders[0]!.number : null,
    events: events.length,
    labelText
  }
}

/** When something is written, in which trace, and how long the messages are kept that it adds to. */
export interface Writing {
  readonly now: Timestamp
  readonly trace: string | undefined
  /** How long messages are kept, in milliseconds. */
  readonly retentionMillis: number
}

/** Records a pallet event as planned. */
export const applyPallet = (
  database: Database,
  event: PalletEvent,
  text: string,
  plan: PalletPlan,
  writing: Writing
): PalletAnswer => {
  const { business, facility, eventId, direction, occurredAt, labels } = event
  const { shipmentId, palletId, lpn, labelText, dock, orders, arrivedAt } = plan
  if (arrivedAt !== null) database.changeShipment(shipmentId, { status: "ARRIVED", arrivedAt, dock })
  const messageId = append(database, plan.message, writing)
  const answer = palletAnswer(plan, messageId)
  database.pallets.add(shipmentId, lpn, labelText, {
    palletId,
    messageId,
    direction,
    occurredAt,
    dock,
    orders,
    labels
  })
  database.pallets.keep(business, facility, eventId, { text, answer })
  return answer
}

const append = (database: Database, draft: MessageDraft, writing: Writing): number =>
  Result.getOrThrow(database.messages.append([draft], writing))[0]!.id

/** Everything a step's decision depends on. */
export const stepSnapshot = (
  database: Database,
  found: LocatedShipment,
  { dockSlug, withPallets }: Step,
  now: Timestamp
): StepSnapshot => {
  const { business, facility } = found.location
  return {
    now,
    found,
    dock: database.places.dock(business.slug, facility.slug, dockSlug),
    fieldMap: database.places.fieldMap(business.slug) ?? [],
    pallets: withPallets ? database.pallets.of(found.shipment.id).events : []
  }
}

/** Takes a step as planned. */
export const applyStep = (database: Database, shipmentId: number, plan: StepPlan, writing: Writing): void => {
  switch (plan._tag) {
    case "Unchanged":
      return
    case "Arrive":
      return database.changeShipment(shipmentId, {
        status: "ARRIVED",
        arrivedAt: plan.arrivedAt,
        dock: plan.dock
      })
    case "Depart":
      database.changeShipment(shipmentId, { status: "DEPARTED", departedAt: plan.departedAt })
      database.completeOrders(shipmentId)
      append(database, plan.message, writing)
  }
}

/** Links two shipments, both ways. */
export const applyLink = (database: Database, first: ShipmentHeader, second: ShipmentHeader): void => {
  const pairs: ReadonlyArray<readonly [ShipmentHeader, ShipmentHeader]> = [[first, second], [second, first]]
  for (const [{ id, linkedShipmentIds }, other] of pairs) {
    const linked = [...linkedShipmentIds, other.id].sort((left, right) => left - right)
    database.changeShipment(id, { linkedShipmentIds: linked })
  }
}
