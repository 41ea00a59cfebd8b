/**
 * Requests to the service. Each includes the cookie of the session; nothing here knows a token.
 */

/** The path of the dashboard, from the page that the server wrote. */
export const root = document.documentElement.dataset["root"] ?? "/dashboard"

/** The fault of a field of a request: its path, such as `grants[0].business`, and the expected value. */
export interface FieldFault {
  readonly path: string
  readonly detail: string
}

/** A request that failed, in words for people. */
export class Fault extends Error {
  /** The machine code of the refusal; `OFFLINE` when there was no answer. */
  readonly code: string
  /** The id by which the operators of the service find the request. */
  readonly correlationId: string
  /** The last message that was dropped by age, if the request was for older ones. */
  readonly droppedId: number | undefined
  /** The faults of single fields. */
  readonly errors: ReadonlyArray<FieldFault>

  constructor(
    message: string,
    code: string,
    correlationId = "",
    { droppedId, errors = [] }: {
      readonly droppedId?: number | undefined
      readonly errors?: ReadonlyArray<FieldFault> | undefined
    } = {}
  ) {
    super(message)
    this.code = code
    this.correlationId = correlationId
    this.droppedId = droppedId
    this.errors = errors
  }
}

export const faultOf = (error: unknown): Fault =>
  error instanceof Fault ? error : new Fault(String(error), "FAILED")

interface Refusal {
  readonly detail?: string
  readonly code?: string
  readonly droppedId?: number
  readonly errors?: ReadonlyArray<FieldFault>
}

let isLeaving = false

/** Notes that the reader is signing out, so that the end of the session no longer leads to the sign-in page. */
export const leave = (): void => void (isLeaving = true)

/** Leads to the sign-in page, and from there back to this page. */
export const toSignIn = (): void => {
  if (isLeaving) return
  const next = location.pathname + location.search
  location.assign(withQuery(`${root}/sign-in`, { next }))
}

const patienceMillis = 20_000

/** The answer to a request; a fault if there is none, or if the session has ended. */
const respond = async (path: string, init: RequestInit, patience = patienceMillis): Promise<Response> => {
  let response: Response
  try {
    response = await fetch(root + path, { ...init, signal: AbortSignal.timeout(patience) })
  } catch {
    throw new Fault("The service cannot be reached. The page continues by itself when it can.", "OFFLINE")
  }
  if (response.status !== 401) return response
  toSignIn()
  throw new Fault("Your session has ended. Sign in again.", "UNAUTHENTICATED")
}

const correlationIdOf = ({ headers }: Response): string => headers.get("correlation-id") ?? ""

const refusalFault = (response: Response, body: unknown): Fault => {
  const { detail = `The service answered ${response.status}.`, code = "FAILED", droppedId, errors } =
    body as Refusal
  return new Fault(detail, code, correlationIdOf(response), { droppedId, errors })
}

/** The versions of the states that were read or changed last, by path. */
const versions = new Map<string, string>()

/** The version of the state that was read or changed last at a path; `undefined` if it has none. */
export const versionAt = (path: string): string | undefined => versions.get(path)

/** The code of the refusal of a change that expects another version than the present one. */
export const changedMeanwhile = "PRECONDITION_FAILED"

/** Sends a request to a path below that of the dashboard, and returns its JSON. A refusal becomes a fault. */
export const send = async (path: string, init: RequestInit = {}, patience?: number): Promise<unknown> => {
  const headers = { accept: "application/json", ...init.headers }
  const response = await respond(path, { ...init, headers }, patience)
  const body: unknown = await response.json().catch(() => ({}))
  const version = response.headers.get("etag")
  if (version !== null) versions.set(path, version)
  const isAnswer = path === graphqlPath && response.status < 500 && "errors" in (body as object)
  if (response.ok && Array.isArray(body)) return body
  if (response.ok || isAnswer) return { ...(body as object), correlationId: correlationIdOf(response) }
  throw refusalFault(response, body)
}

/** A path with a query; empty parameters are left out. */
export const withQuery = (path: string, parameters: object): string => {
  const query = new URLSearchParams(
    Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "")
      .map(([name, value]) => [name, String(value)])
  )
  const text = query.toString()
  return text === "" ? path : `${path}?${text}`
}

const downloadMillis = 5 * 60_000

/**
 * Downloads the list at a path as CSV; a list of messages has those that are kept. Fails unless the service has sent all of it.
 */
export const download = async (path: string, droppedId?: number): Promise<string> => {
  const from = droppedId === undefined ? path : `${path}&afterId=${droppedId}`
  const response = await respond(from, { headers: { accept: "text/csv" } }, downloadMillis)
  if (!response.ok) {
    const fault = refusalFault(response, await response.json().catch(() => ({})))
    // Meanwhile, more messages may have been dropped.
    if (fault.droppedId !== undefined) return download(path, fault.droppedId)
    throw fault
  }
  return response.text().catch(() => {
    throw new Fault(
      "The list broke off before its end: it may be too long for one file.",
      "INCOMPLETE",
      correlationIdOf(response)
    )
  })
}

/** The path of GraphQL, whose refusals have a form of their own. */
const graphqlPath = "/api/graphql"

/** An operation of GraphQL, with the types of its variables and its result. */
export interface Operation<Variables, Result> {
  readonly text: string
  /** The path of the result in the answer. */
  readonly path: ReadonlyArray<string>
  /** Carries the types; it has no value. */
  readonly types?: (variables: Variables) => Result
}

/** An error of GraphQL. */
interface GraphqlError {
  readonly message: string
  readonly extensions?: {
    readonly code?: string
    readonly reason?: string
    readonly droppedId?: number
    readonly errors?: ReadonlyArray<FieldFault>
  }
}

const codeOf = ({ extensions }: GraphqlError): string => extensions?.reason ?? extensions?.code ?? "FAILED"

const faultIn = (error: GraphqlError, correlationId: string): Fault =>
  new Fault(error.message, codeOf(error), correlationId, error.extensions)

interface Answer<Result> {
  readonly data?: Result | null
  readonly errors?: ReadonlyArray<GraphqlError>
  readonly correlationId: string
}

/** Sends an operation, whose answer follows the schema; returns the data that could be read, and the errors of the rest. */
const ask = async <Result>(text: string, variables?: unknown, key?: string): Promise<Answer<Result>> =>
  await send(graphqlPath, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) },
    body: JSON.stringify({ query: text, variables })
  }) as Answer<Result>

/** Runs a query or a mutation; a mutation with a key is executed once, however often it is sent. */
export const run = async <Variables, Result>(
  { path, text }: Operation<Variables, Result>,
  variables: Variables,
  key?: string
): Promise<Result> => {
  const { correlationId, data, errors } = await ask<unknown>(text, variables, key)
  const [error] = errors ?? []
  if (error !== undefined) throw faultIn(error, correlationId)
  return path.reduce<unknown>((value, name) => (value as Fields | null | undefined)?.[name], data) as Result
}

type Fields = Readonly<Record<string, unknown>>

/** The service accepts at most 15 aliases in one operation. */
const askedAtOnce = 15

const isUnseen = (error: GraphqlError): boolean => /_NOT_FOUND$|^FORBIDDEN$/.test(codeOf(error))

/** Reads fields of queries, many in one request; `null` for entities that do not exist or are not visible. */
export const readEach = async <A>(fields: ReadonlyArray<string>): Promise<ReadonlyArray<A | null>> => {
  const answers: Array<A | null> = []
  for (let at = 0; at < fields.length; at += askedAtOnce) {
    const some = fields.slice(at, at + askedAtOnce).map((field, n) => `f${n}: ${field}`)
    const { correlationId, data, errors = [] } = await ask<Readonly<Record<string, A | null>>>(
      `query Each { ${some.join(" ")} }`
    )
    const error = errors.find((each) => !isUnseen(each))
    if (error !== undefined) throw faultIn(error, correlationId)
    answers.push(...some.map((_, n) => data?.[`f${n}`] ?? null))
  }
  return answers
}
