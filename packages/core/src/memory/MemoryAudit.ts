/**
 * The record of what operators change, in memory.
 */
import { Effect, Layer } from "effect"
import { everything } from "../access/Access.ts"
import type { AuditEntry } from "../access/AuditEntry.ts"
import { AuditLog, auditRetentionMillis } from "../access/AuditLog.ts"
import { cursorOf } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

const newestFirst = (left: AuditEntry, right: AuditEntry): number =>
  left.at === right.at ? right.id - left.id : left.at < right.at ? 1 : -1

export const auditLog: Layer.Layer<AuditLog, never, MemoryDatabase> = Layer.effect(
  AuditLog,
  Effect.map(MemoryDatabase, (database) =>
    AuditLog.of({
      recorded: (change, recordOf) =>
        Effect.uninterruptible(Effect.map(change, (changed) => {
          const record = recordOf(changed)
          const expiry = Timestamp.fromMillis(Date.parse(record.at) - auditRetentionMillis)
          database.audit = [
            ...database.audit.filter(({ at }) => at > expiry),
            { ...record, id: database.nextId("auditEntry") }
          ]
          return changed
        })),
      list: (scope, { clientId, from, subject, to }, { after, limit }) =>
        Effect.sync(() => {
          const found = database.audit
            .filter((entry) =>
              (scope === everything || scope.includes(entry.business)) &&
              (clientId ?? entry.clientId) === entry.clientId &&
              (subject ?? entry.subject) === entry.subject &&
              (from ?? entry.at) <= entry.at && (to ?? entry.at) >= entry.at &&
              (after === undefined || newestFirst(entry, { ...entry, ...after }) > 0)
            )
            .sort(newestFirst)
          const items = found.slice(0, limit)
          return { items, next: items.length < found.length ? cursorOf(items.at(-1)!) : null }
        })
    }))
)
