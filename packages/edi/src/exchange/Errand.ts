/**
 * Why a partner is told of a shipment: as it departed, or anew, as the partner rejected what told of it (D23.6).
 *
 * Guarantee: an errand ends in the transaction that stores what it tells, so that whoever comes later finds it done.
 */
import { Result } from "effect"
import type { EdiPartner } from "../domain/EdiPartner.ts"
import type { EdiPlan, EdiState, EdiStep } from "../domain/EdiStore.ts"

/** A reason to tell a partner of a shipment. */
export interface Errand {
  /** Whether nobody has done it yet. */
  readonly isOpen: (partner: EdiPartner) => boolean
  /** What its end changes of the partner. */
  readonly end: (partner: EdiPartner) => Pick<EdiPlan, "cursorId" | "due">
}

/** To tell of a departure, the next one after a cursor. */
export const departure = (cursorId: number, messageId: number): Errand => ({
  isOpen: (partner) => partner.cursorId === cursorId,
  end: () => ({ cursorId: messageId })
})

/** To tell anew of what a file told. */
export const resending = (fileId: number): Errand => ({
  isOpen: ({ due }) => due.includes(fileId),
  end: ({ cursorId, due }) => ({ cursorId, due: due.filter((id) => id !== fileId) })
})

/** A step that changes nothing. */
export const unchanged = <A>(answer: A): Result.Result<EdiStep<A>, never> =>
  Result.succeed({ plan: null, answer: () => answer })

/** Ends an errand, and tells nothing. */
export const ending = <A>(
  partner: EdiPartner,
  errand: Errand,
  answer: A
): Result.Result<EdiStep<A>, never> => {
  const { nextGroup, nextInterchange } = partner
  return Result.succeed({
    plan: { ...errand.end(partner), nextGroup, nextInterchange, file: null },
    answer: () => answer
  })
}

/** What an errand comes to where nothing is told at once: somebody else has done it, it is done, or the partner is to be told. */
export type ErrandResult = "lost" | "passed" | { readonly partner: EdiPartner }

/** Looks whether a partner is to be told, and ends the errand if it is not. */
export const endUnlessDue = (errand: Errand, isTold: (state: EdiState) => boolean) =>
(
  state: EdiState
): Result.Result<EdiStep<ErrandResult>, never> => {
  const { partner } = state
  if (!errand.isOpen(partner)) return unchanged("lost")
  return isTold(state) ? unchanged({ partner }) : ending(partner, errand, "passed")
}
