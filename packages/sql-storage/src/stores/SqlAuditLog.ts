/**
 * The record of operators' changes on PostgreSQL: an entry is the last statement of the transaction of its change.
 */
import { everything } from "@dockline/core/access/Access"
import type { AuditRecord } from "@dockline/core/access/AuditLog"
import { AuditLog, auditRetentionMillis } from "@dockline/core/access/AuditLog"
import { cursorOf, cutPage } from "@dockline/core/values/Page"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { operations } from "../connections/StoreOperations.ts"
import { readsOf } from "../rows/ListArguments.ts"
import { timestamp, whole } from "../rows/RowFields.ts"
import * as Cleanup from "./Cleanup.ts"

const AuditRow = Schema.Struct({
  id: whole,
  at: timestamp,
  clientId: Schema.String,
  address: Schema.String,
  action: Schema.String,
  business: Schema.String,
  subject: Schema.String,
  details: Schema.Record(Schema.String, Schema.Unknown)
})

/** The record in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old entries by itself. */
export const layer: Layer.Layer<AuditLog, never, SqlClient.SqlClient> = Layer.effect(
  AuditLog,
  Effect.gen(function*() {
    const means = yield* operations
    const { query, read, sql, transact } = means

    const add = ({ action, address, at, business, clientId, details, subject }: AuditRecord) =>
      sql`insert into dockline.audit_entry (at, client_id, address, action, business, subject, details)
        values (coalesce(${at}::timestamptz, date_trunc('milliseconds', clock_timestamp())), ${clientId}, ${address}, ${action}, ${business}, ${subject},
          ${JSON.stringify(details)}::text::json)`

    const entries = { name: "audit_entry", at: "at", key: ["id"] }
    yield* Cleanup.run(
      "audit_entries",
      Cleanup.ofTable(means, entries, auditRetentionMillis)
    )

    return AuditLog.of({
      record: <A, E, R>(
        change: Effect.Effect<A, E, R>,
        recordOf: (change: A) => AuditRecord,
        turn?: string
      ) => transact({ turn })(Effect.tap(change, (value) => add(recordOf(value)))),
      list: Effect.fnUntraced(function*(scope, { clientId, from, subject, to }, { after, limit }) {
        // Times have whole milliseconds, so the next one is an exclusive bound for entries up to `to`.
        const last = to === undefined ? undefined : { at: to, id: Number.MAX_SAFE_INTEGER }
        const before = last !== undefined && (after === undefined || last.at < after.at) ? last : after
        const rows = yield* query(AuditRow)`select id::float8 as id, dockline.rfc3339(at) as at,
            client_id as "clientId", address, action, business, subject, details
          from dockline.audit_page(${scope === everything ? null : scope}, ${clientId ?? null},
            ${subject ?? null}, ${from ?? "-infinity"}, ${before?.at ?? "infinity"}, ${before?.id ?? 0},
            ${limit + 1})`
        return cutPage(rows, limit, (entry) => ({ id: cursorOf(entry) }))
      }, (effect, scope) => read(readsOf(scope))(effect))
    })
  })
)
