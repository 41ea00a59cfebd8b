/**
 * The port in memory. Each method runs synchronously, and so is a transaction of its own.
 */
import { everything } from "@dockline/core/access/Access"
import { MemoryDatabase, stateOf } from "@dockline/core/memory/MemoryDatabase"
import { MessageLogConfig } from "@dockline/core/messages/MessageLog"
import { lpnOf } from "@dockline/core/movement/Pallet"
import type { RecordedPallet } from "@dockline/core/movement/Pallet"
import { remains, sightAgain } from "@dockline/core/shipment/Shipment"
import type { Sightings } from "@dockline/core/shipment/Shipment"
import { BusinessNotFound } from "@dockline/core/values/Errors"
import type { ShipmentId } from "@dockline/core/values/Id"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer, Result } from "effect"
import { eventMessageTypes } from "../events/EpcisEvent.ts"
import type { DepartureFacts, DeparturePallet, Facts, PalletFacts } from "../events/EventsOfMessage.ts"
import { defaultSettings } from "./EpcisSettings.ts"
import type { EpcisSettings } from "./EpcisSettings.ts"
import { EpcisStore } from "./EpcisStore.ts"
import type { FactsRequest } from "./EpcisStore.ts"

interface SettingsRow extends EpcisSettings {
  readonly cursorId: number
}

type Database = MemoryDatabase["Service"]

/** The settings and the cursors of businesses, by their slugs. */
const rowsOf = stateOf(() => new Map<string, SettingsRow>())

/** The recorded pallets of a shipment of a business, up to a message. */
const recordsOf = (
  database: Database,
  business: string,
  shipmentId: ShipmentId,
  upTo: number
): ReadonlyArray<RecordedPallet> =>
  database.shipments.get(shipmentId)?.business === business
    ? database.pallets.of(shipmentId).events.filter(({ messageId }) => messageId <= upTo)
    : []

/** The pallets that remain after the given records. */
const remainingOf = (
  shipmentId: ShipmentId,
  records: ReadonlyArray<RecordedPallet>
): ReadonlyArray<DeparturePallet> => {
  const lpns = new Map<number, string>()
  const pallets = new Map<number, Sightings>()
  for (const { direction, labels, occurredAt, palletId } of records) {
    if (!lpns.has(palletId)) lpns.set(palletId, lpnOf(labels))
    pallets.set(palletId, sightAgain(pallets.get(palletId) ?? null, direction, occurredAt, 0))
  }
  return Array.from(pallets).filter(([, sightings]) => remains(sightings))
    .map(([id, { last }]) => ({ id, shipmentId, lpn: lpns.get(id)!, direction: last }))
    .sort((left, right) => left.id - right.id)
}

const factsOf = (
  database: Database,
  business: string,
  { departures, dockIds, facilities, pallets }: FactsRequest
): Facts => {
  const places = database.places.businesses.get(business)?.facilities
  const docks = Array.from(places?.values() ?? [])
    .flatMap(({ docks }) => Array.from(docks.values()))
  return {
    pallets: new Map(pallets.flatMap(({ palletId, shipmentId, upTo }) => {
      const records = recordsOf(database, business, shipmentId, upTo)
        .filter((record) => record.palletId === palletId)
      const [first] = records
      if (first === undefined) return []
      const facts: PalletFacts = {
        id: palletId,
        shipmentId,
        lpn: lpnOf(first.labels),
        records: records.map(({ direction, dock, messageId, occurredAt, orders }) => ({
          messageId,
          direction,
          occurredAt,
          dock: dock.slug,
          orders
        }))
      }
      return [[palletId, facts]]
    })),
    docks: new Map(docks.filter(({ id }) => dockIds.includes(id)).map(({ id, slug }) => [id, slug])),
    timeZones: new Map(facilities.flatMap((slug) => {
      const facility = places?.get(slug)
      return facility === undefined ? [] : [[slug, facility.timeZone]]
    })),
    departures: new Map(departures.flatMap(({ messageId, shipmentId }) => {
      const row = database.shipments.get(shipmentId)
      const departedAt = row?.business === business ? row.header.departedAt : null
      if (departedAt === null) return []
      const facts: DepartureFacts = {
        departedAt,
        trailerNumber: row!.header.trailerNumber,
        pallets: remainingOf(shipmentId, recordsOf(database, business, shipmentId, messageId))
      }
      return [[messageId, facts]]
    }))
  }
}

/** The port in memory. */
export const memory: Layer.Layer<EpcisStore, never, MemoryDatabase> = Layer.effect(
  EpcisStore,
  Effect.map(Effect.all([MemoryDatabase, MessageLogConfig]), ([database, { retentionMillis }]) => {
    const rows = rowsOf(database)
    const settingsOf = (business: string): EpcisSettings => {
      const { companyPrefixes, publishes } = rows.get(business) ?? defaultSettings
      return { companyPrefixes, publishes }
    }
    return EpcisStore.of({
      facts: (business, request) => Effect.sync(() => factsOf(database, business, request)),
      settings: (business) => Effect.sync(() => settingsOf(business)),
      setSettings: Effect.fnUntraced(function*(business, settings, check = () => Result.void) {
        if (!database.places.businesses.has(business)) return yield* new BusinessNotFound({ business })
        yield* Effect.fromResult(check(settingsOf(business)))
        const before = rows.get(business)
        const cursorId = before?.publishes === true
          ? before.cursorId
          : database.messages.logOf(business).lastId
        rows.set(business, { ...settings, cursorId })
      }),
      behind: (limit, after) =>
        Effect.sync(() => {
          const businesses = Array.from(rows.keys())
          const from = after === undefined ? 0 : businesses.indexOf(after.business) + 1
          return businesses.slice(from).flatMap((business) => {
            const { cursorId, publishes } = rows.get(business)!
            const isBehind = publishes && database.messages.logOf(business).messages.some(({ id, type }) =>
              id > cursorId && eventMessageTypes.includes(type)
            )
            return isBehind ? [{ business, cursorId }] : []
          }).slice(0, limit)
        }),
      publish: ({ business, cursorId, entries, toId }) =>
        Effect.map(Timestamp.now, (now) => {
          const row = rows.get(business)
          if (row === undefined || !row.publishes || row.cursorId !== cursorId) return false
          rows.set(business, { ...row, cursorId: toId })
          for (const entry of entries) {
            database.webhooks.appendEntry(entry, { now, trace: undefined, retentionMillis })
          }
          return true
        }),
      watch: (wake) => database.messages.wakeups.watch(everything, wake)
    })
  })
)
