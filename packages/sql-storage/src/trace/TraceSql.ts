/** The trace of goods in PostgreSQL (D13.14). It has no tables of its own: it reads the tables of the contract. */
import { lpnKey } from "@dockline/core/labels/Lpn"
import { TraceStore } from "@dockline/core/trace/TraceCapability"
import { sizeOfTraced, tracedAtMost, TraceEntry } from "@dockline/core/trace/TraceOperations"
import { cutPage } from "@dockline/core/values/Page"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { measured } from "../connections/StorageMetrics.ts"
import { operations } from "../connections/StoreOperations.ts"
import { listsOf, placesOf } from "../rows/BusinessRows.ts"
import { page, shardsOfScopes } from "../schema/cluster/Merging.ts"
import * as SqlCapability from "../schema/SqlCapability.ts"

/** The result of `trace_page`: items, or a single entry with the id 0 if too many items have the LPN. */
const Entries = Schema.Array(Schema.Union([Schema.Struct({ id: Schema.Literal("0") }), TraceEntry]))

/** Reads from the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<TraceStore, never, SqlClient.SqlClient> = Layer.effect(
  TraceStore,
  Effect.map(operations, ({ call, loan, operation }) =>
    TraceStore.of({
      trace: (scopes, filter, { after, limit }) =>
        measured("read_shipments")(operation(
          loan(listsOf(scopes, filter))(Effect.map(
            call(Entries)`dockline.trace_page(${placesOf(scopes, filter)},
            ${filter.key}, ${filter.key === "lpn" ? lpnKey(filter.text) : filter.text},
            ${tracedAtMost}, ${after}, ${limit + 1})`,
            (entries) => {
              const items = entries.filter((entry) => "lot" in entry)
              return items.length < entries.length
                ? null
                : cutPage(items, limit, (entry) => ({ id: entry.id, ...sizeOfTraced(entry) }))
            }
          ))
        ))
    }))
)

/** The trace of goods in PostgreSQL. */
export const traceSql = SqlCapability.make("trace", {
  stores: layer,
  functions: SqlCapability.functionsOf(new URL("../../sql/trace/trace.sql", import.meta.url)),
  cluster: { spanning: { trace_page: page(shardsOfScopes, "(e->>'id')::bigint") } }
})
