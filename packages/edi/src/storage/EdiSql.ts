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
import { businessOf, placeOf } from "@dockline/sql-storage/schema/SqlText"
import * as EdiArrivalFunctions from "./EdiArrivalFunctions.ts"
import * as EdiFileFunctions from "./EdiFileFunctions.ts"
import * as EdiPartnerFunctions from "./EdiPartnerFunctions.ts"
import { migrations } from "./EdiTables.ts"
import * as SqlEdiStore from "./SqlEdiStore.ts"

/** The exchange with EDI partners in PostgreSQL. */
export const ediSql = SqlCapability.make("edi", {
  stores: SqlEdiStore.layer,
  migrations,
  functions: {
    ...EdiArrivalFunctions,
    ...EdiFileFunctions,
    ...EdiPartnerFunctions,
    ediFileBusiness: businessOf("edi_file", "edi_file")
  },
  cluster: {
    tables: ["edi_log", "edi_dropped", "edi_partner", "edi_arrival", "edi_word", "edi_file", "edi_set"],
    sequences: ["edi_file_id", "edi_reservation_id"],
    spanning: {
      edi_behind: firsts(everyShard, "(e->>'businessId')::bigint, (e->>'key')::bigint", "p_limit"),
      edi_between: firsts(shardsOfBusinesses, "e->'partner'->>'business', e->'partner'->>'slug'", "p_limit"),
      edi_expired: values(everyShard),
      edi_file_business: first(shardsOfIds("array[p_id]")),
      edi_file_page: page(shardsOfScopes, placeOf("(e->>'at')::timestamptz", "(e->>'id')::bigint"))
    }
  }
})
