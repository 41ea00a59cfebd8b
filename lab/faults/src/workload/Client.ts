/**
 * A client of the service, as in its guides: it has a token from each instance, sends one request at a time, and repeats it at any
 * instance until the outcome is known. Everything it does is recorded.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { Random } from "../../../Random.ts"
import { correlationOf, tagsOf } from "../history/History.ts"
import type { Answered, Asked, Outcome } from "../history/History.ts"
import { digestOf } from "../history/Record.ts"
import type { Recorder } from "../history/Record.ts"
import { asRecord } from "../Json.ts"

/** The service as clients know it: its instances, and the one address that tokens name. */
export interface Site {
  readonly urls: ReadonlyArray<string>
  readonly baseUrl: string
  readonly recorder: Recorder
}

/** The client and its place; the secret is by default that of a demo client. */
export interface Account {
  readonly clientId: string
  readonly secret?: string
  readonly business: string
  readonly facility: string
}

/** The operator, which may see everything. */
export const operator: Account = { clientId: "operator", business: "*", facility: "" }

/** A POST of JSON, or of X12 with the type of its answer, or a GET. */
export interface Message {
  readonly method?: "PATCH" | "PUT"
  /** The path and query, without the address of the instance. */
  readonly path: string
  readonly body?: unknown
  readonly x12?: { readonly text: string; readonly answer: "json" | "edi-x12" }
  readonly key?: string | undefined
}

export const graphql = (query: string, variables: object = {}): Message => ({
  path: "/public_graphql",
  body: { query, variables }
})

/** A request, which may take several attempts. */
export interface Request {
  readonly asked: Asked
  /** Whether the service recognizes all attempts as one request; by default it does not. */
  readonly once?: boolean
  readonly message: Message
  /** The time limit for an answer in milliseconds, if it is longer than that of the client. */
  readonly patience?: number | undefined
  readonly read?: (body: unknown) => Answered
}

export const operate = (target: string, message: Message): Request => ({
  asked: { operation: "operate", target },
  message
})

/** The outcome of an attempt, the body of its answer, and the query of the next page if a header has it. */
export interface Result {
  readonly outcome: Outcome
  readonly body: unknown
  readonly next?: string | undefined
}

/** The limits for the patience of a client, which is the time that it waits for an answer, in milliseconds. */
const shortestPatience = 3000
const longestPatience = 5000

/** The number of license plates from which on a request is large, and the time limit for its answer, in milliseconds. */
const large = 100
const largePatience = 30_000

/** The patience for a request with this number of license plates; `undefined`: that of its client. */
export const patienceFor = (plates: number): number | undefined => plates < large ? undefined : largePatience

/** The share of writes that a client aborts before it repeats them, and the longest time before it aborts, in milliseconds. */
const hurriedShare = 0.05
const longestHurry = 20

const x12Type = "application/edi-x12"

let calls = 0
let requests = 0

/** A unique name for a request. */
export const newRequest = (): string => `r${++requests}`

/**
 * Statuses of requests that may succeed later or at another instance. A connection that was opened for an aborted call is closed with 408
 * after 15 s without data; a call that uses it at that moment gets the 408.
 */
const passing = new Set([0, 401, 408, 429])

/** Whether a request with this outcome must be sent again. */
const isOpen = (outcome: Outcome): boolean =>
  outcome.type === "unknown" ||
  (outcome.type === "refused" && (passing.has(outcome.status) || outcome.code === "IDEMPOTENCY_KEY_IN_USE"))

/** A client of all instances, chosen at random, or of one; it waits for each answer for the given time, or for its own patience. */
export class Client {
  readonly account: Account
  readonly random: Random
  readonly site: Site
  readonly #tokens = new Map<number, string>()
  readonly #patience: number
  readonly #instance: number | undefined

  constructor(
    site: Site,
    account: Account,
    random: Random,
    { instance, patience }: { readonly instance?: number | undefined; readonly patience?: number } = {}
  ) {
    this.account = account
    this.random = random
    this.site = site
    this.#instance = instance
    this.#patience = patience ?? random.int(shortestPatience, longestPatience)
  }

  instance(): number {
    return this.#instance ?? this.random.int(0, this.site.urls.length - 1)
  }

  /** A random pause between two requests. */
  async pause(longestMillis: number): Promise<void> {
    await wait(this.random.int(0, longestMillis))
  }

  /** Sends a request until its outcome is known or `givenUp` is true; returns the last result. */
  async settle(request: Request, givenUp: () => boolean, id = newRequest()): Promise<Result> {
    if (request.once === true && this.random.chance(hurriedShare)) {
      await this.attempt(request, id, this.random.int(1, longestHurry))
    }
    for (let tries = 0;; tries++) {
      const result = await this.attempt(request, id)
      if (!isOpen(result.outcome) || givenUp()) return result
      await wait(Math.min(1000, 50 * 2 ** Math.min(tries, 5)) * (0.5 + this.random.next() / 2))
    }
  }

  /** Sends a request once; aborts it after `hurry` milliseconds, if given. */
  async attempt(request: Request, id = newRequest(), hurry?: number): Promise<Result> {
    const instance = this.instance()
    const token = await this.token(instance)
    return typeof token === "string" ? this.#send(instance, request, id, token, hurry) : token
  }

  /** The token for an instance, or the result of a failed token request. */
  async token(instance: number): Promise<string | Result> {
    const known = this.#tokens.get(instance)
    if (known !== undefined) return known
    const { clientId, secret = `${clientId}-secret` } = this.account
    const body = {
      client_id: clientId,
      client_secret: secret,
      audience: `${this.site.baseUrl}/public_graphql`,
      grant_type: "client_credentials"
    }
    const request: Request = { asked: { operation: "token" }, message: { path: "/oauth/token", body } }
    const result = await this.#send(instance, request, newRequest())
    const token = asRecord(result.body)["access_token"]
    if (result.outcome.type !== "ok" || typeof token !== "string") return result
    this.#tokens.set(instance, token)
    return token
  }

  /** Discards the token for an instance, because it was refused. */
  forget(instance: number): void {
    this.#tokens.delete(instance)
  }

  async #send(
    instance: number,
    { asked, message, once = false, patience = this.#patience, read }: Request,
    request: string,
    token?: string,
    hurry?: number
  ): Promise<Result> {
    const { recorder, urls } = this.site
    const call = ++calls
    const { business, clientId: client, facility } = this.account
    const hurried = hurry === undefined ? undefined : true
    recorder.record({
      type: "invoke",
      call,
      request,
      once,
      hurried,
      client,
      business,
      facility,
      instance,
      asked
    })
    const end = (outcome: Outcome, body?: unknown, next?: string): Result => {
      recorder.record(outcome)
      return { outcome, body, next }
    }
    let response: Response
    let text: string
    try {
      response = await fetch(`${urls[instance]}${message.path}`, {
        ...contentOf(message, token, call),
        signal: AbortSignal.timeout(hurry ?? patience)
      })
      text = await response.text()
    } catch (error) {
      return end(brokenOff(call, error))
    }
    const outcome = outcomeOf(call, response, text, read)
    if (outcome.type === "refused" && outcome.status === 401) this.forget(instance)
    return end(
      outcome,
      bodyOf(response, text),
      /^<(\?[^>]*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1]
    )
  }
}

const contentOf = ({ body, key, method, x12 }: Message, token: string | undefined, call: number) => {
  const hasBody = body !== undefined || x12 !== undefined
  const headers = {
    "correlation-id": correlationOf(call),
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    "idempotency-key": key,
    accept: x12 === undefined ? undefined : `application/${x12.answer}`,
    "content-type": x12 === undefined ? hasBody ? "application/json" : undefined : x12Type
  }
  return {
    method: method ?? (hasBody ? "POST" : "GET"),
    headers: Object.entries(headers).flatMap(([name, value]): Array<[string, string]> =>
      value === undefined ? [] : [[name, value]]
    ),
    body: x12?.text ?? (body === undefined ? null : JSON.stringify(body))
  }
}

/** The outcome of a call without an answer. If the connection was refused, nothing was sent. */
const brokenOff = (call: number, error: unknown): Outcome => {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  if (code === "ECONNREFUSED") return { type: "refused", call, status: 0, code: "NOT_SENT", tags: [] }
  return { type: "unknown", call, reason: code === "" ? String(error) : code, tags: [] }
}

/** The body of an answer: JSON as a value, X12 as its text; `undefined` for anything else. */
const bodyOf = ({ headers }: Response, text: string): unknown => {
  if (headers.get("content-type")?.startsWith(x12Type) === true) return text
  try {
    return text === "" ? null : JSON.parse(text)
  } catch {
    return undefined
  }
}

const outcomeOf = (call: number, response: Response, text: string, read: Request["read"]): Outcome => {
  const { headers, status } = response
  const tags = tagsOf(text)
  const body = bodyOf(response, text)
  if (body === undefined) return { type: "unknown", call, reason: `${status}, no JSON`, tags }
  const fault = faultOf(body)
  if (status >= 500 || fault?.isPassing === true) {
    const lack = status === 503 && !headers.has("retry-after") ? ", no Retry-After" : ""
    return { type: "unknown", call, reason: `${status} ${fault?.code ?? ""}`.trim() + lack, tags }
  }
  if (status >= 400 || fault !== undefined) {
    return { type: "refused", call, status, code: fault?.code ?? "", tags }
  }
  const replayed = headers.get("idempotency-replayed") === "true" ? { replayed: true } : {}
  return { type: "ok", call, status, tags, answer: { ...read?.(body), digest: digestOf(body), ...replayed } }
}

/** The error of an answer: the code of a problem, of the token endpoint, or of the first error of GraphQL. */
const faultOf = (body: unknown): { readonly code: string; readonly isPassing: boolean } | undefined => {
  const { code, error, errors } = asRecord(body)
  if (typeof code === "string") return { code, isPassing: false }
  if (typeof error === "string") return { code: error, isPassing: false }
  if (!Array.isArray(errors) || errors.length === 0) return undefined
  const extensions = asRecord(asRecord(errors[0])["extensions"])
  const found = String(extensions["code"] ?? "")
  return {
    code: String(extensions["reason"] ?? found),
    isPassing: found === "INTERNAL" || extensions["retryable"] === true
  }
}
