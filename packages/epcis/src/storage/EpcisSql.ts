/** EPCIS in PostgreSQL (D24): what events are made of, the settings of businesses, and the cursors of what was published. */
import { BusinessNotFound } from "@dockline/core/values/Errors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { announcing, businessId, operations, watching } from "@dockline/sql-storage/rows/BusinessRows"
import { everyShard, firsts } from "@dockline/sql-storage/schema/ShardAnswers"
import * as SqlCapability from "@dockline/sql-storage/schema/SqlCapability"
import { functionsOf, statementsOf } from "@dockline/sql-storage/schema/SqlText"
import { Effect, Layer, Result } from "effect"
import { epcisEvents } from "../domain/EpcisOutbox.ts"
import { defaultSettings } from "../domain/EpcisSettings.ts"
import type { EpcisSettings } from "../domain/EpcisSettings.ts"
import { EpcisStore } from "../domain/EpcisStore.ts"
import type { Publication } from "../domain/EpcisStore.ts"
import { eventMessageTypes } from "../events/CoreVocabulary.ts"
import type { DepartureFacts, PalletFacts } from "../events/EventsOfMessage.ts"

/** What epcis_facts returns. */
interface FactRows {
  readonly pallets: ReadonlyArray<PalletFacts>
  readonly docks: ReadonlyArray<{ readonly id: number; readonly slug: string }>
  readonly departures: ReadonlyArray<DepartureFacts & { readonly messageId: number }>
}

const stores = Layer.effect(
  EpcisStore,
  Effect.gen(function*() {
    const { call, read, transact, write } = yield* operations
    const announce = yield* announcing
    const watch = yield* watching

    return EpcisStore.of({
      facts: (business, { departures, dockIds, pallets }) =>
        read({ business: businessId(business) })(Effect.map(
          call<FactRows>`dockline.epcis_facts(${businessId(business)}, ${JSON.stringify(pallets)},
            ${dockIds}, ${JSON.stringify(departures)})`,
          (rows) => ({
            pallets: new Map(rows.pallets.map((row) => [row.id, row])),
            docks: new Map(rows.docks.map(({ id, slug }) => [id, slug])),
            departures: new Map(rows.departures.map(({ messageId, ...row }) => [messageId, row]))
          })
        )),
      settings: (business) =>
        read({ business: businessId(business) })(Effect.map(
          call<EpcisSettings | null>`dockline.epcis_settings(${businessId(business)})`,
          (settings) => settings ?? defaultSettings
        )),
      setSettings: Effect.fnUntraced(
        function*(business, { companyPrefixes, publishes }, check = () => Result.void) {
          const id = businessId(business)
          const before = yield* call<EpcisSettings | null>`dockline.epcis_settings_lock(${id})`
          if (before === null) return yield* new BusinessNotFound({ business })
          yield* Effect.fromResult(check(before))
          yield* call`dockline.epcis_settings_put(${id}, ${companyPrefixes}, ${publishes})`
        },
        (effect, business) => transact({ business: businessId(business) })(effect)
      ),
      behind: (limit, after) =>
        write()(Effect.map(
          call<ReadonlyArray<Publication>>`dockline.epcis_behind(
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
        const isMoved = yield* call<boolean>`dockline.epcis_publish(${
          businessId(business)
        }, ${cursorId}, ${toId},
          ${epcisEvents}, ${JSON.stringify(rows)}, ${yield* Timestamp.givenNow})`
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
  migrations: { "1_settings": statementsOf(new URL("../../sql/1_settings.sql", import.meta.url)) },
  functions: functionsOf(new URL("../../sql/epcis.sql", import.meta.url)),
  cluster: {
    tables: ["epcis_setting"],
    spanning: { epcis_behind: firsts(everyShard, "(e->>'businessId')::bigint", "p_limit") }
  }
})
