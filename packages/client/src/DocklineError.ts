/**
 * The one error of the client: what a service refused, or why there is no answer of a service.
 */
import type * as Errors from "@dockline/core/values/Errors"
import type * as RequestErrors from "@dockline/core/values/RequestErrors"

type CodesOf<Module> = {
  [Name in keyof Module]: Module[Name] extends { readonly code: infer Code extends string } ? Code : never
}[keyof Module]

/**
 * What went wrong, for programs. Most are codes of the service (`docs/WIRE.md`, D4.2); capabilities and newer services have others.
 *
 * - `UNREACHABLE`: there was no answer, or none in time. The request may have been carried out.
 * - `UNEXPECTED_ANSWER`: something else than a Dockline service answered, such as a proxy.
 * - `INVALID_CLIENT`: the token endpoint does not take the client id with this secret.
 * - `TOKEN_REFUSED`: the token endpoint issues no token for another reason.
 * - `CLOSED`: the client was closed.
 */
export type ErrorCode =
  | CodesOf<typeof Errors>
  | CodesOf<typeof RequestErrors>
  | "UNREACHABLE"
  | "UNEXPECTED_ANSWER"
  | "INVALID_CLIENT"
  | "TOKEN_REFUSED"
  | "CLOSED"
  | (string & {})

/** A fault of a request: where, such as `items[2].quantity`, or `""` for the whole; and what is wrong there. */
export interface FieldError {
  readonly path: string
  readonly detail: string
}

/** What an error is made of. */
export interface ErrorFacts {
  readonly code: string
  readonly message: string
  readonly status?: number
  readonly errors?: ReadonlyArray<FieldError> | undefined
  readonly correlationId?: string
  readonly retryAfterSeconds?: number | undefined
  readonly droppedId?: number | undefined
  readonly newestId?: number | undefined
  readonly idempotencyKey?: string | undefined
  readonly cause?: unknown
}

/**
 * What every call of the client rejects with, unless its signal is aborted. What your own `token` throws passes as it is, and so
 * does a `TypeError` for what no request can hold, such as a key with the end of a line in it.
 */
export class DocklineError extends Error {
  override readonly name = "DocklineError"
  /** What went wrong, for programs. */
  readonly code: ErrorCode
  /** The HTTP status of the answer; 0 when there was none. */
  readonly status: number
  /** What to do about it, for people. */
  readonly remedy: string
  /** Each fault of the request, with its place; empty when it is not about fields. */
  readonly errors: ReadonlyArray<FieldError>
  /** The id under which the service logged the request: quote it to its operator. `""` when there was no answer. */
  readonly correlationId: string
  /** The seconds after which the service takes the request again; `undefined` when it named none. */
  readonly retryAfterSeconds: number | undefined
  /** Of `HISTORY_EXPIRED`: messages up to this id are gone; follow after it misses no others. */
  readonly droppedId: number | undefined
  /** Of `CURSOR_AHEAD`: the newest id that the service has. */
  readonly newestId: number | undefined
  /** The key that the request was sent with: with it the same request is safe to send again. `undefined` for reads. */
  readonly idempotencyKey: string | undefined

  constructor({ cause, code, message, status = 0, ...facts }: ErrorFacts) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.remedy = remedies[code] ?? remedies[status] ??
      "Read the message, and ask the operator of the service."
    this.errors = facts.errors ?? []
    this.correlationId = facts.correlationId ?? ""
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.droppedId = facts.droppedId
    this.newestId = facts.newestId
    this.idempotencyKey = facts.idempotencyKey
  }

  /** The place of the first fault, such as `items[2].quantity`; `""` when there is none. */
  get field(): string {
    return this.errors[0]?.path ?? ""
  }
}

const again = "Send it again later, with the same idempotency key."

/** What to do, by code or else by status. */
const remedies: Readonly<Record<string | number, string>> = {
  UNREACHABLE:
    `Check that the service is running, and that \`url\` is its address. Browsers reach a service of their page's own origin only. ${again}`,
  UNEXPECTED_ANSWER: "Check that `url` is the address of a Dockline service.",
  INVALID_CLIENT: "Check `clientId` and `clientSecret`, and ask the operator whether the client is enabled.",
  TOKEN_REFUSED: "Check `authUrl`, and that `audience` is the service's own address with /public_graphql.",
  CLOSED: "Make another client.",
  HISTORY_EXPIRED: "Reconcile with your own records, then follow after `droppedId`.",
  CURSOR_AHEAD:
    "Stop, and tell the operator: the service was restored, and may have lost messages that you have.",
  IDEMPOTENCY_KEY_REUSED: "Take a new idempotency key for a new request.",
  400: "Correct the fields in `errors`.",
  401: "Get a token of this service, and ask the operator whether the client is enabled.",
  403: "Ask the operator of the service for the permission.",
  404: "Check the id, or the slugs of the business and the facility; your client may not see it.",
  409: "It does not fit what is there: read the message, and decide.",
  413: "Split the request.",
  422: "Correct the fields in `errors`.",
  429: again,
  500: `Tell the operator of the service the correlation id. ${again}`,
  503: again
}
