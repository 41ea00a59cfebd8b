/**
 * The record of what operators change, in memory.
 */
import { Effect } from "effect"
import { everything } from "../../access/Access.ts"
import { AuditLog, auditRetentionMillis } from "../../access/AuditLog.ts"
import { cursorOf } from "../../values/Page.ts"
import * as Timestamp from "../../values/Timestamp.ts"
import { over } from "../MemoryDatabase.ts"
import { agrees, byTime } from "../MemoryLists.ts"

export const auditLog = over(AuditLog, (database) => ({
  record: (change, recordOf) =>
    Effect.uninterruptible(Effect.gen(function*() {
      const result = yield* change
      const record = recordOf(result)
      const now = record.at ?? (yield* Timestamp.now)
      const expiry = Timestamp.fromMillis(Date.parse(now) - auditRetentionMillis)
      database.audit = [
        ...database.audit.filter(({ at }) => at > expiry),
        { ...record, at: now, id: database.nextId("auditEntry") }
      ]
      return result
    })),
  list: (scope, { clientId, from, subject, to }, { after, limit }) =>
    Effect.sync(() => {
      const matches = database.audit
        .filter((entry) =>
          (scope === everything || scope.includes(entry.business)) &&
          agrees({ clientId, subject }, entry) &&
          (from ?? entry.at) <= entry.at && (to ?? entry.at) >= entry.at &&
          (after === undefined || byTime(entry, after) < 0)
        )
        .sort((left, right) => byTime(right, left))
      const items = matches.slice(0, limit)
      return { items, next: items.length < matches.length ? cursorOf(items.at(-1)!) : null }
    })
}))
