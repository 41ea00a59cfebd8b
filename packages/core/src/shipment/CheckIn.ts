/**
 * The check-in of a shipment: which steps of its truck at the gate and in the yard were noted, and when (D17.3). And which
 * times others may report (D21): their clocks may be wrong, and their reports may come late, so a time is judged by the clock
 * of the server.
 *
 * Guarantee: steps go forward only, though a step may be left out, and the time of a step is that of its first note. Another
 * door may be assigned until the truck checks out: the time of DOOR_ASSIGNED is when the present door was assigned, and never
 * goes back. Check-ins stand beside the status of the shipment: a truck that waits in the yard has not arrived at a dock, and
 * none departs by checking out. An accepted time is at most the tolerance ahead of the server, and at most {@link oldestDays}
 * days behind it.
 */
import { Context, Result } from "effect"
import { InvalidRequest, InvalidTransition } from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { checkInSteps } from "../values/Vocabulary.ts"
import type { CheckInStep } from "../values/Vocabulary.ts"
import type { Dock, ShipmentDraft } from "./Shipment.ts"

/** How far clocks may differ, and how long pallets may come late. */
export interface ReportedTimeSettings {
  /** How many seconds a reported time may be ahead of the server (D21.2). */
  readonly clockToleranceSeconds: number
  /** How many hours after its departure a shipment takes pallets that passed before it (D21.4). */
  readonly lateEventHours: number
}

/** The default: five minutes, and three days. */
export const defaultReportedTimes: ReportedTimeSettings = { clockToleranceSeconds: 300, lateEventHours: 72 }

/** The settings in force; {@link defaultReportedTimes} unless provided. */
export const ReportedTimes: Context.Reference<ReportedTimeSettings> = Context.Reference(
  "@dockline/core/ReportedTimes",
  { defaultValue: () => defaultReportedTimes }
)

/** How many days a reported time may be behind the server (D21.2). */
export const oldestDays = 30

/** A refusal of a request that names its field of the time. */
const timeRefusal = (detail: string): InvalidRequest =>
  new InvalidRequest({ errors: [{ path: "occurredAt", detail }] })

/** Why a reported time is not taken at a time of the server; `undefined` for one that is, and where none is reported. */
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
    `is more than ${oldestDays} days behind the server's time, ${now}: set the clock of the sender, and send the right time; what is older is not taken`
  )
}

/** A step of a shipment whose time is to be settled. */
export interface TimedStep {
  /** The time that is reported, if one is. */
  readonly occurredAt?: Timestamp | undefined
  readonly now: Timestamp
  readonly times: ReportedTimeSettings
  /** What the other time is of, in words. */
  readonly other: string
}

/**
 * The time of a step that cannot be before another one of the shipment (D21.3), `null` for none: as it is reported, else now. Where
 * nothing is reported and the other one is ahead of the server, as it may be by the tolerance, both have one time.
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

/** The time of a step that cannot be after another one of the shipment (D21.3), `null` for none: as it is reported, else at most now. */
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
