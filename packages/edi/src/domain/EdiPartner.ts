/**
 * Partners with whom files of X12 are exchanged: who they are in envelopes, for which facility they send, and what they are told
 * (D18.3).
 *
 * Guarantee: within a business an envelope names one partner at most, by the ids of both sides.
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
  description: "Who a side is in envelopes: theirs is the partner, ours the facility"
})

/** The ids of a side in envelopes. */
export type EdiSide = typeof EdiSide.Type

/** Who sends or gets an interchange; its id is without the spaces that fill it up. */
export type EdiParty = Omit<EdiSide, "group">

/** The releases in which partners are told. */
export const ediReleases = ["004010", "005010"] as const

/** The kinds of sets that are taken: ship notices and warehouse orders. Acknowledgments (997) always are. */
export const intakeKinds = ["856", "940"] as const

/** The kinds of sets that are told of a shipment that departed: a ship notice, a shipping advice, a receiving advice. */
export const adviceKinds = ["856", "945", "944"] as const

/** A kind of set that is told. */
export type AdviceKind = (typeof adviceKinds)[number]

/** Which orders of its facility a partner is told of: those that its own files have made, or all. */
export const adviceScopes = ["OWN", "ALL"] as const

/** Production, and tests. */
export const ediUsages = ["P", "T"] as const

/** A code of a unit (data element 355) and the unit that a partner means by it. */
export const EdiUnit = Schema.Struct({
  code: ViewField.text("The code that it sends, such as LB"),
  unit: ViewField.text("The unit of documents that it means, such as UNIT")
}).annotate({ identifier: "EdiUnit", description: "What a partner means by the code of a unit" })

/** A code of a unit, and what a partner means by it. */
export type EdiUnit = typeof EdiUnit.Type

/** The purposes of ship notices (BSN01) that a partner may mean as a new notice, beside 00. */
export const ediNewPurposes = ["06", "07", "14", "15", "18", "22", "ZZ"] as const

/** What is agreed on with a partner, as files are read and written by it. */
export interface EdiTerms {
  /** The slugs of the business and the facility for which it sends, and which tells it of shipments. */
  readonly business: string
  readonly facility: string
  readonly theirs: EdiSide
  readonly ours: EdiSide
  /** The release that it gets. It may send any from 4010 to 5010. */
  readonly release: (typeof ediReleases)[number]
  /** `P` in production, `T` while the exchange is tried: what comes as the other is refused. */
  readonly usage: (typeof ediUsages)[number]
  /** The kinds of sets that are taken from it, such as `856`; acknowledgments (997) always are. */
  readonly takes: ReadonlyArray<string>
  /** The kinds of sets that it is told of shipments. */
  readonly tells: ReadonlyArray<AdviceKind>
}

/** The settings of a partner that may change. */
export interface EdiPartnerChange extends Omit<EdiTerms, "business" | "facility"> {
  /** Its name for people. */
  readonly name: string
  readonly tellsOf: (typeof adviceScopes)[number]
  /** What it means by the codes of units: they come before what X12 says (D23.5). */
  readonly units: ReadonlyArray<EdiUnit>
  /** The purposes of ship notices that are new ones, beside 00 (D23.3). */
  readonly newPurposes: ReadonlyArray<string>
}

/** A partner. */
export interface EdiPartner extends EdiPartnerChange, EdiTerms {
  /** Its name in addresses, unique within the business. */
  readonly slug: string
  /**
   * Identifies the partner within its business, also among earlier partners with its slug. What its files make belongs to this key (D23.2),
   * whatever its settings are.
   */
  readonly key: string
  /** The control numbers of the next interchange (ISA13) and of the next group (GS06) that it gets. */
  readonly nextInterchange: number
  readonly nextGroup: number
  /** It is told of what departed after this message of the log. */
  readonly cursorId: number
  /** The ids of files that it rejected and that are to be sent again, the oldest request first (D23.6). */
  readonly due: ReadonlyArray<number>
  readonly createdAt: Timestamp
}

/** The most partners of a business. */
export const partnerLimit = 1000

/** The most files that wait to be sent to a partner again. */
export const dueLimit = 1000

/** The highest control number; 1 follows it. */
export const lastControl = 999_999_999

/** The control number that is `count` numbers after one. */
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
