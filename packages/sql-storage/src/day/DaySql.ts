/** The figures of the days of facilities in PostgreSQL (D13.13). The capability has no tables: it reads the tables of the contract. */
import { DayShipment } from "@dockline/core/day/Day"
import { DayStore } from "@dockline/core/day/Days"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { measured } from "../connections/StorageMetrics.ts"
import { operations } from "../connections/StoreOperations.ts"
import { listsOf, placesOf } from "../rows/BusinessRows.ts"
import { firsts, shardsOfScopes } from "../schema/cluster/Merging.ts"
import * as SqlCapability from "../schema/SqlCapability.ts"

/** Reads from the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<DayStore, never, SqlClient.SqlClient> = Layer.effect(
  DayStore,
  Effect.map(operations, ({ call, loan, operation }) =>
    DayStore.of({
      list: (scopes, filter, limit) =>
        measured("read_shipments")(operation(
          loan(listsOf(scopes, filter))(
            call(Schema.Array(DayShipment))`dockline.day_shipments(${placesOf(scopes, filter)},
              ${filter.from}, ${filter.to}, ${limit})`
          )
        ))
    }))
)

/** The part in PostgreSQL of the capability `day`. */
export const daySql = SqlCapability.make("day", {
  stores: layer,
  functions: SqlCapability.functionsOf(new URL("../../sql/day/day.sql", import.meta.url)),
  cluster: { spanning: { day_shipments: firsts(shardsOfScopes, "(e->>'id')::bigint", "p_limit") } }
})
