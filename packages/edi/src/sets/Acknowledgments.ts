/**
 * Writes functional acknowledgments (997) of received groups, with the outcome of each set and its errors by segment and element. Reads the
 * functional acknowledgments of groups that were sent.
 *
 * Guarantee: a set is accepted, accepted with errors noted, or rejected. In a written acknowledgment, the counts of received and of
 * accepted sets agree with the sets; the count of included sets is copied from GE. An acknowledgment is never acknowledged, so elements
 * that the reader does not understand are noted on the record of the file. An unreadable acknowledgment is rejected.
 * `exchange/InterchangeAnswer` checks whether an acknowledgment contradicts itself or the group.
 */
import type * as Slices from "@dockline/core/input/Slices"
import { rulesOf } from "../x12/Dictionary.ts"
import { elementCodes, elementOf, segment, segmentCodes, setCodes } from "../x12/Fault.ts"
import type { Fault, Segment, SegmentDraft, SetFaults } from "../x12/Fault.ts"
import type { FunctionalGroup, TransactionSet } from "../x12/Interchange.ts"
import { plainText } from "../x12/X12Writer.ts"
import type { Release } from "../x12/X12Writer.ts"
import { groupStatusOf, readingOf, SetContent, statusOf } from "./SetContent.ts"
import type {
  AcknowledgedSet,
  Acknowledgment,
  Aside,
  NotedError,
  SetReading,
  SetStatus,
  SetVerdict
} from "./SetContent.ts"

/**
 * The number of further error segments that an interchange may have. At 0, sets are acknowledged without their errors, which remain on
 * record.
 */
export interface ErrorRoom {
  remainder: number
}

/** The error segments allowed in an interchange of acknowledgments: about 300 kB. */
export const errorRoom = (): ErrorRoom => ({ remainder: 10_000 })

type AnsweredGroup = Pick<
  FunctionalGroup,
  "functionalId" | "control" | "claimedSets" | "faults" | "version"
>

/** The costs of a set and of an error, in the unit of slices. */
const [setCost, errorCost] = [10, 50]

/** Writes the segments of the acknowledgment of a group in steps. */
export function* acknowledgeSteps(
  group: AnsweredGroup,
  sets: ReadonlyArray<SetVerdict>,
  release: Release,
  room: ErrorRoom
): Slices.Steps<ReadonlyArray<SegmentDraft>> {
  const segments = [segment(
    "AK1",
    plainText(group.functionalId, 2).padEnd(2, "X"),
    digits(group.control, 9),
    // From release 5010 on, an acknowledgment names the version.
    ...(release === "005010" ? [plainText(group.version, 12)] : [])
  )]
  const isRejected = group.faults.length > 0
  const statuses = sets.map(({ faults }) => isRejected ? "R" : statusOf(faults))
  for (const [index, { control, faults, id }] of sets.entries()) {
    const errors = room.remainder === 0 ? [] : segmentErrors(faults).slice(0, room.remainder)
    room.remainder -= errors.length
    yield setCost + errorCost * errors.length
    segments.push(
      segment("AK2", plainText(id, 3).padEnd(3, "0"), plainText(control, 9).padStart(4, "0")),
      ...errors,
      segment("AK5", statuses[index] ?? "R", ...codesOf(faults, isRejected))
    )
  }
  const counts = [group.claimedSets, sets.length, statuses.filter((status) => status !== "R").length]
  segments.push(segment(
    "AK9",
    groupStatusOf(statuses, group.faults),
    ...counts.map(String),
    ...Array.from(new Set(group.faults.map(({ code }) => code))).slice(0, 5)
  ))
  return segments
}

/** The length of the part of a wrong value that is cleaned for a 997, which repeats its first 99 characters. */
const valueLength = 400

const digits = (text: string, max: number): string => text.replace(/\D/g, "").slice(0, max) || "0"

/**
 * The codes of the faults of a set, at most five (AK502 to AK506). A set of a rejected group has at least the code for segments in error.
 */
const codesOf = (faults: ReadonlyArray<Fault>, isRejected: boolean): ReadonlyArray<string> => {
  const codes = new Set(faults.map(({ code, scope }) => scope === "SET" ? code : setCodes.segments))
  if (isRejected) codes.add(setCodes.segments)
  return Array.from(codes).slice(0, 5)
}

/** The errors of segments: AK3 with an AK4 for each element, in the order of the set. */
const segmentErrors = (faults: ReadonlyArray<Fault>): ReadonlyArray<SegmentDraft> => {
  const bySegment = Map.groupBy(
    faults.filter(({ inSet, scope }) => scope === "SEGMENT" && inSet > 0),
    ({ inSet }) => inSet
  )
  return Array.from(bySegment).sort(([left], [right]) => left - right).flatMap(([inSet, ofSegment]) => {
    const elements = ofSegment.filter(({ element }) => element > 0)
    const whole = ofSegment.find(({ element }) => element === 0)
    const id = plainText(ofSegment[0]?.segmentId ?? "", 3).padEnd(2, "X")
    return [
      segment("AK3", id, String(inSet), "", whole?.code ?? segmentCodes.elements),
      ...elements.map(({ code, element, segmentId, value }) =>
        segment(
          "AK4",
          String(element),
          rulesOf(segmentId)?.[element - 1]?.reference ?? "",
          code,
          plainText(value.slice(0, valueLength), 99)
        )
      )
    ]
  })
}

/** The codes of receivers for the outcome of a set. M, W and X are rejections for reasons of security. */
const statusByCode: Readonly<Record<string, SetStatus>> = { A: "A", E: "E", R: "R", M: "R", W: "R", X: "R" }

/** The elements of an acknowledgment that are skipped: references to loops and data elements, and the versions that 5010 adds. */
const acknowledgmentAsides: ReadonlyMap<string, Aside> = new Map<string, Aside>([
  ["AK1", [3]],
  ["AK2", [3]],
  ["AK3", [3]],
  ["AK4", [2]]
])

/** The code of AK502 that only states that segments have errors. AK3 and AK4 name the segments. */
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
        const status = statusByCode[content.text(segment, 1)]
        if (open === undefined || status === undefined) unread(segment, 1, faults)
        else sets.push({ ...open, errors: [...open.errors, ...setErrors(segment, content)], status })
        open = undefined
        ak3 = undefined
      }
    }
  }
  if (open !== undefined) missing(last ?? head, "AK5", "behind each AK2", faults)
  const code = last?.id === "AK9" ? content.text(last, 1) : ""
  const status = code === "P" ? code : statusByCode[code]
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
