/**
 * Port: the record of what operators change (D13.8).
 *
 * Guarantee: a change and its entry are written in one transaction, so there is neither without the other. No entry holds
 * a secret. Entries are kept for a year.
 */
import { Context, Effect } from "effect"
import { clip } from "../values/Clip.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Page, TimePosition } from "../values/Page.ts"
import { RequestOrigin } from "../values/RequestOrigin.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { everything } from "./Access.ts"
import type { BusinessScope, Grant, Principal } from "./Access.ts"
import type { AuditDraft, AuditEntry, AuditRecord } from "./AuditEntry.ts"

/** Narrows a list of entries; `undefined` does not narrow. */
export interface AuditFilter {
  readonly clientId: string | undefined
  readonly subject: string | undefined
  /** Entries at this time or later. */
  readonly from: Timestamp.Timestamp | undefined
  /** Entries at this time or earlier. */
  readonly to: Timestamp.Timestamp | undefined
}

/** A part of a list, newest first. */
export interface AuditPageRequest {
  readonly limit: number
  /** The last entry of the page before; `undefined` for the first page. */
  readonly after: TimePosition | undefined
}

/** How long entries are kept, in milliseconds: 365 days. */
export const auditRetentionMillis = 365 * 86_400_000

/** The record of what operators change. */
export class AuditLog extends Context.Service<AuditLog, {
  /**
   * Makes a change and adds its entry. A change that fails has no entry. Changes of one `turn` are made one after another in this process, and hold
   * nothing of the storage while they wait.
   */
  readonly record: <A, E, R>(
    change: Effect.Effect<A, E, R>,
    recordOf: (result: A) => AuditRecord,
    turn?: string
  ) => Effect.Effect<A, E | StorageUnavailable, R>
  /** The entries of the businesses of a scope, newest first; those of the whole service for the scope `"*"` alone. */
  readonly list: (
    scope: BusinessScope,
    filter: AuditFilter,
    page: AuditPageRequest
  ) => Effect.Effect<Page<AuditEntry>, StorageUnavailable>
}>()("@dockline/core/access/AuditLog") {}

const detailLimit = 4096

/** Details of bounded size: a value that is too long is kept as the beginning of its JSON. */
const clippedDetails = (details: AuditDraft["details"]): AuditDraft["details"] =>
  Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) => {
      if (value === undefined) return []
      const json = JSON.stringify(value)
      return [[name, json.length > detailLimit ? clip(json, detailLimit) : value]]
    })
  )

/** The business that grants are about, as {@link AuditDraft} names it. */
export const businessOf = (...grants: ReadonlyArray<Grant>): string => {
  const [business, ...others] = new Set(grants.map((grant) => grant.business))
  return business === undefined || others.length > 0 ? everything : business
}

/** A path below `/v1/operator`. */
export const subjectOf = (...parts: ReadonlyArray<string | number>): string => parts.join("/")

/**
 * Makes changes of operators, each with its entry in the record, and with a line in the log after the commit. Those of one operator take turns:
 * many wait for each other in the storage in any case, as for the row of a business, and each would hold a connection meanwhile. A new connection
 * to a cluster takes many times as long for its first statements, so that operators who made many changes at once were refused.
 */
export const auditing = Effect.map(AuditLog, ({ record }) =>
  Effect.fnUntraced(function*<A, E, R>(
    { clientId }: Principal,
    change: Effect.Effect<A, E, R>,
    draftOf: (result: A) => AuditDraft
  ) {
    const { address } = yield* RequestOrigin
    // The time is that after all that the change waited for (D21.1).
    const draft = Effect.flatMap(
      change,
      (result) => Effect.map(Timestamp.givenNow, (at) => ({ at, changed: result, draft: draftOf(result) }))
    )
    const { changed, draft: { action, business, subject } } = yield* record(
      draft,
      ({ at, draft }) => ({ ...draft, details: clippedDetails(draft.details), at, clientId, address }),
      JSON.stringify(["operator", clientId])
    )
    yield* Effect.logInfo(`An operator made a change: ${action}`).pipe(
      Effect.annotateLogs({ operator: clientId, address, business, subject })
    )
    return changed
  }))

/** What {@link auditing} makes. */
export type Auditing = Effect.Success<typeof auditing>
