/**
 * The only error of the client: a refusal of the service, or the reason why there is no answer of a service.
 */
import type * as Errors from "@dockline/core/values/Errors"
import type * as RequestErrors from "@dockline/core/values/RequestErrors"

type CodesOf<Module> = {
  [Name in keyof Module]: Module[Name] extends { readonly code: infer Code extends string } ? Code : never
}[keyof Module]

/**
 * The code of an error, for programs. Most are codes of the service (`docs/WIRE.md`, D4.2); capabilities and newer services have others.
 *
 * - `UNREACHABLE`: there was no answer, or none in time. The request may have been carried out.
 * - `UNEXPECTED_ANSWER`: something other than a Dockline service answered, such as a proxy.
 * - `INVALID_CLIENT`: the token endpoint refuses the client id with this secret.
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

/** A fault of a request: its path, such as `items[2].quantity`, or `""` for the whole request; and its description. */
export interface FieldError {
  readonly path: string
  readonly detail: string
}

/** The parts of an error. */
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
 * The error with which every call of the client rejects, unless its signal is aborted. Errors of your own `token` function pass unchanged,
 * and so does a `TypeError` for values that no request can hold, such as a key with a line end.
 */
export class DocklineError extends Error {
  override readonly name = "DocklineError"
  /** What went wrong, for programs. */
  readonly code: ErrorCode
  /** The HTTP status of the answer; 0 when there was none. */
  readonly status: number
  /** What to do about it, for people. */
  readonly remedy: string
  /** Each fault of the request, with its path; empty when the error is not about fields. */
  readonly errors: ReadonlyArray<FieldError>
  /** The id under which the service logged the request: quote it to its operator. `""` when there was no answer. */
  readonly correlationId: string
  /** The seconds after which to repeat the request; `undefined` when the service named none. */
  readonly retryAfterSeconds: number | undefined
  /** Of `HISTORY_EXPIRED`: messages up to this id are gone; follow after it misses no others. */
  readonly droppedId: number | undefined
  /** Of `CURSOR_AHEAD`: the newest id that the service has. */
  readonly newestId: number | undefined
  /** The idempotency key of the request: the same request with this key is safe to send again. `undefined` for reads. */
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

  /** The path of the first fault, such as `items[2].quantity`; `""` without faults. */
  get field(): string {
    return this.errors[0]?.path ?? ""
  }
}

const again = "Send it again later, with the same idempotency key."

/** The remedy, by code or else by status. */
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
  409: "It conflicts with the present state: read the message, and decide.",
  413: "Split the request.",
  422: "Correct the fields in `errors`.",
  429: again,
  500: `Tell the operator of the service the correlation id. ${again}`,
  503: again
}

/** The function that sends requests, such as the `fetch` of the runtime. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The function that sends a request, and the time limit for its answer. */
export interface ExchangeOptions {
  readonly fetch: Fetch
  readonly timeoutMillis: number
}

/** A whole answer; `body` is its JSON, or `undefined` when the text is not JSON. */
export interface Answer {
  readonly response: Response
  readonly body: unknown
}

/**
 * Sends a request and reads the answer to its end. Redirects are not followed and cookies not sent, so that a token goes only to the
 * configured address.
 */
export const exchange = async (
  { fetch, timeoutMillis }: ExchangeOptions,
  url: string,
  init: RequestInit,
  signal: AbortSignal
): Promise<Answer> => {
  // Outside of `try`: an invalid header is a mistake of the program, not a failure of the network.
  const headers = new Headers(init.headers)
  const limit = AbortSignal.timeout(timeoutMillis)
  try {
    const response = await fetch(url, {
      ...init,
      headers,
      redirect: "manual",
      credentials: "omit",
      signal: AbortSignal.any([signal, limit])
    })
    return { response, body: jsonOf(await response.text()) }
  } catch (cause) {
    signal.throwIfAborted()
    const { origin } = new URL(url)
    const reason = limit.aborted
      ? `no answer within ${timeoutMillis / 1000} s`
      : reasonOf(cause) + hintFor(origin)
    throw new DocklineError({ code: "UNREACHABLE", message: `Cannot reach ${origin}: ${reason}`, cause })
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The innermost informative cause: `fetch failed` alone explains nothing. */
const reasonOf = (error: unknown): string => {
  let reason = "no answer"
  for (let each = error; each instanceof Error; each = each.cause) {
    reason = ("code" in each && !each.message.includes(String(each.code)) ? `${each.code} ` : "") +
      each.message
  }
  return reason.trim()
}

/** A hint for browsers, which do not tell a page whether they withheld an answer of another origin or got none. */
const hintFor = (origin: string): string => {
  const location: unknown = Reflect.get(globalThis, "location")
  const page = has(location, "origin") ? location.origin : undefined
  return page === undefined || page === origin
    ? ""
    : `; a browser withholds its answers from ${page} unless they permit that origin (CORS)`
}

const has = <Name extends string>(body: unknown, name: Name): body is Readonly<Record<Name, string>> =>
  typeof body === "object" && body !== null && typeof Reflect.get(body, name) === "string"

/** The content of a refusal: a problem of the service (RFC 9457), or an error of its token endpoint (RFC 6749). */
export const refusalOf = ({ body, response }: Answer): DocklineError =>
  new DocklineError({
    ...saidOf(body, response),
    status: response.status,
    correlationId: response.headers.get("correlation-id") ?? "",
    retryAfterSeconds: secondsOf(response.headers.get("retry-after"))
  })

interface Problem extends Pick<ErrorFacts, "code" | "errors" | "droppedId" | "newestId"> {
  readonly detail: string
}

const isProblem = (body: unknown): body is Problem => {
  if (!has(body, "code") || !has(body, "detail")) return false
  const [errors, ...ids]: ReadonlyArray<unknown> = ["errors", "droppedId", "newestId"].map((name) =>
    Reflect.get(body, name)
  )
  const isFault = (fault: unknown): boolean => has(fault, "path") && has(fault, "detail")
  return (errors === undefined || (Array.isArray(errors) && errors.every(isFault))) &&
    ids.every((id) => id === undefined || typeof id === "number")
}

const saidOf = (body: unknown, response: Response): ErrorFacts => {
  if (isProblem(body)) {
    const { code, detail, droppedId, errors, newestId } = body
    return { code, message: detail, errors, droppedId, newestId }
  }
  if (has(body, "error")) {
    const message = has(body, "error_description") ? `${body.error}: ${body.error_description}` : body.error
    return {
      code: body.error === "invalid_client" ? "INVALID_CLIENT" : "TOKEN_REFUSED",
      message: `The service issues no token: ${message}`
    }
  }
  return { code: "UNEXPECTED_ANSWER", message: unexpected(response) }
}

const unexpected = ({ headers, status, type, url }: Response): string => {
  const at = URL.parse(url)?.origin ?? "The service"
  return type === "opaqueredirect" || (status >= 300 && status < 400)
    ? `${at} redirects to ${headers.get("location") ?? "another address"}`
    : `${at} answers ${status}, but not as a Dockline service does`
}

const wholeOrFraction = /^(?:\d+(?:\.\d*)?|\.\d+)$/

/**
 * `Retry-After` in whole seconds, rounded up: the longest of several numbers, which may have fractions, or the time until an HTTP date.
 * `undefined` for a past date and for other text.
 */
export const secondsOf = (header: string | null, now = Date.now()): number | undefined => {
  const text = header?.trim() ?? ""
  const parts = text.split(",").map((part) => part.trim())
  if (parts.every((part) => wholeOrFraction.test(part))) return Math.ceil(Math.max(...parts.map(Number)))
  const seconds = /^[A-Z][a-z]{2}.* GMT$/.test(text) ? Math.ceil((Date.parse(text) - now) / 1000) : 0
  return seconds > 0 ? seconds : undefined
}

/** Whether the same request may be answered later, with nothing changed but the service or the network. */
export const isPassing = ({ code, status }: DocklineError): boolean =>
  code === "UNREACHABLE" || code === "IDEMPOTENCY_KEY_IN_USE" || transientStatuses.has(status)

/** Statuses for slow requests, for too many requests, and of a proxy or a service that is unavailable. */
const transientStatuses = new Set([408, 429, 502, 503, 504])
