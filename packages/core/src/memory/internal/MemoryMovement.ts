/**
 * Pallets and steps in memory.
 */
import { Order, Result, Struct } from "effect"
import { isSameLpn, lpnKey } from "../../labels/Lpn.ts"
import type { MessageDraft } from "../../messages/Message.ts"
import { departedSince } from "../../movement/LatePallets.ts"
import { MovementStore, palletAnswer, palletMessageAt } from "../../movement/Movement.ts"
import type {
  PalletPlan,
  PalletShipment,
  PalletSnapshot,
  Step,
  StepSnapshot
} from "../../movement/Movement.ts"
import { lpnOf } from "../../movement/Pallet.ts"
import type { PalletAnswer, PalletEvent } from "../../movement/Pallet.ts"
import { evolve, inNextVersion, linkedTo } from "../../movement/Steps.ts"
import { sightAgain } from "../../shipment/Shipment.ts"
import type { Dock, LocatedShipment, ShipmentHeader } from "../../shipment/Shipment.ts"
import * as Timestamp from "../../values/Timestamp.ts"
import { over } from "../MemoryDatabase.ts"
import type { MemoryDatabase } from "../MemoryDatabase.ts"
import type { AppendSettings } from "./MemoryMessages.ts"

type Database = MemoryDatabase["Service"]

const palletSnapshot = (database: Database, event: PalletEvent, now: Timestamp.Timestamp): PalletSnapshot => {
  const { business, facility, eventId, dockSlug, shipmentId, shipmentNumber } = event
  const lpn = lpnOf(event.labels)
  const dock = database.places.dock(business, facility, dockSlug)
  const headers = database.shipments.at(event)
  const expecting = database.expecting(event, lpn)
  const isAsked = shipmentId !== null || shipmentNumber !== ""
  const view = (header: ShipmentHeader | undefined) =>
    header === undefined ? null : show(database, event, header, lpn)
  return {
    now,
    ...database.places.lookup(business, facility),
    dock,
    fieldMap: database.places.fieldMap(business) ?? [],
    earlierEvent: database.pallets.eventById(business, facility, eventId),
    namedShipment: isAsked
      ? view(
        headers.find(({ id, number }) => shipmentId === null ? number === shipmentNumber : id === shipmentId)
      )
      : null,
    byLpn: isAsked ? null : view(expecting),
    departed: isAsked || expecting !== undefined ? null : view(lastWith(database, event, lpn)),
    atDock: isAsked ? null : view(stoodAt(headers, dock, event.occurredAt)),
    newPalletId: database.lastId("pallet") + 1
  }
}

/** The most recently created shipment that has an item with the LPN and departed late enough for the event. */
const lastWith = (database: Database, event: PalletEvent, lpn: string): ShipmentHeader | undefined =>
  database.shipments.at(event).findLast(({ departedAt, id }) =>
    departedAt !== null && departedAt >= departedSince(event.occurredAt) &&
    database.shipments.holdsLpn(id, lpn)
  )

/** The shipment at the dock at the time of the event, or else the first to arrive afterwards (`PalletSnapshot.atDock`). */
const stoodAt = (
  headers: ReadonlyArray<ShipmentHeader>,
  dock: Dock | null,
  then: Timestamp.Timestamp
): ShipmentHeader | undefined => {
  const byArrival = headers
    .filter((each) => dock !== null && each.dock?.id === dock.id && (each.departedAt ?? then) >= then)
    .flatMap((header) => header.arrivedAt === null ? [] : [{ arrivedAt: header.arrivedAt, header }])
    .toSorted((one, other) => Order.String(one.arrivedAt, other.arrivedAt))
  const last = byArrival.findLast(({ arrivedAt }) => arrivedAt <= then)
  return (last ?? byArrival[0])?.header
}

const show = (
  database: Database,
  place: PalletEvent,
  { arrivedAt, departedAt, direction, dock, id, number, status }: ShipmentHeader,
  lpn: string
): PalletShipment => {
  const { byLpn, events, labelText } = database.pallets.of(id)
  const orders = database.shipments.ordersOf(id)
  const withLpn = lpn === ""
    ? []
    : orders.filter(({ items }) => items.some((item) => isSameLpn(item.lpn, lpn)))
  const palletId = byLpn.get(lpnKey(lpn)) ?? null
  const elsewhere = withLpn.length > 0 ? undefined : database.expecting(place, lpn)
  return {
    id,
    number,
    status,
    direction,
    dock,
    arrivedAt,
    departure: departedAt === null
      ? null
      : { at: departedAt, tracking: database.track(database.locatedShipment(id)!) },
    palletId,
    sightings: events.filter((each) => each.palletId === palletId).reduce<PalletShipment["sightings"]>(
      (before, { direction, dock, occurredAt }) => sightAgain(before, direction, occurredAt, dock.id),
      null
    ),
    elsewhere: elsewhere === undefined ? null : Struct.pick(elsewhere, ["id", "number", "dock"]),
    orders: status === "SCHEDULED" ? orders.map((order) => order.number) : [],
    ordersWithLpn: withLpn.map((order) => order.number),
    onlyOrder: orders.length === 1 ? orders[0]!.number : null,
    events: events.length,
    labelText
  }
}

const applyPallet = (
  database: Database,
  event: PalletEvent,
  text: string,
  plan: PalletPlan,
  settings: AppendSettings
): PalletAnswer => {
  const { business, facility, eventId, direction, occurredAt, labels } = event
  const { shipmentId, palletId, lpn, labelText, dock, orders, arrivedAt, arrivedBy } = plan
  // Appending comes first, because it may fail, and there is no rollback.
  const messageId = append(database, plan.messages, settings)[palletMessageAt(plan)]!
  if (arrivedAt === null) database.shipments.touch(shipmentId)
  else {
    const match = database.locatedShipment(shipmentId)!
    const { location, shipment } = inNextVersion(match)
    const after = arrivedBy !== null
      ? evolve(match, { _tag: "Arrive", clientId: arrivedBy, arrivedAt, dock })
      : { location, shipment: { ...shipment, arrivedAt } }
    database.put(after, settings.now)
  }
  if (plan.elsewhere !== null) database.pallets.depart(shipmentId, plan.elsewhere)
  if (plan.isNewPallet) database.nextId("pallet")
  const answer = palletAnswer(plan, messageId)
  const pallet = { palletId, messageId, direction, occurredAt, dock, orders, labels }
  database.pallets.add(shipmentId, lpn, labelText, pallet, settings.now)
  database.pallets.keep(business, facility, eventId, { text, answer })
  return answer
}

/** Appends messages, and returns their ids. */
const append = (
  database: Database,
  drafts: ReadonlyArray<MessageDraft>,
  settings: AppendSettings
): ReadonlyArray<number> => Result.getOrThrow(database.messages.append(drafts, settings)).map(({ id }) => id)

const stepSnapshot = (
  database: Database,
  match: LocatedShipment,
  { dockSlug, withPallets }: Step,
  now: Timestamp.Timestamp
): StepSnapshot => {
  const { business, facility } = match.location
  return {
    now,
    match,
    dock: database.places.dock(business.slug, facility.slug, dockSlug),
    fieldMap: database.places.fieldMap(business.slug) ?? [],
    pallets: withPallets ? database.pallets.of(match.shipment.id).events : [],
    elsewhere: withPallets ? database.elsewhere(match) : []
  }
}

export const movementStore = over(MovementStore, (database, transact) => ({
  recordPallet: (event, text, decide, keep) =>
    transact(
      keep,
      (settings) =>
        Result.map(decide(palletSnapshot(database, event, settings.now)), (decision) =>
          decision._tag === "Repeat"
            ? { answer: decision.answer, repeated: true }
            : { answer: applyPallet(database, event, text, decision.plan, settings), repeated: false })
    ),
  step: (step, decide, keep) =>
    transact(keep, (settings) => {
      const match = database.locatedShipment(step.shipmentId)
      if (match === null) return Result.succeed(null)
      return Result.map(decide(stepSnapshot(database, match, step, settings.now)), (plan) => {
        const after = evolve(match, plan)
        if (plan._tag !== "Unchanged") append(database, plan.messages, settings)
        if (plan._tag === "Depart") database.pallets.depart(match.shipment.id, plan.elsewhere)
        database.put(after, settings.now)
        return after
      })
    }),
  link: (shipmentId, linkedShipmentId, decide, keep) =>
    transact(keep, ({ now }) => {
      const shipment = database.locatedShipment(shipmentId)
      const other = database.locatedShipment(linkedShipmentId)
      return Result.map(decide({ shipment, target: other }), (decision) => {
        if (shipment === null || other === null || decision._tag === "Unchanged") return shipment
        const after = linkedTo(shipment, other)
        database.put(after, now)
        database.put(linkedTo(other, shipment), now)
        return after
      })
    })
}))
