/**
 * A client of the service, as its guides have one: a token of its own from each instance, one request at a time,
 * repeated at one instance or another until its outcome is known. Everything it does is recorded.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { Random } from "../../../Random.ts"
import { correlationOf, tagsOf } from "../history/History.ts"
import type { Answered, Asked, Outcome } from "../history/History.ts"
import { digestOf } from "../history/Record.ts"
import type { Recorder } from "../history/Record.ts"
import { asRecord } from "../Json.ts"

/** The service as clients know it: its instances, and its one address, which tokens are for. */
export interface Site {
  readonly urls: ReadonlyArray<string>
  readonly baseUrl: string
  readonly recorder: Recorder
}

/** Whose client; the secret is by default that of a demo client. */
export interface Account {
  readonly clientId: string
  readonly secret?: string
  readonly business: string
  readonly facility: string
}

/** The operator, who may see everything. */
export const operator: Account = { clientId: "operator", business: "*", facility: "" }

/** What is sent: a body of JSON by POST, or X12 with the type of its answer, or else a question. */
export interface Message {
  readonly method?: "PATCH" | "PUT"
  /** Under the address of the instance, with its query. */
  readonly path: string
  readonly body?: unknown
  readonly x12?: { readonly text: string; readonly answer: "json" | "edi-x12" }
  readonly key?: string | undefined
}

export const graphql = (query: string, variables: object = {}): Message => ({
  path: "/public_graphql",
  body: { query, variables }
})

/** A request: what is wanted, in as many tries as it takes. */
export interface Request {
  readonly asked: Asked
  /** Whether the service knows its tries for one request; it does not unless that is said. */
  readonly once?: boolean
  readonly message: Message
  /** How long an answer is waited for, in milliseconds, where that is longer than clients do. */
  readonly patience?: number | undefined
  readonly read?: (body: unknown) => Answered
}

export const operate = (target: string, message: Message): Request => ({
  asked: { operation: "operate", target },
  message
})

/** How a try ended, what the answer held, and the query of the next page, where a header has it. */
export interface Result {
  readonly outcome: Outcome
  readonly body: unknown
  readonly next?: string | undefined
}

/** The longest that a client waits for an answer, in milliseconds; each client has its own patience. */
const shortestPatience = 3000
const longestPatience = 5000

/** The fewest license plates that make a request large, and how long it is waited for, in milliseconds. */
const large = 100
const largePatience = 30_000

/** The patience that a request needs that names so many license plates; `undefined`: that of its client. */
export const patienceFor = (plates: number): number | undefined => plates < large ? undefined : largePatience

/** How often a client hangs up on a write at once, before it repeats it, and after how many milliseconds at most. */
const hurriedShare = 0.05
const longestHurry = 20

const x12Type = "application/edi-x12"

let calls = 0
let requests = 0

/** A name for a request that no other has. */
export const newRequest = (): string => `r${++requests}`

/**
 * Refusals that are over when they are repeated later, or elsewhere. A connection that was opened for a call which was given up
 * is closed with 408 when nothing has come on it for 15 s, which a call that takes it at that moment gets.
 */
const passing = new Set([0, 401, 408, 429])

/** Whether a request that ended so is to be sent again. */
const isOpen = (outcome: Outcome): boolean =>
  outcome.type === "unknown" ||
  (outcome.type === "refused" && (passing.has(outcome.status) || outcome.code === "IDEMPOTENCY_KEY_IN_USE"))

/** A client of all instances, at random, or of one; it waits as long as given for each answer, or as it has patience. */
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

  /** A pause such as a client makes between two things. */
  async pause(longestMillis: number): Promise<void> {
    await wait(this.random.int(0, longestMillis))
  }

  /** Sends a request until its outcome is known, or `givenUp` says so; the last result. */
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

  /** Sends a request once; hangs up after so many milliseconds if that is given. */
  async attempt(request: Request, id = newRequest(), hurry?: number): Promise<Result> {
    const instance = this.instance()
    const token = await this.token(instance)
    return typeof token === "string" ? this.#send(instance, request, id, token, hurry) : token
  }

  /** The token for an instance, or how asking for one ended. */
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

  /** The token for an instance was refused: the next one is asked for anew. */
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

/** How a call ended that got no answer. Where nobody takes a connection nothing was sent. */
const brokenOff = (call: number, error: unknown): Outcome => {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  if (code === "ECONNREFUSED") return { type: "refused", call, status: 0, code: "NOT_SENT", tags: [] }
  return { type: "unknown", call, reason: code === "" ? String(error) : code, tags: [] }
}

/** The answer: JSON as a value, X12 as its text; `undefined` where it is neither. */
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

/** What an answer says is wrong: the code of a problem, that of the token endpoint, or that of the first error of GraphQL. */
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
