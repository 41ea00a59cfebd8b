/**
 * What goes wrong between a customer and the service: what waiting cures, and what it does not.
 */

/** Waiting does not cure it: a wrong secret, a missing permission, an unknown business. The text says what to do. */
export class Refused extends Error {
  override readonly name = "Refused"
}

/** It gets better by itself: the service is away, restarts, or closed the connection. */
export class Interrupted extends Error {
  override readonly name = "Interrupted"
}

/** The service has dropped messages by age before this customer read them (HISTORY_EXPIRED). */
export class HistoryExpired extends Error {
  override readonly name = "HistoryExpired"
  /** The last message that was dropped: reading after it misses nothing more. */
  readonly droppedId: number

  constructor(message: string, droppedId: number) {
    super(message)
    this.droppedId = droppedId
  }
}

/** More messages than one answer holds (TOO_MANY_MESSAGES): ask for a smaller page. */
export class TooManyMessages extends Error {
  override readonly name = "TooManyMessages"
}

export interface GraphqlFault {
  readonly message: string
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

/** The codes that waiting does not cure, with what to look at. */
const remedies: Readonly<Record<string, string>> = {
  FORBIDDEN: "the client has no permission for it; ask the operator of the service",
  CURSOR_AHEAD:
    "the service was restored and has lost messages that were handled here: tell its operator, and compare what was "
    + "handled since then before this customer starts again",
  NOT_FOUND: "check BUSINESS and FACILITY",
  BAD_USER_INPUT: "the service does not take what was asked",
  GRAPHQL_PARSE_FAILED: "the service does not take what was asked",
  GRAPHQL_VALIDATION_FAILED:
    "the service does not take what was asked; is this customer older than the service?"
}

/** What the errors of an answer, or of an `error` frame, mean. Errors without a code are worth another try. */
export const ofGraphql = (faults: ReadonlyArray<GraphqlFault>): Error => {
  const [fault] = faults
  const message = fault?.message ?? "the service failed without saying why"
  const code = String(fault?.extensions?.["code"] ?? "")
  if (code === "HISTORY_EXPIRED") return ofHistoryExpired(message, fault?.extensions?.["droppedId"])
  if (code === "TOO_MANY_MESSAGES") return new TooManyMessages(message)
  const remedy = remedies[code]
  return remedy === undefined ? new Interrupted(message) : new Refused(`${code}: ${message} (${remedy})`)
}

/** The id from which to go on; of a service that gives no number it stands in the text: `… with afterId 4711 …`. */
const ofHistoryExpired = (message: string, droppedId: unknown): Error => {
  if (typeof droppedId === "number") return new HistoryExpired(message, droppedId)
  const [, id] = /\bafterId (\d+)\b/.exec(message) ?? []
  return id === undefined ? new Refused(message) : new HistoryExpired(message, Number(id))
}

/** What an error says, and what caused it: `fetch failed` alone tells nobody anything. */
export const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const reason = cause instanceof AggregateError ? cause.errors[0] : cause
  const own = error.message || ("code" in error ? String(error.code) : error.name)
  return reason === undefined ? own : `${own}: ${textOf(reason)}`
}
