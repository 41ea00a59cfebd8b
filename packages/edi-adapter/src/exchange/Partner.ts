/**
 * Partners with whom files are exchanged: who they are in envelopes, and for which facility they send.
 *
 * Guarantee: an interchange is of the one partner whose ids it has, as its sender, and ours, as its receiver. Any other is refused.
 */
import { Result } from "effect"
import { faultOf, groupCodes, interchangeCodes } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { FunctionalGroup, Interchange, Party } from "../x12/Interchange.ts"
import type { Release } from "../x12/X12Writer.ts"

/** The ids of a side in envelopes. */
export interface Side extends Party {
  /** Its id in groups (GS02, GS03). */
  readonly group: string
}

/** The sets that are told of a shipment that departed: a ship notice, a shipping advice, a receiving advice. */
export type ToldSet = "856" | "945" | "944"

/** A partner. */
export interface Partner {
  /** The slugs of the business and the facility for which it sends, and which tells it of shipments. */
  readonly business: string
  readonly facility: string
  readonly theirs: Side
  readonly ours: Side
  /** The release that it gets. It may send any from 4010 to 5010. */
  readonly release: Release
  /** `P` in production, `T` while the exchange is tried: what comes as the other is refused. */
  readonly usage: "P" | "T"
  /** The kinds of sets that are taken from it, such as `856`; acknowledgments (997) always are. */
  readonly takes: ReadonlyArray<string>
  /** The kinds of sets that it is told of shipments. */
  readonly tells: ReadonlyArray<ToldSet>
}

const isSide = (party: Party, side: Side): boolean =>
  party.qualifier === side.qualifier && party.id === side.id

/** The partner of an interchange, or why it is refused. */
export const partnerOf = (
  { receiver, sender, usage }: Interchange,
  partners: ReadonlyArray<Partner>
): Result.Result<Partner, Fault> => {
  const partner = partners.find(({ ours, theirs }) => isSide(sender, theirs) && isSide(receiver, ours))
  if (partner === undefined) {
    return Result.fail(refused(
      6,
      sender.id,
      `no partner sends as ${sender.qualifier}/${sender.id} to ${receiver.qualifier}/${receiver.id}`,
      "Send the qualifiers and ids that were agreed on in ISA05 to ISA08."
    ))
  }
  if (usage === partner.usage) return Result.succeed(partner)
  const [given, agreed] = [usage === "T" ? "a test" : usage, partner.usage === "T" ? "tests" : "production"]
  return Result.fail(
    refused(
      15,
      usage,
      `the interchange is ${given}, and the partner is in ${agreed}`,
      `Send ${partner.usage}.`
    )
  )
}

const refused = (element: number, value: string, detail: string, remedy: string): Fault =>
  faultOf({ id: "ISA", position: 1, inSet: 0 }, {
    scope: "INTERCHANGE",
    element,
    code: interchangeCodes.structure,
    value,
    detail,
    remedy
  })

/** A group with the fault that it is not between the partner and us. */
export const ofPartner = (group: FunctionalGroup, { ours, theirs }: Partner): FunctionalGroup => {
  const isSent = group.sender === theirs.group
  if (isSent && group.receiver === ours.group) return group
  const fault = faultOf(group.head, {
    scope: "GROUP",
    element: isSent ? 3 : 2,
    code: groupCodes.number,
    value: isSent ? group.receiver : group.sender,
    detail: `the group is of ${group.sender} for ${group.receiver}`,
    remedy: `Send ${theirs.group} in GS02 and ${ours.group} in GS03.`
  })
  return { ...group, faults: [...group.faults, fault] }
}
