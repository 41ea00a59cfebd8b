/** Exceptions of shipments in PostgreSQL (D13.5). */
import { exceptionMessages } from "@dockline/core/exceptions/ExceptionMessages"
import { page, shardsOfScopes } from "../schema/cluster/Merging.ts"
import * as SqlCapability from "../schema/SqlCapability.ts"
import { placeOf } from "../schema/Streams.ts"
import * as functions from "./ExceptionFunctions.ts"
import { migrations } from "./ExceptionTables.ts"
import * as SqlExceptionStore from "./SqlExceptionStore.ts"

/** Exceptions of shipments in PostgreSQL. */
export const exceptionsSql = SqlCapability.make("exceptions", {
  stores: SqlExceptionStore.layer,
  migrations,
  functions,
  messageTypes: Object.keys(exceptionMessages),
  cluster: {
    tables: ["shipment_exception"],
    sequences: ["shipment_exception_id"],
    spanning: {
      exception_page: page(
        shardsOfScopes,
        placeOf("(e->'exception'->>'reportedAt')::timestamptz", "(e->'exception'->>'id')::bigint")
      )
    }
  }
})
