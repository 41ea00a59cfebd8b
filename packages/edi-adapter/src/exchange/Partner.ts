/**
 * Finds the partner of an interchange, and judges the ids of its groups.
 *
 * Guarantee: an interchange is of the one partner whose ids it has, as its sender, and ours, as its receiver. Any other is refused.
 */
import { isBetween } from "@dockline/core/EdiPartner"
import type { EdiTerms } from "@dockline/core/EdiPartner"
import { Result } from "effect"
import { faultOf, groupCodes, interchangeCodes } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { FunctionalGroup, Interchange } from "../x12/Interchange.ts"

/** Whose of some an interchange is, or why it is refused. */
export const addresseeOf = <Of extends { readonly partner: EdiTerms }>(
  { receiver, sender, usage }: Interchange,
  found: ReadonlyArray<Of>
): Result.Result<Of, Fault> => {
  const [addressee, ...others] = found.filter(({ partner }) => isBetween(partner, sender, receiver))
  if (addressee === undefined) {
    return Result.fail(refused(
      6,
      sender.id,
      `no partner sends as ${sender.qualifier}/${sender.id} to ${receiver.qualifier}/${receiver.id}`,
      "Send the qualifiers and ids that were agreed on in ISA05 to ISA08."
    ))
  }
  if (others.length > 0) {
    return Result.fail(refused(
      6,
      sender.id,
      `several businesses that the client may send to have a partner ${sender.qualifier}/${sender.id}`,
      "Send it as a client of one business."
    ))
  }
  const { partner } = addressee
  if (usage === partner.usage) return Result.succeed(addressee)
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
export const ofPartner = (group: FunctionalGroup, { ours, theirs }: EdiTerms): FunctionalGroup => {
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
