/**
 * How a run of the command line can fail, and the exit code that tells a script which way it was.
 *
 * Guarantee: every failure of a run is one of these, each with one exit code; what is shown of it names the remedy and
 * holds no secret, and no control character of the answer reaches the terminal.
 */
import { Problem } from "@dockline/http-adapter/ApiSchemas"
import { Cause, Predicate, Runtime, Schema } from "effect"
import { CliError } from "effect/cli"
import { printable } from "./Printable.ts"

/** The exit codes, for `--help` and README.md. */
export const exitCodes: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [0, "done"],
  [1, "the service refused the request, or failed to process it"],
  [2, "wrong usage; nothing was sent"],
  [3, "no connection to the service, or it does not accept the client id and secret"],
  [130, "interrupted, or a question answered with no"]
]

/** The service has answered, with a problem. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  problem: Problem,
  /** Under which the service has logged the request; `""` when it did not say. */
  correlationId: Schema.String,
  /** The `Retry-After` of the answer; `""` when there is none. */
  retryAfter: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 1
  override get message(): string {
    return this.problem.detail
  }
}

/** The command cannot be carried out as it was given. */
export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** The service cannot be reached, does not answer as one, or does not know the client. */
export class NotConnected
  extends Schema.TaggedError<NotConnected>()("NotConnected", { message: Schema.String })
{
  override readonly [Runtime.errorExitCode] = 3
}

/** What was asked for cannot be written out: the disk is full, or whoever read it has gone. */
export class NotWritten extends Schema.TaggedError<NotWritten>()("NotWritten", {
  message: Schema.String,
  /** Whoever read it has read as much as it wanted, as `head` does: no failure of ours. */
  closed: Schema.Boolean
}) {
  override readonly [Runtime.errorExitCode] = this.closed ? 0 : 1
}

/** The operator has answered a question with no. */
export class Declined extends Schema.TaggedError<Declined>()("Declined", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 130
}

/** Every failure that commands have. */
export type Failure = Refused | WrongUsage | NotConnected | NotWritten | Declined

/** The exit code of a run that failed. */
export const exitCodeOf = (cause: Cause.Cause<unknown>): number => {
  if (Cause.hasInterruptsOnly(cause)) return 130
  const error = Cause.squash(cause)
  // The framework's own: a command line that does not parse, or that stops before a command.
  return CliError.isCliError(error) ? 2 : Runtime.getErrorExitCode(error)
}

/** What is said about a failure, without a newline at the end; `""` when there is nothing to say. */
export const textOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return ""
  const error = Cause.squash(cause)
  // Said already, where it was found, with the help that belongs to it.
  if (CliError.isCliError(error)) return ""
  if (error instanceof NotWritten && error.closed) return ""
  if (error instanceof Refused) return refusalText(error)
  return `dockline: ${printable(Predicate.isError(error) ? error.message : String(error))}`
}

const refusalText = ({ correlationId, problem, retryAfter }: Refused): string =>
  [
    `dockline: ${printable(problem.detail)}`,
    ...(problem.errors ?? []).map(({ detail, path }) =>
      `  ${printable(path || "(body)")}: ${printable(detail)}`
    ),
    [
      `  ${problem.status} ${printable(problem.title)}`,
      ...(problem.code === undefined ? [] : [`code ${printable(problem.code)}`]),
      ...(retryAfter === "" ? [] : [`try again after ${printable(retryAfter)} s`]),
      ...(correlationId === "" ? [] : [`correlation id ${printable(correlationId)}`])
    ].join(", ")
  ].join("\n")
