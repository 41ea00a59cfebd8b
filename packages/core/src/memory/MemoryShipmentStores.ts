import { Effect, Layer, Result, Struct } from "effect"
import { isInScope } from "../access/Access.ts"
import type { ReadScope } from "../access/Access.ts"
import { AnswerRoom } from "../access/RequestLimits.ts"
import { entryOf } from "../document/DocumentEntry.ts"
import { identified, removesAnything, sizeOfRecord } from "../document/DocumentRecord.ts"
import type { DocumentEntry, DocumentRecord } from "../document/DocumentRecord.ts"
import { DocumentRecordConfig, IntakeStore } from "../document/IntakeStore.ts"
import type { RecordFilter } from "../document/IntakeStore.ts"
import { noIds } from "../document/Plan.ts"
import type { DayShipment } from "../shipment/Day.ts"
import { countDiscrepancies, hasDiscrepancies } from "../shipment/Discrepancies.ts"
import { isMeant, longestRemoved, searchKinds } from "../shipment/Found.ts"
import type { FoundEntry } from "../shipment/Found.ts"
import { sizeOfPallet } from "../shipment/LocatedPallet.ts"
import type { Order } from "../shipment/Order.ts"
import type { OrderItem } from "../shipment/OrderItem.ts"
import { remains } from "../shipment/SeenPallet.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import { timeOf } from "../shipment/Shipment.ts"
import { isAskedFor } from "../shipment/ShipmentItem.ts"
import { answerTextOf, sizeOfItem, sizeOfOrder, sizeOfShipment } from "../shipment/ShipmentSize.ts"
import { ShipmentStore } from "../shipment/ShipmentStore.ts"
import type { ShipmentFilter } from "../shipment/ShipmentStore.ts"
import { sizeOfTraced, tracedAtMost } from "../shipment/Trace.ts"
import type { TraceEntry } from "../shipment/Trace.ts"
import { cursorOf, cutPage, mapPage } from "../values/Page.ts"
import type { EntrySize, Page, PageRequest, TimePosition } from "../values/Page.ts"
import type { Overloaded } from "../values/RequestErrors.ts"
import * as Timestamp from "../values/Timestamp.ts"
import type { PalletDirection } from "../values/Vocabulary.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** Intake in memory. Each transaction runs in one step of the event loop, so transactions do not overlap. */
export const intakeStore: Layer.Layer<IntakeStore, never, MemoryDatabase> = Layer.effect(
  IntakeStore,
  Effect.map(Effect.all([MemoryDatabase, DocumentRecordConfig]), ([database, { retentionMillis }]) => {
    /** Drops what has expired. */
    const expire = (now: Timestamp.Timestamp): void => {
      const cutoff = Timestamp.fromMillis(Date.parse(now) - retentionMillis)
      const kept = database.records.findIndex(({ receivedAt }) => receivedAt >= cutoff)
      database.records.splice(0, kept < 0 ? database.records.length : kept)
    }
    return IntakeStore.of({
      transact: (document, decide, { asksElsewhere = false, dryRun, keep, sender }) =>
        Effect.flatMap(Timestamp.now, (now) => {
          const transact = () => {
            const snapshot = database.snapshot(document, now, asksElsewhere)
            const decided = decide(snapshot)
            const done = Result.map(decided, (plan) => ({
              snapshot,
              plan,
              ids: dryRun ? noIds(plan) : database.apply(document, snapshot, plan)
            }))
            const { business, facility } = snapshot
            if (sender !== undefined && !dryRun && business !== null && facility !== null) {
              const entry = entryOf(document, sender, snapshot, decided)
              const ids = Result.isSuccess(done)
                ? done.success.ids
                : { shipment: "" as const, orders: [], items: [] }
              expire(now)
              database.records.push({
                ...entry,
                id: database.nextId("record"),
                location: { business, facility },
                shipmentId: ids.shipment === "" ? entry.shipmentId : ids.shipment,
                changes: identified(entry.changes, ids)
              })
            }
            return done
          }
          return Effect.suspend(() => Effect.fromResult(database.kept.keeping(keep, now, transact)))
        }),
      findRecord: (id) => Effect.sync(() => database.records.find((record) => record.id === id) ?? null),
      listRecords: (scopes, filter, { after, limit }) =>
        Effect.sync(() =>
          cutPage(
            database.records.filter((record) => isAsked(record, scopes, filter, after)).toReversed(),
            limit,
            (record) => ({ id: String(record.id), ...sizeOfRecord(record) })
          )
        )
    })
  })
)

const isAsked = (
  record: DocumentRecord & DocumentEntry,
  scopes: ReadonlyArray<ReadScope>,
  filter: RecordFilter,
  after: number
): boolean => {
  const { business, facility } = record.location
  return (after === 0 || record.id < after) &&
    scopes.some((scope) => isInScope(scope, business.slug, facility.slug)) &&
    (filter.business ?? business.slug) === business.slug &&
    (filter.facility ?? facility.slug) === facility.slug &&
    (filter.shipmentNumber ?? record.shipmentNumber) === record.shipmentNumber &&
    (filter.orderNumber === undefined || record.orderNumbers.includes(filter.orderNumber)) &&
    (filter.correlationId ?? record.correlationId) === record.correlationId &&
    (filter.outcome ?? record.outcome) === record.outcome &&
    (filter.removed !== true || removesAnything(record.counts)) &&
    (filter.lpn === undefined || record.removedLpns.includes(filter.lpn)) &&
    record.receivedAt >= (filter.from ?? record.receivedAt) &&
    (filter.to === undefined || record.receivedAt < filter.to)
}

export const shipmentStore: Layer.Layer<ShipmentStore, never, MemoryDatabase> = Layer.effect(
  ShipmentStore,
  Effect.map(MemoryDatabase, (database) => {
    const shipmentsWithin = (scopes: ReadonlyArray<ReadScope>, filter: ShipmentFilter) =>
      database.shipmentsWithin(scopes, filter).filter(({ shipment }) =>
        (filter.shipmentNumber ?? shipment.number) === shipment.number &&
        (filter.status ?? shipment.status) === shipment.status &&
        (filter.discrepancies !== true || hasDiscrepancies(shipment)) &&
        (filter.lpn === undefined ||
          shipment.orders.some(({ items }) => items.some(({ lpn }) => lpn === filter.lpn)))
      )
    return ShipmentStore.of({
      find: (id) =>
        Effect.tap(
          Effect.sync(() => database.locatedShipment(id)),
          (found) => found === null ? Effect.void : takeRoom(found.shipment.orders)
        ),
      listShipments: (scopes, filter, page) =>
        withRoom(
          () =>
            pageOf(
              shipmentsWithin(scopes, filter),
              page,
              ({ shipment }) => shipment.id,
              ({ shipment }) => sizeOfShipment(shipment)
            ),
          ({ shipment }) => shipment.orders
        ),
      listShipmentsByTime: (
        scopes,
        { carrier, from, to, trailerNumber, ...filter },
        { after, limit, order }
      ) =>
        withRoom(() => {
          const sign = order === "LATEST" ? -1 : 1
          const rest = shipmentsWithin(scopes, filter)
            .map((found) => ({ found, at: timeOf(found.shipment), id: found.shipment.id }))
            .filter(({ at, found: { shipment }, id }) =>
              (carrier ?? shipment.carrier) === shipment.carrier &&
              (trailerNumber ?? shipment.trailerNumber) === shipment.trailerNumber && (from ?? at) <= at &&
              (to === undefined || at < to) &&
              (after === undefined || sign * byTime({ at, id }, after) > 0)
            )
            .sort((left, right) => sign * byTime(left, right))
          const page = cutPage(rest, limit, (entry) => ({
            id: cursorOf(entry),
            ...sizeOfShipment(entry.found.shipment)
          }))
          return mapPage(page, ({ found }) => found)
        }, ({ shipment }) => shipment.orders),
      listDay: (scopes, { from, to, ...place }, limit) =>
        Effect.sync(() =>
          database.shipmentsWithin(scopes, place)
            .filter(({ shipment }) =>
              shipment.status !== "CANCELLED" && from <= timeOf(shipment) && timeOf(shipment) < to
            )
            .slice(0, limit)
            .map(({ shipment }): DayShipment => {
              const { dock, orders, pallets } = shipment
              const reported = database.exceptions.get(shipment.id) ?? []
              const remaining = (direction: PalletDirection) =>
                pallets.filter((pallet) => remains(pallet) && pallet.last === direction).length
              return {
                ...Struct.pick(shipment, [
                  "id",
                  "status",
                  "direction",
                  "expectedArrivalAt",
                  "scheduledAt",
                  "carrier"
                ]),
                ...Struct.pick(countDiscrepancies(shipment), ["missingPallets", "unexpectedPallets"]),
                shipmentNumber: shipment.number,
                arrivedAt: shipment.arrivedAt ?? "",
                departedAt: shipment.departedAt ?? "",
                dockSlug: dock?.slug ?? "",
                suppliers: Array.from(new Set(orders.map(({ supplier }) => supplier)))
                  .filter((supplier) => supplier !== ""),
                palletsIn: remaining("UNLOADING"),
                palletsOut: remaining("LOADING"),
                exceptions: reported.length,
                openExceptions: reported.filter(({ resolution }) => resolution === null).length
              }
            })
        ),
      listOrders: (scopes, filter, page) =>
        withRoom(() =>
          pageOf(
            database.shipmentsWithin(scopes, filter)
              .flatMap(({ location, shipment }) =>
                shipment.orders.map((order) => ({
                  location,
                  shipmentId: shipment.id,
                  shipmentNumber: shipment.number,
                  order
                }))
              )
              .filter(({ order }) => (filter.orderNumber ?? order.number) === order.number),
            page,
            ({ order }) => Number(order.id),
            ({ order }) => sizeOfOrder(order, [order.items])
          ), ({ order }) => [order]),
      palletsOf: (shipmentId, page) =>
        Effect.sync(() => {
          const found = database.locatedShipment(shipmentId)
          if (found === null) return null
          const pallets = database.palletsOf(found)
          return { location: found.location, page: pageOf(pallets, page, ({ id }) => id, sizeOfPallet) }
        }),
      palletsOn: ({ business, facility }, shipmentIds, { after, limit }) =>
        Effect.sync(() => {
          const pallets = shipmentIds.flatMap((shipmentId, index) => {
            const found = database.locatedShipment(shipmentId)
            const isThere = found?.location.business.slug === business &&
              found.location.facility.slug === facility
            return isThere ? database.palletsOf(found).filter(({ id }) => index > 0 || id > after) : []
          })
          return cutPage(pallets, limit, (pallet) => ({ id: String(pallet.id), ...sizeOfPallet(pallet) }))
        }),
      itemsOf: (shipmentId, filter, page) =>
        Effect.sync(() => {
          const found = database.locatedShipment(shipmentId)
          if (found === null) return null
          const { orders, pallets } = found.shipment
          const seen = new Set(pallets.map(({ lpn }) => lpn))
          const skus = database.skusOf(found.location.business.slug, found.location.facility.slug)
          const masterOf = (id: string) => {
            const sku = skus.get(id)
            return sku === undefined ? {} : { master: Struct.pick(sku, ["description", "casesPerPallet"]) }
          }
          const items = orders
            .flatMap(({ id, items, number }) =>
              items.map((item) => ({ item, orderId: id, orderNumber: number, ...masterOf(item.sku) }))
            )
            .filter((item) => isAskedFor(item, filter, seen))
          return {
            location: found.location,
            page: pageOf(items, page, ({ item }) => Number(item.id), ({ item }) => sizeOfItem(item))
          }
        }),
      track: (shipmentId) =>
        Effect.sync(() => {
          const found = database.locatedShipment(shipmentId)
          return found === null ? null : { location: found.location, tracking: database.track(found) }
        }),
      listPallets: (scopes, filter, { after, limit }) =>
        Effect.sync(() => {
          const rest = database.shipmentsWithin(scopes, filter)
            .flatMap((found) => database.palletsOf(found))
            .filter(({ id, lpn }) => lpn === filter.lpn && lpn !== "" && (after === 0 || id < after))
            .sort((left, right) => right.id - left.id)
          return cutPage(rest, limit, (pallet) => ({ id: String(pallet.id), ...sizeOfPallet(pallet) }))
        }),
      search: (scopes, { text, ...place }, limit) =>
        Effect.sync(() => {
          const places = { ...noFilter, ...place }
          const removed = database.records
            .filter((record) => isAsked(record, scopes, places, 0))
            .flatMap(({ removedLpns }) => removedLpns)
            .filter((lpn) => lpn.length <= longestRemoved && isMeant(text, lpn))
          return {
            entries: searchKinds.flatMap((kind) =>
              database.shipmentsWithin(scopes, place)
                .flatMap(entriesOf)
                .filter((entry) => entry.kind === kind && isMeant(text, entry.text))
                .sort((left, right) => right.id - left.id)
                .slice(0, limit)
            ),
            removed: Array.from(new Set(removed)).slice(-limit)
          }
        }),
      trace: (scopes, { key, text, ...place }, page) =>
        Effect.sync(() => {
          const found = database.shipmentsWithin(scopes, place)
          const traced = found.flatMap((located) =>
            located.shipment.orders.flatMap((order) =>
              order.items
                .filter((item) => item[key] === text)
                .map((item) => traceEntry(database, located, order, item))
            )
          )
          return key === "lpn" && traced.length > tracedAtMost
            ? null
            : pageOf(traced, page, ({ id }) => Number(id), sizeOfTraced)
        })
    })
  })
)

const noFilter: RecordFilter = {
  business: undefined,
  facility: undefined,
  shipmentNumber: undefined,
  orderNumber: undefined,
  correlationId: undefined,
  outcome: undefined,
  from: undefined,
  to: undefined
}

const traceEntry = (
  database: MemoryDatabase["Service"],
  located: LocatedShipment,
  order: Order,
  item: OrderItem
): TraceEntry => {
  const { location: { business, facility }, shipment } = located
  const newest = (found: ReadonlyArray<LocatedShipment>) =>
    found.flatMap((each) => database.palletsOf(each))
      .filter(({ lpn }) => lpn !== "" && lpn === item.lpn)
      .sort((left, right) => right.id - left.id)[0]
  const here = [{ business: business.slug, facilities: [facility.slug] }]
  const seen = newest([located]) ?? newest(database.shipmentsWithin(here, {}))
  const last = seen?.events.at(-1)
  return {
    ...Struct.pick(item, ["id", "lot", "sku", "lpn", "quantity", "quantityUnit", "expirationDate"]),
    ...Struct.pick(order, ["supplier", "consigneeName", "destination"]),
    ...Struct.pick(shipment, ["status", "direction", "carrier", "trailerNumber"]),
    business: Struct.pick(business, ["slug", "name"]),
    facility: Struct.pick(facility, ["slug", "name"]),
    orderNumber: order.number,
    purchaseOrder: item.purchaseOrder === "" ? order.purchaseOrder : item.purchaseOrder,
    shipmentId: shipment.id,
    shipmentNumber: shipment.number,
    arrivedAt: shipment.arrivedAt ?? "",
    departedAt: shipment.departedAt ?? "",
    palletId: seen === undefined ? "" : String(seen.id),
    seenShipmentId: seen?.shipmentId ?? 0,
    seenShipmentNumber: seen?.shipmentNumber ?? "",
    seenDirection: last?.direction ?? "",
    seenDockSlug: last?.dock.slug ?? "",
    seenAt: last?.occurredAt ?? ""
  }
}

/** The numbers and LPNs of a shipment that a search finds. */
const entriesOf = ({ location, shipment }: LocatedShipment): ReadonlyArray<FoundEntry> => {
  const { id: shipmentId, number: shipmentNumber, orders, pallets, status, trailerNumber } = shipment
  const { missingPallets, unexpectedPallets } = countDiscrepancies(shipment)
  const entry = (kind: FoundEntry["kind"], id: number, text: string, orderNumber = ""): FoundEntry => ({
    kind,
    id,
    text,
    location,
    shipmentId,
    shipmentNumber,
    status,
    missingPallets,
    unexpectedPallets,
    orderNumber
  })
  return [
    entry("SHIPMENT", shipmentId, shipmentNumber),
    entry("TRAILER", shipmentId, trailerNumber),
    ...pallets.map(({ id, lpn }) => entry("PALLET", id, lpn)),
    ...orders.flatMap(({ id, items, number }) => [
      entry("ORDER", Number(id), number, number),
      ...items.map((item) => entry("ITEM", Number(item.id), item.lpn, number))
    ])
  ].filter(({ text }) => text !== "")
}

/** Takes room for the answer with these orders. */
const takeRoom = (orders: ReadonlyArray<Order>) =>
  Effect.flatMap(
    AnswerRoom,
    (room) => room.take(answerTextOf({ additionalFields: [] }, orders.map(({ items }) => items)))
  )

/** Reads a page once its orders have room. */
const withRoom = <A>(
  read: () => Page<A>,
  ordersOf: (entry: A) => ReadonlyArray<Order>
): Effect.Effect<Page<A>, Overloaded> =>
  Effect.tap(Effect.sync(read), ({ items }) => takeRoom(items.flatMap(ordersOf)))

const byTime = (left: TimePosition, right: TimePosition): number =>
  left.at === right.at ? left.id - right.id : left.at < right.at ? -1 : 1

const pageOf = <A>(
  matching: ReadonlyArray<A>,
  { after, limit }: PageRequest,
  idOf: (entry: A) => number,
  sizeOf: (entry: A) => EntrySize
): Page<A> => {
  const rest = matching.filter((entry) => idOf(entry) > after).sort((left, right) => idOf(left) - idOf(right))
  return cutPage(rest, limit, (entry) => ({ id: String(idOf(entry)), ...sizeOf(entry) }))
}
