/** The exchange with EDI partners in PostgreSQL (D18.3). */
import * as SqlCapability from "../schema/SqlCapability.ts"
import * as SqlEdiStore from "../stores/edi/SqlEdiStore.ts"

/** The exchange with EDI partners in PostgreSQL. */
export const ediSql = SqlCapability.make("edi", { stores: SqlEdiStore.layer })
