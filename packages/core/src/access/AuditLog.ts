/**
 * Port: the record of what operators change (D13.8), with its entries and the origin of requests.
 *
 * Guarantee: the port writes a change and its entry in one transaction, so neither exists without the other, and keeps entries for a year.
 * Callers of {@link auditing} leave secrets out of the details.
 */
import { Context, Effect } from "effect"
import { clip } from "../values/Clip.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Page, TimePosition } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { everything } from "./Access.ts"
import type { BusinessScope, Grant, Principal } from "./Access.ts"

/** Where a request comes from. */
export interface Origin {
  /** The address of the client, beyond trusted proxies; `""` if it is unknown. */
  readonly address: string
}

/** The origin of the current request; its address is `""` unless an interface provides it. */
export const RequestOrigin: Context.Reference<Origin> = Context.Reference("@dockline/core/RequestOrigin", {
  defaultValue: () => ({ address: "" })
})

/** The actions of operators. */
export const auditActions = [
  "BUSINESS_CREATED",
  "BUSINESS_CHANGED",
  "FIELD_MAP_CHANGED",
  "FACILITY_CREATED",
  "FACILITY_CHANGED",
  "DOCK_CREATED",
  "CLIENT_CREATED",
  "CLIENT_CHANGED",
  "SECRET_ADDED",
  "SECRET_REMOVED",
  "PERSON_ADDED",
  "PERSON_CHANGED",
  "PERSON_REMOVED",
  "WEBHOOK_CREATED",
  "WEBHOOK_CHANGED",
  "WEBHOOK_REMOVED",
  "WEBHOOK_SECRET_ROTATED",
  "WEBHOOK_TESTED",
  "DELIVERY_REPLAYED",
  "DELIVERIES_REPLAYED",
  "MESSAGES_ADVANCED"
] as const

/** An action of operators: one of the contract, or any that a capability adds. */
export type AuditAction = (typeof auditActions)[number] | (string & {})

/** A change, without its time and its client. */
export interface AuditDraft {
  readonly action: AuditAction
  /** The slug of the one business that the change is about; `"*"` for the whole service, and for several businesses. */
  readonly business: string
  /** The path of the changed entity below `/v1/operator`. */
  readonly subject: string
  /** The new values, without secrets. */
  readonly details: Readonly<Record<string, unknown>>
}

/** A change by an operator: its subject, its time, its client and the client's address. */
export interface AuditRecord extends AuditDraft {
  /** The time by the program's own clock; `null` to use the clock of the storage. */
  readonly at: Timestamp.Timestamp | null
  /** The id of the client. */
  readonly clientId: string
  /** The address of the client; `""` if it is unknown. */
  readonly address: string
}

/** An entry of the record. */
export interface AuditEntry extends AuditRecord {
  readonly id: number
  readonly at: Timestamp.Timestamp
}

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
   * Makes a change and adds its entry. A change that fails has no entry. Changes with the same `turn` run one after another in this
   * process. While they wait, they hold no connection to the storage.
   */
  readonly record: <A, E, R>(
    change: Effect.Effect<A, E, R>,
    recordOf: (result: A) => AuditRecord,
    turn?: string
  ) => Effect.Effect<A, E | StorageUnavailable, R>
  /** The entries of the businesses of a scope, newest first. Only the scope `"*"` includes the entries of the whole service. */
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
 * Makes changes of operators. Each change adds an entry to the record and, after the commit, a line to the log. Changes of one operator run
 * one after another: otherwise many of them would wait for the same row, such as the row of a business, and each would hold a connection
 * while it waits. First statements of a new connection to a cluster are slow, so many changes at once would be refused.
 */
export const auditing = Effect.map(AuditLog, ({ record }) =>
  Effect.fnUntraced(function*<A, E, R>(
    { clientId }: Principal,
    change: Effect.Effect<A, E, R>,
    draftOf: (result: A) => AuditDraft
  ) {
    const { address } = yield* RequestOrigin
    // The entry has the time after the change has waited for its locks (D21.1).
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

/** The function that {@link auditing} returns. */
export type Auditing = Effect.Success<typeof auditing>
