/** The exchange with EDI partners in PostgreSQL (D18.3). */
import {
  everyShard,
  first,
  firsts,
  page,
  shardsOfBusinesses,
  shardsOfIds,
  shardsOfScopes,
  values
} from "@dockline/sql-storage/schema/ShardAnswers"
import * as SqlCapability from "@dockline/sql-storage/schema/SqlCapability"
import * as SqlEdiStore from "./SqlEdiStore.ts"

/** The exchange with EDI partners in PostgreSQL. */
export const ediSql = SqlCapability.make("edi", {
  stores: SqlEdiStore.layer,
  migrations: {
    "1_exchange": SqlCapability.statementsOf(new URL("../../sql/1_exchange.sql", import.meta.url))
  },
  functions: [
    new URL("../../sql/arrivals.sql", import.meta.url),
    new URL("../../sql/files.sql", import.meta.url),
    new URL("../../sql/partners.sql", import.meta.url)
  ].flatMap(SqlCapability.functionsOf),
  cluster: {
    tables: [
      "edi_log",
      "edi_dropped",
      "edi_partner",
      "edi_arrival",
      "edi_word",
      "edi_file",
      "edi_set",
      "edi_file_shipment"
    ],
    sequences: ["edi_file_id", "edi_reservation_id"],
    spanning: {
      edi_behind: firsts(everyShard, "(e->>'businessId')::bigint, (e->>'key')::bigint", "p_limit"),
      edi_between: firsts(shardsOfBusinesses, "e->'partner'->>'business', e->'partner'->>'slug'", "p_limit"),
      edi_expired: values(everyShard),
      edi_file_business: first(shardsOfIds("array[p_id]")),
      edi_file_page: page(shardsOfScopes, "dockline.list_place((e->>'at')::timestamptz, (e->>'id')::bigint)")
    }
  }
})
