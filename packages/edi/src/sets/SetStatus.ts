/**
 * The outcomes of a set and of a group, sent or received, as a functional acknowledgment (997) reports them.
 */
import type { Fault } from "../x12/Fault.ts"
import type { TransactionSet } from "../x12/Interchange.ts"

/** The outcome of a set: accepted, accepted with errors noted, rejected. */
export type SetStatus = "A" | "E" | "R"

/** The outcome of a group, which may also be partly accepted. */
export type GroupStatus = SetStatus | "P"

/** An error that the receiver of a set noted. */
export interface NotedError {
  /** The id of the segment; `""` for the set as a whole. */
  readonly segmentId: string
  /** The number of the segment in its set; ST is 1, and 0 stands for the set as a whole. */
  readonly segment: number
  /** The number of the element; 0 for the segment as a whole. */
  readonly element: number
  /** AK403; AK304 if the element is 0; AK502 for the set as a whole. */
  readonly code: string
  readonly value: string
}

/** The acknowledgment of a set. */
export interface AcknowledgedSet {
  readonly id: string
  readonly control: string
  readonly status: SetStatus
  readonly errors: ReadonlyArray<NotedError>
}

/** The acknowledgment of a group. */
export interface Acknowledgment {
  /** The kind of the group, such as `SH` (AK101). */
  readonly functionalId: string
  /** The control number of the group (AK102). */
  readonly control: string
  readonly status: GroupStatus
  readonly includedCount: number
  readonly receivedCount: number
  readonly acceptedCount: number
  /** The sets that the acknowledgment names. It may accept a group without naming its sets. */
  readonly sets: ReadonlyArray<AcknowledgedSet>
}

/** The kind of groups of acknowledgments, which are not answered. */
export const acknowledgmentGroup = "FA"

/** A set with its faults. The set is rejected if any fault is not merely noted. */
export type SetVerdict = Pick<TransactionSet, "id" | "control" | "faults">

/** The outcome of a set with these faults. */
export const statusOf = (faults: ReadonlyArray<Fault>): SetStatus =>
  faults.length === 0 ? "A" : faults.every(({ isNoted }) => isNoted) ? "E" : "R"

/** The outcome of a group with sets of these outcomes. A group with a fault of its own is rejected with all its sets. */
export const groupStatusOf = (
  statuses: ReadonlyArray<SetStatus>,
  faults: ReadonlyArray<Fault>
): GroupStatus => {
  const rejections = statuses.filter((status) => status === "R").length
  if (faults.length > 0 || (rejections > 0 && rejections === statuses.length)) return "R"
  if (rejections > 0) return "P"
  return statuses.includes("E") ? "E" : "A"
}
