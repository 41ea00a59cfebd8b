/**
 * Partners with whom files of X12 are exchanged: their ids in envelopes, the facility for which they send, and the sets that they get
 * (D18.3).
 *
 * Guarantee: within a business, the ids of both sides of an envelope identify at most one partner.
 */
import type { Timestamp } from "@dockline/core/values/Timestamp"
import * as ViewField from "@dockline/core/values/ViewField"
import { Schema } from "effect"

/** The ids of a side in envelopes. */
export const EdiSide = Schema.Struct({
  qualifier: ViewField.text("What kind of id it is (ISA05, ISA07)"),
  id: ViewField.text("Id in interchanges (ISA06, ISA08)"),
  group: ViewField.text("Id in groups (GS02, GS03)")
}).annotate({
  identifier: "EdiSide",
  description: "The ids of a side in envelopes: theirs is the partner, ours the facility"
})

/** The ids of a side in envelopes. */
export type EdiSide = typeof EdiSide.Type

/** The sender or receiver of an interchange; its id has no padding spaces. */
export type EdiParty = Omit<EdiSide, "group">

/** The releases of X12 in which partners get sets. */
export const ediReleases = ["004010", "005010"] as const

/** The kinds of sets that are accepted: ship notices and warehouse orders. Acknowledgments (997) are always accepted. */
export const intakeKinds = ["856", "940"] as const

/** The kinds of sets about a departed shipment: a ship notice, a shipping advice, a receiving advice. */
export const adviceKinds = ["856", "945", "944"] as const

/** A kind of set about a departed shipment. */
export type AdviceKind = (typeof adviceKinds)[number]

/** The orders of its facility about which a partner is told: the orders that its own files created, or all orders. */
export const adviceScopes = ["OWN", "ALL"] as const

/** Production, and tests. */
export const ediUsages = ["P", "T"] as const

/** A unit code (data element 355), and the unit that a partner means by it. */
export const EdiUnit = Schema.Struct({
  code: ViewField.text("The code that it sends, such as LB"),
  unit: ViewField.text("The unit of documents that it means, such as UNIT")
}).annotate({ identifier: "EdiUnit", description: "The unit for a code of a partner" })

/** A code of a unit, and its meaning to a partner. */
export type EdiUnit = typeof EdiUnit.Type

/** The purposes of ship notices (BSN01) that a partner may use for a new notice in addition to 00. */
export const ediNewPurposes = ["06", "07", "14", "15", "18", "22", "ZZ"] as const

/** The agreement with a partner by which files are read and written. */
export interface EdiTerms {
  /** The slugs of the business and of the facility with which the partner exchanges files. */
  readonly business: string
  readonly facility: string
  readonly theirs: EdiSide
  readonly ours: EdiSide
  /** The release in which the partner gets sets. The partner may send any release from 4010 to 5010. */
  readonly release: (typeof ediReleases)[number]
  /** `P` in production, `T` while the exchange is tested. An interchange with the other usage is refused. */
  readonly usage: (typeof ediUsages)[number]
  /** The kinds of sets that are accepted from the partner, such as `856`; acknowledgments (997) always are. */
  readonly takes: ReadonlyArray<string>
  /** The kinds of sets that the partner gets about shipments. */
  readonly tells: ReadonlyArray<AdviceKind>
}

/** The settings of a partner that may change. */
export interface EdiPartnerChange extends Omit<EdiTerms, "business" | "facility"> {
  /** Its name for people. */
  readonly name: string
  readonly tellsOf: (typeof adviceScopes)[number]
  /** The units that the partner means by unit codes. They take precedence over the meanings in X12 (D23.5). */
  readonly units: ReadonlyArray<EdiUnit>
  /** The purposes of ship notices that mean a new notice, in addition to 00 (D23.3). */
  readonly newPurposes: ReadonlyArray<string>
}

/** A partner. */
export interface EdiPartner extends EdiPartnerChange, EdiTerms {
  /** Its name in addresses, unique within the business. */
  readonly slug: string
  /**
   * Identifies the partner within its business, and distinguishes it from deleted partners with the same slug. The entities that its files
   * create belong to this key (D23.2), whatever its settings are.
   */
  readonly key: string
  /** The control numbers of the next interchange (ISA13) and of the next group (GS06) to the partner. */
  readonly nextInterchange: number
  readonly nextGroup: number
  /** The partner still has to be told about departures after this message of the log. */
  readonly cursorId: number
  /** The ids of rejected files that have to be sent again, the oldest request first (D23.6). */
  readonly due: ReadonlyArray<number>
  readonly createdAt: Timestamp
}

/** The most partners of a business. */
export const partnerLimit = 1000

/** The most files of a partner that wait to be sent again. */
export const dueLimit = 1000

/** The highest control number. The next number after it is 1. */
export const lastControl = 999_999_999

/** The control number that is `count` numbers after `control`. */
export const controlAfter = (control: number, count: number): number =>
  (control - 1 + count) % lastControl + 1

/** Whether an interchange is between the sides of a partner. */
export const isBetween = (
  { ours, theirs }: Pick<EdiTerms, "ours" | "theirs">,
  sender: EdiParty,
  receiver: EdiParty
): boolean => isParty(theirs, sender) && isParty(ours, receiver)

const isParty = (side: EdiParty, party: EdiParty): boolean =>
  side.qualifier === party.qualifier && side.id === party.id
