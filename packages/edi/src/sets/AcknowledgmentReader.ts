/**
 * Reads functional acknowledgments (997) of groups that were sent.
 *
 * Guarantee: for each set, an acknowledgment states whether it was accepted. An unreadable acknowledgment is rejected, and elements that
 * the reader does not understand are noted on the record of the file, because no acknowledgment is acknowledged. Whether it agrees with
 * itself and with the group is judged where the group is known (exchange/InterchangeAnswer).
 */
import type * as Slices from "@dockline/core/input/Slices"
import { elementCodes, elementOf, segmentCodes } from "../x12/Fault.ts"
import type { Segment, SetFaults } from "../x12/Fault.ts"
import type { TransactionSet } from "../x12/Interchange.ts"
import { readingOf, SetContent } from "./SetContent.ts"
import type { Aside, SetReading } from "./SetContent.ts"
import type { AcknowledgedSet, Acknowledgment, NotedError, SetStatus } from "./SetStatus.ts"

/** The codes of receivers for the outcome of a set; M, W and X reject it for its security. */
const statuses: Readonly<Record<string, SetStatus>> = { A: "A", E: "E", R: "R", M: "R", W: "R", X: "R" }

/**
 * The parts of an acknowledgment that are skipped: references to loops and data elements, and the versions and contexts that 5010 adds.
 */
const acknowledgmentAsides: ReadonlyMap<string, Aside> = new Map<string, Aside>([
  ["AK1", [3]],
  ["AK2", [3]],
  ["AK3", [3]],
  ["AK4", [2]]
])

/** The code of AK502 which only says that segments are at fault; AK3 and AK4 name them. */
const inSegments = "5"

/** A set while it is being read. */
interface OpenSet extends Pick<AcknowledgedSet, "id" | "control"> {
  readonly errors: Array<NotedError>
}

/** Reads a functional acknowledgment whose envelope has no faults. */
export function* readAcknowledgment(
  { head, segments }: TransactionSet,
  version: string
): Slices.Steps<SetReading> {
  const content = new SetContent(segments, version, acknowledgmentAsides)
  const { faults } = content
  yield* content.judge()
  const sets: Array<AcknowledgedSet> = []
  let open: OpenSet | undefined
  let ak3: Segment | undefined
  const last = segments.at(-1)
  const first = segments[0]
  if (first?.id !== "AK1") missing(first ?? head, "AK1", "behind ST", faults)
  if (last?.id !== "AK9") missing(last ?? head, "AK9", "before SE", faults)
  for (const segment of segments) {
    yield 1
    switch (segment.id) {
      case "AK2":
        if (open !== undefined) missing(segment, "AK5", "behind each AK2", faults)
        open = { id: content.text(segment, 1), control: content.text(segment, 2), errors: [] }
        ak3 = undefined
        break
      case "AK3":
        ak3 = open === undefined ? undefined : segment
        if (open !== undefined) {
          content.read(segment, 1, 2, 4)
          open.errors.push(errorOf(segment, 0, elementOf(segment, 4), ""))
        }
        break
      case "AK4":
        if (ak3 !== undefined) {
          content.read(segment, 1, 3, 4)
          const place = Number(/^\d+/.exec(elementOf(segment, 1))?.[0] ?? 0)
          open?.errors.push(errorOf(ak3, place, elementOf(segment, 3), elementOf(segment, 4)))
        }
        break
      case "AK5": {
        const status = statuses[content.text(segment, 1)]
        if (open === undefined || status === undefined) unread(segment, 1, faults)
        else sets.push({ ...open, errors: [...open.errors, ...setErrors(segment, content)], status })
        open = undefined
        ak3 = undefined
      }
    }
  }
  if (open !== undefined) missing(last ?? head, "AK5", "behind each AK2", faults)
  const code = last?.id === "AK9" ? content.text(last, 1) : ""
  const status = code === "P" ? code : statuses[code]
  if (status === undefined && last?.id === "AK9") unread(last, 1, faults)
  if (first === undefined || last === undefined || status === undefined) {
    return yield* readingOf(undefined, content)
  }
  const [includedCount = 0, receivedCount = 0, acceptedCount = 0] = [2, 3, 4].map((place) =>
    Number(content.text(last, place))
  )
  const [functionalId, control] = [content.text(first, 1), content.text(first, 2)]
  const acknowledgment: Acknowledgment = {
    functionalId,
    control,
    status,
    includedCount,
    receivedCount,
    acceptedCount,
    sets
  }
  return yield* readingOf({ _tag: "Acknowledged", acknowledgment }, content)
}

/** The errors of a set as a whole (AK502 to AK506). */
const setErrors = (ak5: Segment, content: SetContent): ReadonlyArray<NotedError> =>
  [2, 3, 4, 5, 6].flatMap((place) => {
    const code = content.text(ak5, place)
    return code === "" || code === inSegments
      ? []
      : [{ segmentId: "", segment: 0, element: 0, code, value: "" }]
  })

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
