/** Exceptions of shipments in PostgreSQL (D13.5). */
import { exceptionMessages } from "@dockline/core/exceptions/ExceptionMessages"
import { page, shardsOfScopes } from "../schema/cluster/Merging.ts"
import * as SqlCapability from "../schema/SqlCapability.ts"
import { functionsOf, statementsOf } from "../schema/SqlText.ts"
import * as SqlExceptionStore from "./SqlExceptionStore.ts"

/** Exceptions of shipments in PostgreSQL. */
export const exceptionsSql = SqlCapability.make("exceptions", {
  stores: SqlExceptionStore.layer,
  migrations: {
    "1_exceptions": statementsOf(new URL("../../sql/exceptions/1_exceptions.sql", import.meta.url))
  },
  functions: functionsOf(new URL("../../sql/exceptions/exceptions.sql", import.meta.url)),
  messageTypes: Object.keys(exceptionMessages),
  cluster: {
    tables: ["shipment_exception"],
    sequences: ["shipment_exception_id"],
    spanning: {
      exception_page: page(
        shardsOfScopes,
        "dockline.list_place((e->'exception'->>'reportedAt')::timestamptz, (e->'exception'->>'id')::bigint)"
      )
    }
  }
})
