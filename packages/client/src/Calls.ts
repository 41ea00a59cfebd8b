/**
 * Calls of declared operations with a token, repeated after failures that may be temporary.
 *
 * Guarantee: all attempts of a call that writes carry one idempotency key. The service does the call at most once while it keeps the key,
 * for 24 hours.
 */
import type { Operations } from "@dockline/core/operations/Operations"
import type { AnswerOf, Name } from "./Declared.ts"
import { DocklineError, exchange, isPassing, refusalOf } from "./DocklineError.ts"
import type { Answer, ExchangeOptions } from "./DocklineError.ts"

/** The credentials of an API client, and the server that issues its tokens. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
  /** The address of the server with `/oauth/token`. */
  readonly authUrl: string
  readonly audience: string
}

/** The access tokens of requests. */
export interface Tokens {
  /** The token for the next request. */
  readonly get: () => Promise<string>
  /** Discards a token that the service has refused. */
  readonly discard: (token: string) => void
}

/** A token is renewed this many milliseconds before it expires, or after four fifths of a short life. */
const marginMillis = 60_000

/** The tokens that the user provides, fetched before each request. */
export const userTokens = (token: string | (() => string | Promise<string>)): Tokens => ({
  get: async () => (typeof token === "string" ? token : await token()),
  discard: () => {}
})

/**
 * Tokens by the client-credentials grant. A token is kept, and renewed before it expires; all requests that wait for a token share one
 * request for it.
 */
export const clientTokens = (
  options: ExchangeOptions,
  { audience, authUrl, clientId, clientSecret }: Credentials,
  signal: AbortSignal
): Tokens => {
  let current = { token: "", renewAt: -Infinity }
  let pendingToken: Promise<string> | undefined
  const body = JSON.stringify({
    client_id: clientId,
    client_secret: clientSecret,
    audience,
    grant_type: "client_credentials"
  })
  const ask = async (): Promise<string> => {
    const sentAt = Date.now()
    const init = { method: "POST", headers: { "content-type": "application/json" }, body }
    const tokenAnswer = await exchange(options, `${authUrl}/oauth/token`, init, signal)
    const { body: answer, response } = tokenAnswer
    if (response.status !== 200 || !isIssued(answer)) throw refusalOf(tokenAnswer)
    const { access_token: token, expires_in: seconds } = answer
    const lifeMillis = seconds * 1000
    current = { token, renewAt: sentAt + lifeMillis - Math.min(marginMillis, lifeMillis / 5) }
    return token
  }
  return {
    get: async () => {
      if (Date.now() < current.renewAt) return current.token
      return pendingToken ??= ask().finally(() => pendingToken = undefined)
    },
    discard: (token) => {
      if (token === current.token) current = { token: "", renewAt: -Infinity }
    }
  }
}

interface TokenAnswer {
  readonly access_token: string
  readonly expires_in: number
}

const isIssued = (answer: unknown): answer is TokenAnswer =>
  typeof answer === "object" && answer !== null && typeof Reflect.get(answer, "access_token") === "string" &&
  typeof Reflect.get(answer, "expires_in") === "number"

/** Options of a call. */
export interface CallOptions {
  /** Ends the call: it rejects with the reason of the signal, and the effect on the service is unknown. */
  readonly signal?: AbortSignal | undefined
  /** The id under which the service logs the request; the service makes an id when this is absent. */
  readonly correlationId?: string | undefined
}

/** Options of a call that writes. */
export interface WriteOptions extends CallOptions {
  /**
   * The service answers a repeated request with the same key and content as it did the first time, for 24 hours, and does
   * nothing twice. By default the client makes a key for each call; a key of your own also protects calls that your program
   * repeats after a restart.
   */
  readonly idempotencyKey?: string | undefined
}

/** Settings for repeating calls. */
export interface RetryOptions {
  /** No attempt begins later than this many milliseconds after the call. */
  readonly retryMillis: number
  /** Called after each failed attempt, with the milliseconds until the next one. */
  readonly onRetry: (error: DocklineError, waitMillis: number) => void
}

/** The arguments of an operation. */
export interface Input {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: unknown
}

/** Calls an operation. Repeated attempts begin at most `retryMillis` after the call. */
export type Call = <Method extends Name>(
  name: Method,
  input: Input,
  options?: WriteOptions,
  retryMillis?: number
) => Promise<AnswerOf<Operations[Method]>>

/** Makes the function that calls operations of these routes at an address, until the signal is aborted. */
export const calling = (
  routes: Readonly<Record<string, string>>,
  url: string,
  tokens: Tokens,
  options: ExchangeOptions & RetryOptions,
  closing: AbortSignal
): Call =>
async <Method extends Name>(
  name: Method,
  input: Input,
  { signal: ending, ...write }: WriteOptions = {},
  retryMillis = options.retryMillis
) => {
  const signal = ending === undefined ? closing : AbortSignal.any([closing, ending])
  const { headers, path, ...init } = requestOf(routes[name] ?? "", input, write)

  const send = (token: string): Promise<Answer> =>
    exchange(
      options,
      url + path,
      { ...init, headers: { ...headers, authorization: `Bearer ${token}` } },
      signal
    )

  const attempt = async (): Promise<AnswerOf<Operations[Method]>> => {
    const token = await until(tokens.get(), signal)
    let answer = await send(token)
    if (answer.response.status === 401) {
      tokens.discard(token)
      const next = await until(tokens.get(), signal)
      if (next !== token) answer = await send(next)
    }
    // The service answers as its operations are declared.
    if (answer.response.ok && answer.body !== undefined) {
      return answer.body as AnswerOf<Operations[Method]>
    }
    throw refusalOf(answer)
  }

  const deadline = Date.now() + retryMillis
  for (let failures = 0;; failures++) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof DocklineError) || error === signal.reason) throw error
      const waitMillis = waitOf(error, failures)
      if (!isPassing(error) || Date.now() + waitMillis > deadline) {
        throw withKey(error, headers["idempotency-key"])
      }
      options.onRetry(error, waitMillis)
      await sleep(waitMillis, signal)
    }
  }
}

/** The request of all attempts, without the token; a text is a body in XML, anything else in JSON. */
const requestOf = (
  route: string,
  { headers: own = {}, params = {}, payload, query = {} }: Input,
  { correlationId, idempotencyKey }: WriteOptions
) => {
  const [, method = "", path = ""] = route.split(" ")
  const headers: Record<string, string> = { accept: "application/json", ...own }
  if (correlationId !== undefined) headers["correlation-id"] = correlationId
  if (method === "POST") headers["idempotency-key"] = idempotencyKey ?? newKey()
  if (payload !== undefined) {
    headers["content-type"] = typeof payload === "string" ? "application/xml" : "application/json"
  }
  return {
    method,
    path: pathOf(path, params) + queryOf(query),
    headers,
    body: typeof payload === "string" ? payload : JSON.stringify(payload) ?? null
  }
}

const pathOf = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))

const queryOf = (query: object): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.append(name, String(value))
  }
  return parameters.size === 0 ? "" : `?${parameters}`
}

/** 128 random bits. Not `randomUUID`, which needs a secure context: the page of a test system may be served over http. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    ""
  )

const withKey = (error: DocklineError, idempotencyKey: string | undefined): DocklineError =>
  new DocklineError({ ...error, message: error.message, cause: error.cause, idempotencyKey })

const firstWaitMillis = 250
const longestWaitMillis = 10_000

/** The pause doubles each time, less a random part, so that clients do not all return at once; it is at least `Retry-After`. */
const waitOf = ({ retryAfterSeconds = 0 }: DocklineError, failures: number): number =>
  Math.max(
    retryAfterSeconds * 1000,
    Math.min(firstWaitMillis * 2 ** failures, longestWaitMillis) * (1 - Math.random() / 2)
  )

/** Resolves with the promise, or rejects as soon as the signal is aborted. */
const until = <A>(promise: Promise<A>, signal: AbortSignal): Promise<A> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort)
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })

/** Waits; rejects as soon as the signal is aborted. */
export const sleep = (millis: number, signal: AbortSignal): Promise<void> => {
  let timer: ReturnType<typeof setTimeout>
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, millis)
  })
  return until(slept, signal).finally(() => clearTimeout(timer))
}
