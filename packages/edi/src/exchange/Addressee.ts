/**
 * Finds the partner of an interchange, and judges the ids of its groups.
 *
 * Guarantee: an interchange belongs to the one partner whose ids it has as its sender, with our ids as its receiver. Any other is refused.
 */
import { Result } from "effect"
import { isBetween } from "../domain/EdiPartner.ts"
import type { EdiTerms } from "../domain/EdiPartner.ts"
import { faultOf, groupCodes, interchangeCodes, isaFault } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { FunctionalGroup, Interchange } from "../x12/Interchange.ts"

/** The partner to which an interchange belongs, among some partners, or the reason why it is refused. */
export const addresseeOf = <Of extends { readonly partner: EdiTerms }>(
  { receiver, sender, usage }: Interchange,
  matches: ReadonlyArray<Of>
): Result.Result<Of, Fault> => {
  const [addressee, ...others] = matches.filter(({ partner }) => isBetween(partner, sender, receiver))
  const sends = `${sender.qualifier}/${sender.id}`
  if (addressee === undefined) {
    const detail = `no partner sends as ${sends} to ${receiver.qualifier}/${receiver.id}`
    return isaRefusal(
      6,
      sender.id,
      detail,
      "Send the qualifiers and ids that were agreed on in ISA05 to ISA08."
    )
  }
  if (others.length > 0) {
    const detail = `several businesses that the client may send to have a partner ${sends}`
    return isaRefusal(6, sender.id, detail, "Name the business with the file, as in ?business=acme.")
  }
  const { partner } = addressee
  if (usage === partner.usage) return Result.succeed(addressee)
  const [actual, expected] = [
    usage === "T" ? "a test" : usage,
    partner.usage === "T" ? "tests" : "production"
  ]
  const detail = `the interchange is ${actual}, and the partner is in ${expected}`
  return isaRefusal(15, usage, detail, `Send ${partner.usage}.`)
}

const isaRefusal = (element: number, value: string, detail: string, remedy: string) =>
  Result.fail(isaFault({ element, code: interchangeCodes.structure, value, detail, remedy }))

/** A group with the fault that it is not between the partner and us. */
export const checkSides = (group: FunctionalGroup, { ours, theirs }: EdiTerms): FunctionalGroup => {
  const isSent = group.sender === theirs.group
  if (isSent && group.receiver === ours.group) return group
  const fault = faultOf(group.head, {
    scope: "GROUP",
    element: isSent ? 3 : 2,
    code: groupCodes.number,
    detail: `the group is of ${group.sender} for ${group.receiver}`,
    remedy: `Send ${theirs.group} in GS02 and ${ours.group} in GS03.`
  })
  return { ...group, faults: [...group.faults, fault] }
}
