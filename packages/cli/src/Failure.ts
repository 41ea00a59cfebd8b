/**
 * The failures of a run, each with an exit code. The message names the remedy and contains no secret. Text from outside the program is made
 * safe for a terminal: one line, without characters that move the cursor, change colours or reorder text.
 */
import { FieldError } from "@dockline/core/values/CatalogueError"
import { Cause, Context, Effect, Predicate, Result, Runtime, Schema } from "effect"
import { CliError } from "effect/cli"

/** C0 and C1 controls, line and paragraph separators, and marks that change the direction of text. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Text on one line. */
export const printable = (text: string): string =>
  text.replace(unprintable, (character) => short[character] ?? escape(character))

/** Text of several lines, with its line ends. */
export const printableLines = (text: string): string =>
  text.replace(
    unprintable,
    (character) => /[\r\n]/.test(character) ? character : short[character] ?? escape(character)
  )

/** A value as JSON, on one line or indented, with unprintable characters escaped; they occur only in its strings. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    unprintable,
    (character) => character === "\n" ? "\n" : escape(character)
  )

/** The exit codes, for `--help` and README.md. */
export const exitCodes: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [0, "done"],
  [1, "the service refused the request, or failed to process it; or a receiver did not pass a test"],
  [2, "wrong usage; nothing was sent"],
  [3, "no connection to the service, or it does not accept the client id and secret"],
  [130, "interrupted, or a question answered with no"]
]

/** The members of a problem (RFC 9457) that the command line reads; a problem is the body of a refusal. */
export const Problem = Schema.Struct({
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.String,
  code: Schema.optionalKey(Schema.String),
  droppedId: Schema.optionalKey(Schema.Int),
  newestId: Schema.optionalKey(Schema.Int),
  errors: Schema.optionalKey(Schema.Array(FieldError))
})

/** The title of the capability whose command runs; `undefined` for a command of the contract. */
export const CapabilityTitle = Context.Reference<string | undefined>("@dockline/cli/CapabilityTitle", {
  defaultValue: () => undefined
})

/** The service has refused the request. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  problem: Problem,
  /** The title of the capability to which the operation belongs, if it belongs to one. */
  capability: Schema.UndefinedOr(Schema.String),
  /** The id under which the service logged the request; `""` when it sent none. */
  correlationId: Schema.String,
  /** The seconds after which to repeat the request; `undefined` when the answer named none. */
  retryAfter: Schema.UndefinedOr(Schema.Number)
}) {
  override readonly [Runtime.errorExitCode] = 1
  override get message(): string {
    return this.problem.detail
  }
}

/** The command line is wrong. */
export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

export const wrongUsage = (message: string): WrongUsage => new WrongUsage({ message })

/** The service refused a set of a file, or a receiver of webhooks did not pass a test message. */
export class NotTaken extends Schema.TaggedError<NotTaken>()("NotTaken", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 1
}

/** The service cannot be reached, does not answer like a Dockline service, or does not know the client. */
export class NotConnected extends Schema.TaggedError<NotConnected>()("NotConnected", {
  message: Schema.String,
  /** Whether the same request may be answered later. */
  passing: Schema.optionalKey(Schema.Boolean)
}) {
  override readonly [Runtime.errorExitCode] = 3
}

export const notConnected = (message: string, passing = false): NotConnected =>
  new NotConnected({ message, passing })

/** The output cannot be written: the disk is full, or its reader has closed it. */
export class NotWritten extends Schema.TaggedError<NotWritten>()("NotWritten", {
  message: Schema.String,
  /** Whether the reader has closed the output, as `head` does; this is not a failure. */
  closed: Schema.Boolean
}) {
  override readonly [Runtime.errorExitCode] = this.closed ? 0 : 1
}

export class Cancellation
  extends Schema.TaggedError<Cancellation>()("Cancellation", { message: Schema.String })
{
  override readonly [Runtime.errorExitCode] = 130
}

/** Whether the same request may succeed later, with nothing changed but the service or the network. */
export const isPassing = (error: unknown): boolean =>
  error instanceof NotConnected
    ? error.passing === true
    : error instanceof Refusal && (error.problem.status === 429 || error.problem.status >= 500)

/** The value of a flag, or its fault as wrong usage. */
export const valueOf = <A>(flag: string, read: Result.Result<A, string>): Effect.Effect<A, WrongUsage> =>
  Effect.fromResult(Result.mapError(read, (fault) => wrongUsage(`${flag}: ${fault}`)))

export const exitCodeOf = (cause: Cause.Cause<unknown>): number => {
  if (Cause.hasInterruptsOnly(cause)) return 130
  const error = Cause.squash(cause)
  // The framework's errors are faults of the command line.
  return CliError.isCliError(error) ? 2 : Runtime.getErrorExitCode(error)
}

/** The message for a failure, without a newline at the end; `""` when there is nothing to say. */
export const textOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return ""
  const error = Cause.squash(cause)
  // The presenter has already reported it, with the help for its command.
  if (CliError.isCliError(error)) return ""
  if (error instanceof NotWritten && error.closed) return ""
  return messageOf(error)
}

export const messageOf = (error: unknown): string =>
  error instanceof Refusal
    ? refusalText(error)
    : `dockline: ${printable(Predicate.isError(error) ? error.message : String(error))}`

/** The remedy for a refusal, by its code. */
const remedies = [
  ["BUSINESS_EXISTS", "Change it with: dockline business rename"],
  ["FACILITY_EXISTS", "Change it with: dockline facility update"],
  ["PERSON_EXISTS", "Change it with: dockline person grant"]
] as const

/** A description of the refusal, or of the operation for which the service has no route. */
const headlineOf = ({ capability, problem: { code, detail } }: Refusal): string => {
  if (code !== "RESOURCE_NOT_FOUND") return printable(detail)
  return capability === undefined
    ? "This service does not have the operation: it is of another version"
    : `This service does not have ${capability}: its setting CAPABILITIES leaves it out, or it is of another version`
}

const refusalText = (refusal: Refusal): string => {
  const { correlationId, problem, retryAfter } = refusal
  return [
    `dockline: ${headlineOf(refusal)}`,
    // The detail of a problem with one fault ends with that fault.
    ...(problem.errors ?? []).map(({ detail, path }) => `${path || "(body)"}: ${detail}`)
      .filter((fault) => !problem.detail.endsWith(fault))
      .map((fault) => `  ${printable(fault)}`),
    ...remedies.flatMap(([code, remedy]) => code === problem.code ? [`  ${remedy}`] : []),
    [
      `  ${problem.status} ${printable(problem.title)}`,
      ...(problem.code === undefined ? [] : [`code ${printable(problem.code)}`]),
      ...(retryAfter === undefined ? [] : [`try again after ${retryAfter} s`]),
      ...(correlationId === "" ? [] : [`correlation id ${printable(correlationId)}`])
    ].join(", ")
  ].join("\n")
}
