/**
 * Decides whether the sets of a file that its partner rejected are sent again (D23.6).
 *
 * Guarantee: a file is due once, however often it is requested before it is sent; only files that the present partner rejected are.
 */
import { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import { Result } from "effect"
import { EdiFileNotRejected } from "./EdiErrors.ts"
import type { EdiFile, EdiSet } from "./EdiFile.ts"
import { adviceKinds, dueLimit } from "./EdiPartner.ts"
import type { EdiState, EdiStep } from "./EdiStore.ts"

/** Decides whether a file is due again, and notes that it is due. */
export const resending = (file: Pick<EdiFile, "direction" | "id" | "sets">) =>
(
  { partner, sentFiles }: EdiState
): Result.Result<EdiStep<true>, EdiFileNotRejected | TooManyEntries> => {
  const { cursorId, due, nextGroup, nextInterchange, tells } = partner
  const refusal = (reason: string) => Result.fail(new EdiFileNotRejected({ id: String(file.id), reason }))
  if (file.direction !== "OUT") return refusal("it came from its partner")
  if (!sentFiles.some(({ id }) => id === file.id)) {
    return refusal("it was not sent, or its partner has been made anew or has changed its usage since")
  }
  if (!file.sets.some(isRejected)) return refusal("its partner has rejected none of its sets")
  if (tells.length === 0) return refusal("its partner is told nothing")
  const already = due.includes(file.id)
  if (!already && due.length >= dueLimit) {
    return Result.fail(
      new TooManyEntries({ what: "files that an EDI partner is told anew", limit: dueLimit })
    )
  }
  return Result.succeed({
    plan: already
      ? null
      : { cursorId, due: [...due, file.id], nextGroup, nextInterchange, file: null },
    answer: () => true
  })
}

/** Whether its partner rejected a set about a shipment. */
const isRejected = ({ kind, outcome }: EdiSet): boolean =>
  outcome === "REJECTED" && adviceKinds.some((adviceKind) => adviceKind === kind)
