/**
 * Which times others may report (D21): when a pallet passed, and when a step of a shipment was. Their clocks may be wrong, and what
 * they report may come late, so a time is judged by the clock of the server.
 *
 * Guarantee: a time that is taken is at most the tolerance ahead of the server, and at most {@link oldestDays} days behind it.
 */
import { Context, Result } from "effect"
import { InvalidRequest } from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"

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
export const timeRefusal = (detail: string): InvalidRequest =>
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
