/**
 * Writes functional acknowledgments (997) of received groups: the outcome of each set, with the errors by segment and element.
 *
 * Guarantee: a set is accepted, accepted with errors noted, or rejected, and the counts of the group agree with its sets. An
 * acknowledgment is never acknowledged.
 */
import type * as Slices from "@dockline/core/input/Slices"
import { rulesOf } from "../x12/Dictionary.ts"
import { segment, segmentCodes, setCodes } from "../x12/Fault.ts"
import type { Fault, SegmentDraft } from "../x12/Fault.ts"
import type { FunctionalGroup } from "../x12/Interchange.ts"
import { plainText } from "../x12/X12Writer.ts"
import type { Release } from "../x12/X12Writer.ts"
import { groupStatusOf, statusOf } from "./SetStatus.ts"
import type { SetVerdict } from "./SetStatus.ts"

/** The number of segments of errors that fit. When it is used up, sets are answered without their errors, which remain on record. */
export interface ErrorRoom {
  remainder: number
}

/** Makes the room of an interchange of acknowledgments: some 300 kB of errors. */
export const errorRoom = (): ErrorRoom => ({ remainder: 10_000 })

type AnsweredGroup = Pick<
  FunctionalGroup,
  "functionalId" | "control" | "claimedSets" | "faults" | "version"
>

/** The cost of a set and of an error of it, in the unit of slices. */
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

/** The length of the part of a wrong value that is examined: a 997 repeats its first 99 characters. */
const valueLength = 400

const digits = (text: string, max: number): string => text.replace(/\D/g, "").slice(0, max) || "0"

/**
 * The codes of the faults of a set, up to five (AK502). A set of a rejected group has at least the code for segments in error.
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
