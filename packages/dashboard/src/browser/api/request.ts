/**
 * Requests to the service. The browser adds the cookie of the session to each; scripts know no token.
 */

/** The path of the dashboard, from the page that the server wrote. */
export const root = document.documentElement.dataset["root"] ?? "/dashboard"

/** The fault of a field of a request: its path, such as `grants[0].business`, and the expected value. */
export interface FieldFault {
  readonly path: string
  readonly detail: string
}

/** The failure of a request, with a message for people. */
export class Fault extends Error {
  /** The machine code of the refusal; `OFFLINE` when there was no answer. */
  readonly code: string
  /** The id by which the operators of the service find the request. */
  readonly correlationId: string
  /** The id of the last message that was dropped by age, if the request was for older messages. */
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

/** Notes that the reader is signing out: the end of the session then does not open the sign-in page. */
export const leave = (): void => void (isLeaving = true)

/** Opens the sign-in page, which leads back to this page. */
export const toSignIn = (): void => {
  if (isLeaving) return
  const next = location.pathname + location.search
  location.assign(withQuery(`${root}/sign-in`, { next }))
}

const patienceMillis = 20_000

/** Sends a request and returns the answer; throws a fault if there is no answer, or if the session has ended. */
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

/** The version of each state when it was last read or changed, by path. */
const versions = new Map<string, string>()

/** The version of the state at a path when it was last read or changed; `undefined` if it has no version. */
export const versionAt = (path: string): string | undefined => versions.get(path)

/** The code with which the service refuses a change that expects another version than the current one. */
export const changedMeanwhile = "PRECONDITION_FAILED"

/** Sends a request to a path below the root of the dashboard, and returns the JSON of the answer. Throws a fault for a refusal. */
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
 * Downloads the list at a path as CSV; a list of messages begins with the oldest message that is kept. Fails unless the list is complete.
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

/** The path of the GraphQL interface. */
const graphqlPath = "/api/graphql"

/** A GraphQL operation, with the types of its variables and its result. */
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

/** Sends an operation; returns the data that could be read, and the errors of the other fields. The schema justifies the cast. */
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

/** Reads many query fields in few requests; `null` for entities that do not exist or that the reader may not see. */
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
