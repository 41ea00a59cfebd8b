/**
 * What became of a group that was sent, or came, as a functional acknowledgment (997) tells it.
 */

/** What became of a set: accepted, accepted with errors noted, rejected. */
export type SetStatus = "A" | "E" | "R"

/** What became of a group: also partly accepted. */
export type GroupStatus = SetStatus | "P"

/** An error that the receiver of a set noted. */
export interface NotedError {
  /** The id of the segment; `""` for the set as a whole. */
  readonly segmentId: string
  /** The number of the segment in its set; ST is 1, and 0 stands for the set as a whole. */
  readonly segment: number
  /** The number of the element; 0 for the segment as a whole. */
  readonly element: number
  /** AK403; AK304 where the element is 0; AK502 of the set as a whole. */
  readonly code: string
  readonly value: string
}

/** What became of a set. */
export interface AcknowledgedSet {
  readonly id: string
  readonly control: string
  readonly status: SetStatus
  readonly errors: ReadonlyArray<NotedError>
}

/** What became of a group. */
export interface Acknowledgment {
  /** The kind of the group, such as `SH` (AK101). */
  readonly functionalId: string
  /** The control number of the group (AK102). */
  readonly control: string
  readonly status: GroupStatus
  readonly includedCount: number
  readonly receivedCount: number
  readonly acceptedCount: number
  /** The sets that are named: a group may be accepted without naming them. */
  readonly sets: ReadonlyArray<AcknowledgedSet>
}
