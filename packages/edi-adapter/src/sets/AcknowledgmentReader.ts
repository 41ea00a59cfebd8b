/**
 * Reads functional acknowledgments (997): what became of a group that was sent.
 *
 * Guarantee: an acknowledgment says for each set whether it was taken; what contradicts itself is rejected.
 */
import type * as Slices from "@dockline/core/internal/input/Slices"
import * as Dictionary from "../x12/Dictionary.ts"
import { elementCodes, segmentCodes, SetFaults } from "../x12/Fault.ts"
import type { TransactionSet } from "../x12/Interchange.ts"
import { elementOf } from "../x12/Segment.ts"
import type { Segment } from "../x12/Segment.ts"
import type { AcknowledgedSet, NotedError, SetStatus } from "./Acknowledgment.ts"
import { readingOf } from "./Meaning.ts"
import type { SetReading } from "./Meaning.ts"

/** The words of receivers for what became of a set: M, W and X are rejected for their security. */
const statuses: Readonly<Record<string, SetStatus>> = { A: "A", E: "E", R: "R", M: "R", W: "R", X: "R" }

/** Reads a functional acknowledgment whose envelope has no faults. */
export function* readAcknowledgment(
  { head, segments }: TransactionSet,
  version: string
): Slices.Steps<SetReading> {
  const faults = new SetFaults()
  const sets: Array<AcknowledgedSet> = []
  let open: { id: string; control: string; errors: Array<NotedError> } | undefined
  let ak3: Segment | undefined
  const last = segments.at(-1)
  const first = segments[0]
  if (first?.id !== "AK1") missing(first ?? head, "AK1", "behind ST", faults)
  if (last?.id !== "AK9") missing(last ?? head, "AK9", "before SE", faults)
  for (const segment of segments) {
    yield Dictionary.judgeCost
    Dictionary.judgeSegment(segment, version, faults)
    switch (segment.id) {
      case "AK2":
        open = { id: elementOf(segment, 1), control: elementOf(segment, 2), errors: [] }
        break
      case "AK3":
        ak3 = segment
        open?.errors.push(errorOf(segment, 0, elementOf(segment, 4), ""))
        break
      case "AK4":
        if (ak3 !== undefined) {
          const place = Number(/^\d+/.exec(elementOf(segment, 1))?.[0] ?? 0)
          open?.errors.push(errorOf(ak3, place, elementOf(segment, 3), elementOf(segment, 4)))
        }
        break
      case "AK5": {
        const status = statuses[elementOf(segment, 1)]
        if (open === undefined || status === undefined) unread(segment, 1, faults)
        else sets.push({ ...open, status })
        open = undefined
        ak3 = undefined
      }
    }
  }
  if (open !== undefined) missing(last ?? head, "AK5", "behind each AK2", faults)
  const code = last === undefined ? "" : elementOf(last, 1)
  const status = code === "P" ? code : statuses[code]
  if (status === undefined && last?.id === "AK9") unread(last, 1, faults)
  if (first === undefined || last === undefined || status === undefined) return readingOf(undefined, faults)
  const [included = 0, received = 0, accepted = 0] = [2, 3, 4].map((place) => Number(elementOf(last, place)))
  const [functionalId, control] = [elementOf(first, 1), elementOf(first, 2)]
  return readingOf({
    _tag: "Acknowledged",
    acknowledgment: { functionalId, control, status, included, received, accepted, sets }
  }, faults)
}

const errorOf = (ak3: Segment, element: number, code: string, value: string): NotedError => ({
  segmentId: elementOf(ak3, 1),
  segment: Number(elementOf(ak3, 2)),
  element,
  code,
  value
})

const missing = (at: Segment, id: string, where: string, faults: SetFaults): void =>
  faults.add(at, { code: segmentCodes.missing, detail: `${id} is missing`, remedy: `Send ${id} ${where}.` })

const unread = (segment: Segment, element: number, faults: SetFaults): void =>
  faults.add(segment, {
    element,
    code: elementCodes.code,
    detail: "the code says nothing of a set that was sent",
    remedy: "Send A, E, R, or P for a group, behind AK2."
  })
