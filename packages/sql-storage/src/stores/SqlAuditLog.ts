/**
 * The record of what operators change, on PostgreSQL: an entry is the last statement of the transaction of its change.
 */
import { everything } from "@dockline/core/Access"
import type { AuditEntry, AuditRecord } from "@dockline/core/AuditEntry"
import { AuditLog, auditRetentionMillis } from "@dockline/core/AuditLog"
import { cursorOf } from "@dockline/core/Page"
import * as Timestamp from "@dockline/core/Timestamp"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transaction } from "../connections/AfterCommit.ts"
import { operations } from "../connections/Deadline.ts"
import { loans } from "../connections/Loan.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { readsOf } from "../rows/ListArguments.ts"
import * as Cleanup from "./Cleanup.ts"

const expiry = Effect.map(Clock.currentTimeMillis, (now) => Timestamp.fromMillis(now - auditRetentionMillis))

/** The record in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old entries by itself. */
export const layer: Layer.Layer<AuditLog, never, SqlClient.SqlClient> = Layer.effect(
  AuditLog,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const operation = yield* operations
    const loan = yield* loans
    const onItsOwn = loan({ lane: "requests" })

    const add = ({ action, address, at, business, clientId, details, subject }: AuditRecord) =>
      sql`insert into dockline.audit_entry (at, client_id, address, action, business, subject, details)
        values (${at}::timestamptz, ${clientId}, ${address}, ${action}, ${business}, ${subject},
          ${JSON.stringify(details)}::text::json)`

    const entries = { name: "audit_entry", at: "at", key: ["id"] }
    yield* Cleanup.run(
      "audit_entries",
      Cleanup.ofTable(sql, entries, expiry, (statement) => operation(onItsOwn(statement)))
    )

    return AuditLog.of({
      recorded: <A, E, R>(change: Effect.Effect<A, E, R>, recordOf: (changed: A) => AuditRecord) =>
        transaction(sql)(Effect.gen(function*() {
          const changed = yield* change
          yield* add(recordOf(changed))
          return changed
        })).pipe(repeatConflicts, onItsOwn, operation),
      list: Effect.fnUntraced(function*(scope, { clientId, from, subject, to }, { after, limit }) {
        // Times have whole milliseconds, so that a later one bounds what is not after `to`.
        const last = to === undefined ? undefined : { at: to, id: Number.MAX_SAFE_INTEGER }
        const before = last !== undefined && (after === undefined || last.at < after.at) ? last : after
        const rows = yield* sql<
          AuditEntry
        >`select id::float8 as id, dockline.rfc3339(at) as at, client_id as "clientId",
            address, action, business, subject, details
          from dockline.audit_page(${scope === everything ? null : scope}::text[], ${clientId ?? null}::text,
            ${subject ?? null}::text, ${from ?? "-infinity"}::timestamptz,
            ${before?.at ?? "infinity"}::timestamptz,
            ${before?.id ?? 0}::bigint, ${limit + 1}::int)`
        const items = rows.slice(0, limit)
        return { items, next: items.length < rows.length ? cursorOf(items.at(-1)!) : null }
      }, (effect, scope) => operation(loan(readsOf(scope))(effect)))
    })
  })
)
