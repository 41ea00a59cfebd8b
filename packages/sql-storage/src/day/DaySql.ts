/** What days of facilities were, in PostgreSQL (D13.13). It has no tables: it reads those of the contract. */
import { firsts, shardsOfScopes } from "../schema/cluster/Merging.ts"
import * as SqlCapability from "../schema/SqlCapability.ts"
import { functionsOf } from "../schema/SqlText.ts"
import * as SqlDayStore from "./SqlDayStore.ts"

/** What days of facilities were, in PostgreSQL. */
export const daySql = SqlCapability.make("day", {
  stores: SqlDayStore.layer,
  functions: functionsOf(new URL("../../sql/day/day.sql", import.meta.url)),
  cluster: { spanning: { day_shipments: firsts(shardsOfScopes, "(e->>'id')::bigint", "p_limit") } }
})
