/** EPCIS in PostgreSQL (D24): the facts from which events are made, the settings of businesses, and the cursors of published events. */
import { BusinessNotFound } from "@dockline/core/values/Errors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { announcing, businessId, operations, watching } from "@dockline/sql-storage/rows/BusinessRows"
import { bigintText, palletDirection, texts, timestamp, whole } from "@dockline/sql-storage/rows/RowFields"
import { everyShard, firsts } from "@dockline/sql-storage/schema/ShardAnswers"
import * as SqlCapability from "@dockline/sql-storage/schema/SqlCapability"
import { Effect, Layer, Result, Schema } from "effect"
import { epcisEvents } from "../domain/EpcisOutbox.ts"
import { defaultSettings, EpcisSettings } from "../domain/EpcisSettings.ts"
import { EpcisStore } from "../domain/EpcisStore.ts"
import { eventMessageTypes } from "../events/EpcisEvent.ts"

const palletName = { id: whole, shipmentId: whole, lpn: Schema.String }

/** The result of `epcis_facts`. */
const FactRows = Schema.Struct({
  pallets: Schema.Array(Schema.Struct({
    ...palletName,
    records: Schema.Array(
      Schema.Struct({
        messageId: whole,
        direction: palletDirection,
        occurredAt: timestamp,
        dock: Schema.String,
        orders: texts
      })
    )
  })),
  docks: Schema.Array(Schema.Struct({ id: whole, slug: Schema.String })),
  timeZones: Schema.Array(Schema.Struct({ slug: Schema.String, timeZone: Schema.String })),
  departures: Schema.Array(Schema.Struct({
    messageId: whole,
    departedAt: timestamp,
    trailerNumber: Schema.String,
    pallets: Schema.Array(Schema.Struct({ ...palletName, direction: palletDirection }))
  }))
})

/** The result of `epcis_settings`; `null` without stored settings. */
const SettingsBody = Schema.NullOr(EpcisSettings)

/** The result of `epcis_behind`. */
const Behind = Schema.Array(
  Schema.Struct({ business: Schema.String, businessId: bigintText, cursorId: whole })
)

const stores = Layer.effect(
  EpcisStore,
  Effect.gen(function*() {
    const { call, read, run, transact, write } = yield* operations
    const announce = yield* announcing
    const watch = yield* watching

    return EpcisStore.of({
      facts: (business, { departures, dockIds, facilities, pallets }) =>
        read({ business: businessId(business) })(Effect.map(
          call(FactRows)`dockline.epcis_facts(${businessId(business)}, ${JSON.stringify(pallets)},
            ${dockIds}, ${facilities}, ${JSON.stringify(departures)})`,
          (rows) => ({
            pallets: new Map(rows.pallets.map((row) => [row.id, row])),
            docks: new Map(rows.docks.map(({ id, slug }) => [id, slug])),
            timeZones: new Map(rows.timeZones.map(({ slug, timeZone }) => [slug, timeZone])),
            departures: new Map(rows.departures.map(({ messageId, ...row }) => [messageId, row]))
          })
        )),
      settings: (business) =>
        read({ business: businessId(business) })(Effect.map(
          call(SettingsBody)`dockline.epcis_settings(${businessId(business)})`,
          (settings) => settings ?? defaultSettings
        )),
      setSettings: Effect.fnUntraced(
        function*(business, { companyPrefixes, publishes }, check = () => Result.void) {
          const id = businessId(business)
          const before = yield* call(SettingsBody)`dockline.epcis_settings_lock(${id})`
          if (before === null) return yield* new BusinessNotFound({ business })
          yield* Effect.fromResult(check(before))
          yield* run`dockline.epcis_settings_put(${id}, ${companyPrefixes}, ${publishes})`
        },
        (effect, business) => transact({ business: businessId(business) })(effect)
      ),
      behind: (limit, after) =>
        write()(Effect.map(
          call(Behind)`dockline.epcis_behind(
            ${after === undefined ? -1 : businessId(after.business)}, ${eventMessageTypes}, ${limit})`,
          (rows) => rows.map(({ business, cursorId }) => ({ business, cursorId }))
        )),
      publish: Effect.fnUntraced(function*({ business, cursorId, entries, toId }) {
        const rows = entries.map(({ facility, mediaType, path, shipmentId, text }) => ({
          facility,
          shipmentId,
          path,
          mediaType,
          text
        }))
        const isMoved = yield* call(Schema.Boolean)`dockline.epcis_publish(
          ${businessId(business)}, ${cursorId}, ${toId}, ${epcisEvents}, ${
          JSON.stringify(rows)
        }, ${yield* Timestamp.givenNow})`
        if (isMoved && entries.length > 0) yield* announce(business)
        return isMoved
      }, (effect, { business }) => transact({ business: businessId(business) })(effect)),
      watch
    })
  })
)

/** EPCIS in PostgreSQL. */
export const epcisSql = SqlCapability.make("epcis", {
  stores,
  migrations: {
    "1_settings": SqlCapability.statementsOf(new URL("../../sql/1_settings.sql", import.meta.url))
  },
  functions: SqlCapability.functionsOf(new URL("../../sql/epcis.sql", import.meta.url)),
  cluster: {
    tables: ["epcis_setting"],
    spanning: { epcis_behind: firsts(everyShard, "(e->>'businessId')::bigint", "p_limit") }
  }
})
