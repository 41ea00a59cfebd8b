/** The trace of goods in PostgreSQL (D13.14). It has no tables: it reads those of the contract. */
import { page, shardsOfScopes } from "../schema/cluster/Merging.ts"
import * as SqlCapability from "../schema/SqlCapability.ts"
import { functionsOf } from "../schema/SqlText.ts"
import * as SqlTraceStore from "./SqlTraceStore.ts"

/** The trace of goods in PostgreSQL. */
export const traceSql = SqlCapability.make("trace", {
  stores: SqlTraceStore.layer,
  functions: functionsOf(new URL("../../sql/trace/trace.sql", import.meta.url)),
  cluster: { spanning: { trace_page: page(shardsOfScopes, "(e->>'id')::bigint") } }
})
