/** The ports of documents, with their record, and of reads of shipments, orders, pallets and dock boards, in memory. */
import { Effect, Layer, Result, Struct } from "effect"
import type { ReadScope } from "../../access/Access.ts"
import { AnswerMemory } from "../../access/RequestLimits.ts"
import { needsNumbersInUse } from "../../document/DocumentPrecondition.ts"
import {
  DocumentRecordConfig,
  entryOf,
  IntakeStore,
  removesAnything,
  sizeOfRecord,
  withIds
} from "../../document/DocumentRecord.ts"
import type { DocumentEntry, DocumentRecord, RecordFilter } from "../../document/DocumentRecord.ts"
import { noIds } from "../../document/Plan.ts"
import { isSameLpn, lpnKey } from "../../labels/Lpn.ts"
import {
  countDiscrepancies,
  expectedLpns,
  hasDiscrepancies,
  progressOf
} from "../../shipment/Discrepancies.ts"
import {
  countedAtMost,
  departedAtMost,
  expectedAtMost,
  overdueAtMost,
  shipmentsOfDock
} from "../../shipment/DockBoard.ts"
import type { BoardRow, BoardRows, BoardTimes } from "../../shipment/DockBoard.ts"
import { timeOf } from "../../shipment/Shipment.ts"
import type { LocatedShipment, Order, Shipment } from "../../shipment/Shipment.ts"
import { isAskedFor, longestRemoved, rank, rankedRemoved, searchKinds } from "../../shipment/ShipmentItem.ts"
import type { SearchEntry } from "../../shipment/ShipmentItem.ts"
import { answerTextOf, sizeOfItem, sizeOfOrder, sizeOfShipment } from "../../shipment/ShipmentSize.ts"
import { ShipmentStore } from "../../shipment/ShipmentStore.ts"
import type { ShipmentFilter } from "../../shipment/ShipmentStore.ts"
import { sizeOfPallet } from "../../shipment/Verdict.ts"
import type { LocatedPallet } from "../../shipment/Verdict.ts"
import { cursorOf, cutPage, mapPage } from "../../values/Page.ts"
import type { Page } from "../../values/Page.ts"
import type { Overloaded } from "../../values/RequestErrors.ts"
import * as Timestamp from "../../values/Timestamp.ts"
import { MemoryDatabase, over } from "../MemoryDatabase.ts"
import { agrees, byTime, isAt, newestByTime, oldestFirst } from "../MemoryLists.ts"

export const intakeStore: Layer.Layer<IntakeStore, never, MemoryDatabase> = Layer.effect(
  IntakeStore,
  Effect.map(Effect.all([MemoryDatabase, DocumentRecordConfig]), ([database, { retentionMillis }]) => {
    const { records } = database
    const expire = (now: Timestamp.Timestamp): void => {
      const cutoff = Timestamp.fromMillis(Date.parse(now) - retentionMillis)
      const firstKept = records.findIndex(({ receivedAt }) => receivedAt >= cutoff)
      records.splice(0, firstKept < 0 ? records.length : firstKept)
    }
    return IntakeStore.of({
      transact: (document, decide, { dryRun, keep, precondition = {}, sender }) =>
        Effect.flatMap(Timestamp.now, (now) => {
          const transact = () => {
            const snapshot = database.snapshot(document, now, needsNumbersInUse(precondition))
            const decision = decide(snapshot)
            const done = Result.map(decision, (plan) => ({
              snapshot,
              plan,
              ids: dryRun ? noIds(plan) : database.apply(document, snapshot, plan)
            }))
            const { business, facility } = snapshot
            if (sender !== undefined && !dryRun && business !== null && facility !== null) {
              const entry = entryOf(document, sender, snapshot, decision)
              const ids = Result.isSuccess(done)
                ? done.success.ids
                : { shipment: "" as const, orders: [], items: [] }
              expire(now)
              records.push({
                ...entry,
                id: database.nextId("record"),
                location: { business, facility },
                shipmentId: ids.shipment === "" ? entry.shipmentId : ids.shipment,
                changes: withIds(entry.changes, ids)
              })
            }
            return done
          }
          return Effect.suspend(() => Effect.fromResult(database.answers.keeping(keep, now, transact)))
        }),
      findRecord: (id) => Effect.sync(() => records.find((record) => record.id === id) ?? null),
      listRecords: (scopes, filter, page) =>
        Effect.sync(() => {
          const matches = records.filter((record) => isAsked(record, scopes, filter))
          return newestByTime(matches, page, ({ id, receivedAt }) => ({ at: receivedAt, id }), sizeOfRecord)
        })
    })
  })
)

const idOf = ({ id }: { readonly id: number }): number => id

const isAsked = (
  record: DocumentRecord & DocumentEntry,
  scopes: ReadonlyArray<ReadScope>,
  filter: Partial<RecordFilter>
): boolean => {
  const { correlationId, from, lpn, orderNumber, outcome, removed, shipmentNumber, to } = filter
  const { business, facility } = record.location
  return isAt(scopes, filter, business.slug, facility.slug) &&
    agrees({ shipmentNumber, correlationId, outcome }, record) &&
    (orderNumber === undefined || record.orderNumbers.includes(orderNumber)) &&
    (removed !== true || removesAnything(record.counts)) &&
    (lpn === undefined || record.removedLpns.includes(lpnKey(lpn))) &&
    (from === undefined || record.receivedAt >= from) &&
    (to === undefined || record.receivedAt < to)
}

export const shipmentStore = over(ShipmentStore, (database) => {
  const shipmentsWithin = (scopes: ReadonlyArray<ReadScope>, filter: ShipmentFilter) =>
    database.shipmentsWithin(scopes, filter).filter(({ shipment }) =>
      agrees({ number: filter.shipmentNumber, status: filter.status }, shipment) &&
      (filter.discrepancies !== true || hasDiscrepancies(shipment)) &&
      (filter.lpn === undefined || expectedLpns(shipment).has(lpnKey(filter.lpn)))
    )

  const ofShipment = <A>(id: number, read: (match: LocatedShipment) => A) =>
    Effect.sync(() => {
      const match = database.locatedShipment(id)
      return match === null ? null : { location: match.location, ...read(match) }
    })

  return {
    find: (id) =>
      Effect.tap(
        Effect.sync(() => database.locatedShipment(id)),
        (match) => match === null ? Effect.void : reserveFor(match.shipment.orders)
      ),
    listShipments: (scopes, filter, page) =>
      afterReserving(() =>
        oldestFirst(
          shipmentsWithin(scopes, filter),
          page,
          ({ shipment }) => shipment.id,
          ({ shipment }) => sizeOfShipment(shipment)
        ), ({ shipment }) => shipment.orders),
    listShipmentsByTime: (scopes, filter, { after, limit, order }) =>
      afterReserving(() => {
        const { carrier, from, to, trailerNumber } = filter
        const sign = order === "LATEST" ? -1 : 1
        const rest = shipmentsWithin(scopes, filter)
          .map((match) => ({ found: match, at: timeOf(match.shipment), id: match.shipment.id }))
          .filter(({ at, found: { shipment }, id }) =>
            agrees({ carrier, trailerNumber }, shipment) && (from ?? at) <= at &&
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
    dockBoard: (place, times) => Effect.sync(() => boardRows(database, place, times)),
    listOrders: (scopes, filter, page) =>
      afterReserving(() => {
        const orders = database.shipmentsWithin(scopes, filter)
          .flatMap(({ location, shipment: { id, number, orders } }) =>
            orders.map((order) => ({ location, shipmentId: id, shipmentNumber: number, order }))
          )
          .filter(({ order }) => agrees({ number: filter.orderNumber }, order))
        return oldestFirst(
          orders,
          page,
          ({ order }) => Number(order.id),
          ({ order }) => sizeOfOrder(order, [order.items])
        )
      }, ({ order }) => [order]),
    palletsOf: (shipmentId, page) =>
      ofShipment(
        shipmentId,
        (match) => ({ page: oldestFirst(database.palletsOf(match), page, idOf, sizeOfPallet) })
      ),
    palletsOn: ({ business, facility }, shipmentIds, { after, limit }) =>
      Effect.sync(() => {
        const pallets = shipmentIds.flatMap((shipmentId, index) => {
          const match = database.locatedShipment(shipmentId)
          const isThere = match?.location.business.slug === business &&
            match.location.facility.slug === facility
          return isThere ? database.palletsOf(match).filter(({ id }) => index > 0 || id > after) : []
        })
        return cutPage(pallets, limit, (pallet) => ({ id: String(pallet.id), ...sizeOfPallet(pallet) }))
      }),
    itemsOf: (shipmentId, filter, page) =>
      ofShipment(shipmentId, ({ shipment: { orders, pallets } }) => {
        const lpns = new Set(pallets.map(({ lpn }) => lpnKey(lpn)))
        const items = orders
          .flatMap(({ id, items, number }) =>
            items.map((item) => ({ item, orderId: id, orderNumber: number }))
          )
          .filter((item) => isAskedFor(item, filter, lpns))
        return {
          page: oldestFirst(items, page, ({ item }) => Number(item.id), ({ item }) => sizeOfItem(item))
        }
      }),
    track: (shipmentId) => ofShipment(shipmentId, (match) => ({ tracking: database.track(match) })),
    listPallets: (scopes, filter, page) =>
      Effect.sync(() => {
        const pallets = database.shipmentsWithin(scopes, filter)
          .flatMap((shipment) => database.palletsOf(shipment))
          .filter(({ lpn }) => lpn !== "" && isSameLpn(lpn, filter.lpn))
        return newestByTime(pallets, page, ({ id, recordedAt }) => ({ at: recordedAt, id }), sizeOfPallet)
      }),
    search: (scopes, { text, ...place }, limit) =>
      Effect.sync(() => {
        const removed = database.records
          .filter((record) => isAsked(record, scopes, place))
          .toReversed()
          .flatMap(({ removedLpns }) => removedLpns)
          .filter((lpn) => lpn.length <= longestRemoved)
        const entries = database.shipmentsWithin(scopes, place).flatMap(entriesOf)
        return {
          entries: searchKinds.flatMap((kind) =>
            rank(text, entries.filter((entry) => entry.kind === kind), limit)
          ),
          removed: rankedRemoved(text, removed).slice(0, limit)
        }
      })
  }
})

/** The numbers and LPNs by which a search finds a shipment. */
const entriesOf = ({ location, shipment }: LocatedShipment): ReadonlyArray<SearchEntry> => {
  const { id: shipmentId, number: shipmentNumber, orders, pallets, status, trailerNumber } = shipment
  const { missingPallets, unexpectedPallets } = countDiscrepancies(shipment)
  const entry = (kind: SearchEntry["kind"], id: number, text: string, orderNumber = ""): SearchEntry => ({
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

const reserveFor = (orders: ReadonlyArray<Order>) =>
  Effect.flatMap(
    AnswerMemory,
    (memory) => memory.reserve(answerTextOf({ additionalFields: [] }, orders.map(({ items }) => items)))
  )

/** Returns a page after reserving memory for its orders in `AnswerMemory`. */
const afterReserving = <A>(
  read: () => Page<A>,
  ordersOf: (entry: A) => ReadonlyArray<Order>
): Effect.Effect<Page<A>, Overloaded> =>
  Effect.tap(Effect.sync(read), ({ items }) => reserveFor(items.flatMap(ordersOf)))

export const boardRows = (
  database: MemoryDatabase["Service"],
  { business, facility }: { readonly business: string; readonly facility: string },
  { dueFrom, today }: BoardTimes
): BoardRows => {
  const here = database.shipmentsWithin([{ business, facilities: [facility] }], {})
  const row = (match: LocatedShipment) => boardRow(match, database.palletsOf(match))
  const of = (status: Shipment["status"]) => here.filter(({ shipment }) => shipment.status === status)
  const latest = (matches: ReadonlyArray<LocatedShipment>) =>
    matches.toSorted((left, right) =>
      byTime(
        { at: timeOf(right.shipment), id: right.shipment.id },
        { at: timeOf(left.shipment), id: left.shipment.id }
      )
    )
  const dockOf = (slug: string) => {
    const there = latest(of("ARRIVED").filter(({ shipment }) => (shipment.dock?.slug ?? "") === slug))
    return {
      dockSlug: slug,
      shipments: there.slice(0, shipmentsOfDock).map(row),
      others: Math.min(countedAtMost, Math.max(0, there.length - shipmentsOfDock))
    }
  }
  const docks = Array.from(database.places.facility(business, facility)?.docks.keys() ?? []).sort()
  const unknownDock = dockOf("")
  const due = latest(of("SCHEDULED")).toReversed()
  const [late, soon] = [true, false].map((isLate) =>
    due.filter(({ shipment }) => timeOf(shipment) < dueFrom === isLate)
  )
  const departed = latest(of("DEPARTED").filter(({ shipment }) => timeOf(shipment) >= today))
  const count = (matches: ReadonlyArray<unknown>): number => Math.min(countedAtMost, matches.length)
  return {
    docks: [...docks.map(dockOf), ...(unknownDock.shipments.length === 0 ? [] : [unknownDock])],
    overdue: late!.slice(-overdueAtMost - 1).map(row),
    expected: soon!.slice(0, expectedAtMost + 1).map(row),
    departed: departed.slice(0, departedAtMost).map(row),
    departedToday: count(departed),
    shortToday: count(
      departed.slice(0, countedAtMost).filter(({ shipment }) =>
        countDiscrepancies(shipment).missingPallets > 0
      )
    )
  }
}

const boardRow = (
  { shipment }: LocatedShipment,
  pallets: ReadonlyArray<LocatedPallet>
): BoardRow => {
  const lastSeen =
    pallets.map((pallet) => ({ ...pallet, seenAt: pallet.events.at(-1)?.occurredAt ?? Timestamp.earliest }))
      .toSorted((left, right) =>
        byTime({ at: right.seenAt, id: right.id }, { at: left.seenAt, id: left.id })
      )[0]
  return {
    ...Struct.pick(shipment, ["id", "status", "direction", "carrier", "trailerNumber", "expectedArrivalAt"]),
    ...Struct.pick(progressOf(shipment), ["passedPallets", "missingPallets", "unexpectedPallets"]),
    shipmentNumber: shipment.number,
    dockSlug: shipment.dock?.slug ?? "",
    arrivedAt: shipment.arrivedAt ?? "",
    departedAt: shipment.departedAt ?? "",
    lastPalletId: lastSeen === undefined ? "" : String(lastSeen.id),
    lastPalletLpn: lastSeen?.lpn ?? "",
    lastSeenAt: lastSeen?.seenAt ?? ""
  }
}
