/**
 * The check-in of a shipment: the noted steps of its truck at the gate and in the yard, with their times (D17.3); and the rules for
 * reported times (D21): senders' clocks may be wrong and reports may come late, so a time is compared with the clock of the server.
 *
 * Guarantee: steps only go forward, though steps may be left out, and a step keeps the time of its first note. Another door may be assigned
 * until the truck checks out: DOOR_ASSIGNED has the time at which the current door was assigned, and this time never goes back.
 * Check-ins do not change the status of the shipment: a truck that waits in the yard has not arrived at a dock, and checking out is not a
 * departure. A reported time that is accepted is at most the tolerance ahead of the server, and at most {@link oldestDays} days behind it.
 */
import { Context, Result } from "effect"
import { InvalidRequest, InvalidTransition } from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { checkInSteps } from "../values/Vocabulary.ts"
import type { CheckInStep } from "../values/Vocabulary.ts"
import type { Dock, ShipmentDraft } from "./Shipment.ts"

/** The tolerance for clocks, and how long late pallets are accepted. */
export interface ReportedTimeSettings {
  /** How many seconds a reported time may be ahead of the server (D21.2). */
  readonly clockToleranceSeconds: number
  /** How many hours after its departure a shipment still accepts pallets that passed before it (D21.4). */
  readonly lateEventHours: number
}

/** The default: five minutes, and three days. */
export const defaultReportedTimes: ReportedTimeSettings = { clockToleranceSeconds: 300, lateEventHours: 72 }

/** The settings of the service; by default {@link defaultReportedTimes}. */
export const ReportedTimes: Context.Reference<ReportedTimeSettings> = Context.Reference(
  "@dockline/core/ReportedTimes",
  { defaultValue: () => defaultReportedTimes }
)

/** How many days a reported time may be behind the server (D21.2). */
export const oldestDays = 30

/** A refusal that names the field of the time. */
const timeRefusal = (detail: string): InvalidRequest =>
  new InvalidRequest({ errors: [{ path: "occurredAt", detail }] })

/** Why a reported time is refused at a time of the server; `undefined` if it is accepted or absent. */
export const timeFault = (
  occurredAt: Timestamp | undefined,
  now: Timestamp,
  { clockToleranceSeconds }: ReportedTimeSettings
): InvalidRequest | undefined => {
  if (occurredAt === undefined) return undefined
  const ahead = Date.parse(occurredAt) - Date.parse(now)
  if (ahead > clockToleranceSeconds * 1000) {
    return timeRefusal(
      `is more than ${clockToleranceSeconds} seconds ahead of the server's time, ${now}: set the clock of the sender, and send the right time`
    )
  }
  return ahead >= -oldestDays * 86_400_000 ? undefined : timeRefusal(
    `is more than ${oldestDays} days behind the server's time, ${now}: set the clock of the sender, and send the right time; older times are refused`
  )
}

/** A step of a shipment, with the data that determine its time. */
export interface TimedStep {
  /** The reported time, if any. */
  readonly occurredAt?: Timestamp | undefined
  readonly now: Timestamp
  readonly times: ReportedTimeSettings
  /** The name of the other step, for the texts of refusals. */
  readonly other: string
}

/**
 * The time of a step that cannot precede another step of the shipment (D21.3), whose time may be `null`: the reported time, else now. If no
 * time is reported and the other step is ahead of the server, within the tolerance, both get the same time.
 */
export const timeAfter = (
  earlier: Timestamp | null,
  { now, occurredAt, other, times }: TimedStep
): Result.Result<Timestamp, InvalidRequest> => {
  const untimely = timeFault(occurredAt, now, times)
  if (untimely !== undefined) return Result.fail(untimely)
  if (earlier === null || earlier <= (occurredAt ?? now)) return Result.succeed(occurredAt ?? now)
  return occurredAt === undefined
    ? Result.succeed(earlier)
    : Result.fail(timeRefusal(`is before ${other}, ${earlier}; ${remedyAt(now)}`))
}

/**
 * The time of a step that cannot follow another step of the shipment (D21.3), whose time may be `null`: the reported time, else now or the
 * time of the other step if that is earlier.
 */
export const timeBefore = (
  later: Timestamp | null,
  { now, occurredAt, other, times }: TimedStep
): Result.Result<Timestamp, InvalidRequest> => {
  const untimely = timeFault(occurredAt, now, times)
  if (untimely !== undefined) return Result.fail(untimely)
  if (later === null || (occurredAt ?? now) <= later) return Result.succeed(occurredAt ?? now)
  return occurredAt === undefined
    ? Result.succeed(later)
    : Result.fail(timeRefusal(`is after ${other}, ${later}; ${remedyAt(now)}`))
}

const remedyAt = (now: Timestamp): string =>
  `the server's time is ${now}: set the clock of the sender, and send the right time, or none if it is now`

/** A step of a check-in that is to be noted. */
export interface CheckInNote {
  readonly step: CheckInStep
  /** The time of the step; by default the time of the note. */
  readonly occurredAt?: Timestamp | undefined
}

/** A note with the time of the server and its dock. */
export interface NotedStep extends CheckInNote {
  readonly now: Timestamp
  readonly times: ReportedTimeSettings
  /** The dock that the note names; `null` when it names none. */
  readonly dock: Dock | null
}

/** The fields of a shipment that a check-in changes. */
export type CheckedIn = Pick<ShipmentDraft, "checkIn" | "dock">

type CheckedShipment = Pick<ShipmentDraft, "arrivedAt" | "checkIn" | "dock" | "number">

/**
 * Whether a note changes nothing because its step was noted before. A further DOOR_ASSIGNED is a change if it names a dock other than the
 * shipment's and is not older than the note of the present door.
 */
export const isNoted = ({ checkIn, dock }: CheckedShipment, note: NotedStep): boolean => {
  const before = checkIn[note.step]
  if (before === undefined) return false
  return note.step !== "DOOR_ASSIGNED" || note.dock === null || note.dock.id === dock?.id ||
    (note.occurredAt ?? note.now) < before
}

/**
 * Notes a step. The shipment gets the dock of the note, or keeps its own. If the step was noted before, the shipment is returned unchanged.
 * A door cannot be assigned without a dock. A step cannot be noted after a later step, nor with a time before the time of an earlier step.
 * A truck that has arrived at a dock cannot have come to the facility later (D21.3).
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
    const detail = "is required by DOOR_ASSIGNED, because the shipment has no dock yet"
    return Result.fail(new InvalidRequest({ errors: [{ path: "dockSlug", detail }] }))
  }
  return Result.succeed({ checkIn: { ...checkIn, [step]: at.success }, dock })
}
