/**
 * Entries of the record of what operators change (D13.8).
 */
import type * as Timestamp from "../values/Timestamp.ts"

/** What operators do. */
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

/** Something that operators do: what the contract has, or any that a capability adds to it. */
export type AuditAction = (typeof auditActions)[number] | (string & {})

/** What was changed. */
export interface AuditDraft {
  readonly action: AuditAction
  /** The slug of the one business that the change is about; `"*"` for the whole service, and for several businesses. */
  readonly business: string
  /** What was changed, as its path below `/v1/operator`. */
  readonly subject: string
  /** What was set, without secrets. */
  readonly details: Readonly<Record<string, unknown>>
}

/** A change by an operator: its subject, its time, its client and the client's address. */
export interface AuditRecord extends AuditDraft {
  /** The time of a clock that was given; `null` for that of the storage. */
  readonly at: Timestamp.Timestamp | null
  /** The id of the client. */
  readonly clientId: string
  /** The address of the client; `""` where nobody knows. */
  readonly address: string
}

/** An entry of the record. */
export interface AuditEntry extends AuditRecord {
  readonly id: number
  readonly at: Timestamp.Timestamp
}
