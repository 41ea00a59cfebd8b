/**
 * One request and its whole answer, and what an answer that is no success means.
 *
 * Redirects are not followed and cookies not sent, so that a token is sent to the given address only.
 */
import { DocklineError } from "./DocklineError.ts"
import type { ErrorFacts } from "./DocklineError.ts"

/** The function that sends requests, such as the `fetch` of the runtime. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ExchangeOptions {
  readonly fetch: Fetch
  readonly timeoutMillis: number
}

/** A whole answer: its JSON, or `undefined` when it is none. */
export interface Answer {
  readonly response: Response
  readonly body: unknown
}

/** Sends a request and reads the answer to its end. */
export const exchange = async (
  { fetch, timeoutMillis }: ExchangeOptions,
  url: string,
  init: RequestInit,
  signal: AbortSignal
): Promise<Answer> => {
  // A header that cannot be sent is a mistake of the program, and no fault of the network.
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

/** The innermost cause that says something: `fetch failed` tells nobody anything. */
const reasonOf = (error: unknown): string => {
  let reason = "no answer"
  for (let each = error; each instanceof Error; each = each.cause) {
    reason = ("code" in each && !each.message.includes(String(each.code)) ? `${each.code} ` : "") +
      each.message
  }
  return reason.trim()
}

/** A browser does not tell a page whether an answer of another origin was withheld or there was none. */
const hintFor = (origin: string): string => {
  const location: unknown = Reflect.get(globalThis, "location")
  const page = has(location, "origin") ? location.origin : undefined
  return page === undefined || page === origin
    ? ""
    : `; a browser withholds its answers from ${page} unless they permit that origin (CORS)`
}

const has = <Name extends string>(body: unknown, name: Name): body is Readonly<Record<Name, string>> =>
  typeof body === "object" && body !== null && typeof Reflect.get(body, name) === "string"

/** What a refusal says: a problem of the service (RFC 9457), or an error of its token endpoint (RFC 6749). */
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
 * The whole seconds of `Retry-After`, never sooner than it says: the longest of several numbers, which may have fractions, or until a date
 * of HTTP; `undefined` for a past date and for other text.
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
  code === "UNREACHABLE" || code === "IDEMPOTENCY_KEY_IN_USE" || passing.has(status)

/** Slow requests, too many of them, and what services and proxies answer while a service is away. */
const passing = new Set([408, 429, 502, 503, 504])
