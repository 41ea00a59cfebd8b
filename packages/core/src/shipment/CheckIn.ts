/**
 * The check-in of a shipment: which steps of its truck at the gate and in the yard were noted, and when (D17.3). Check-ins stand
 * beside the status of the shipment: a truck that waits in the yard has not arrived at a dock, and none departs by checking out.
 *
 * Guarantee: steps go forward only, though a step may be left out, and the time of a step is that of its first note. Another door
 * may be assigned until the truck checks out: the time of DOOR_ASSIGNED is when the present door was assigned, and never goes back.
 * A check-in does not change the dock afterwards; a document still may, as of any shipment (D3.7).
 */
import { Result } from "effect"
import { InvalidRequest, InvalidTransition } from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { checkInSteps } from "../values/Vocabulary.ts"
import type { CheckInStep } from "../values/Vocabulary.ts"
import { timeAfter, timeBefore } from "./ReportedTime.ts"
import type { ReportedTimeSettings } from "./ReportedTime.ts"
import type { Dock, ShipmentDraft } from "./Shipment.ts"

/** A step of a check-in that is to be noted. */
export interface CheckInNote {
  readonly step: CheckInStep
  /** When the step was; when it is noted unless given. */
  readonly occurredAt?: Timestamp | undefined
}

/** A note with what is known when it is taken. */
export interface NotedStep extends CheckInNote {
  readonly now: Timestamp
  readonly times: ReportedTimeSettings
  /** The dock that the note names; `null` when it names none. */
  readonly dock: Dock | null
}

/** What a check-in changes of a shipment. */
export type CheckedIn = Pick<ShipmentDraft, "checkIn" | "dock">

type CheckedShipment = Pick<ShipmentDraft, "arrivedAt" | "checkIn" | "dock" | "number">

/**
 * Whether a note says nothing new, as its step was noted before: a door is assigned anew by a note that names another dock than the
 * shipment's, and that is not older than the note of the present door.
 */
export const isNoted = ({ checkIn, dock }: CheckedShipment, note: NotedStep): boolean => {
  const before = checkIn[note.step]
  if (before === undefined) return false
  return note.step !== "DOOR_ASSIGNED" || note.dock === null || note.dock.id === dock?.id ||
    (note.occurredAt ?? note.now) < before
}

/**
 * Notes a step, which takes its dock, if any, from the note, and else keeps that of the shipment. Returns what was there when the
 * step was noted before. A door cannot be assigned without a dock, nor a step noted after a later one or with a time before that of
 * an earlier one; a truck that has arrived came to the facility no later (D21.3).
 */
export const noteStep = (
  shipment: CheckedShipment,
  note: NotedStep
): Result.Result<CheckedIn, InvalidTransition | InvalidRequest> => {
  const { arrivedAt, checkIn, number } = shipment
  const { step } = note
  if (isNoted(shipment, note)) return Result.succeed(shipment)
  const later = checkInSteps.slice(checkInSteps.indexOf(step) + 1).findLast((each) =>
    checkIn[each] !== undefined
  )
  if (later !== undefined) {
    return Result.fail(new InvalidTransition({ shipmentNumber: number, from: later, to: step }))
  }
  const earlier = checkInSteps.slice(0, checkInSteps.indexOf(step) + 1).findLast((each) =>
    checkIn[each] !== undefined
  )
  const at = step === "AT_FACILITY"
    ? timeBefore(arrivedAt, { ...note, other: "the arrival" })
    : timeAfter(earlier === undefined ? null : checkIn[earlier]!, { ...note, other: String(earlier) })
  if (Result.isFailure(at)) return Result.fail(at.failure)
  const dock = step === "DOOR_ASSIGNED" ? note.dock ?? shipment.dock : shipment.dock
  if (step === "DOOR_ASSIGNED" && dock === null) {
    const detail = "is required by DOOR_ASSIGNED, as the shipment has no dock yet"
    return Result.fail(new InvalidRequest({ errors: [{ path: "dockSlug", detail }] }))
  }
  return Result.succeed({ checkIn: { ...checkIn, [step]: at.success }, dock })
}
