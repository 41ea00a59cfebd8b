/**
 * The operations of operators over REST, as the service declares them, including the vocabulary of its capabilities. The declarations are
 * loaded before the first page of operators is shown.
 */
import type { Page as RestPage } from "@dockline/core/values/Page"
import type { Declaration } from "../../pages/Declarations.ts"
import type { Page } from "./operations.ts"
import { send, withQuery } from "./request.ts"

/** A view of an entity that operators change, with the fields that its operation declares. */
export type Row = Readonly<Record<string, unknown>>

let operations: ReadonlyArray<Declaration> = []

export const loadOperations = async (): Promise<void> => {
  operations = await send("/operations") as typeof operations
}

export const declarations = (): ReadonlyArray<Declaration> => operations

/** The operation with a method and a path pattern, such as `/v1/operator/clients/:clientId`. */
export const operationAt = (method: string, pattern: string): Declaration | undefined =>
  operations.find((each) => each.method === method && each.pattern === pattern)

/** The time limit of a change, which may wait for another server, as a test message does. */
const changeMillis = 60_000

/** Sends a request to a path of REST. With `version`, the service refuses a change if the current version is another one. */
export const perform = (
  method: string,
  path: string,
  body?: unknown,
  { version }: { readonly version?: string | undefined } = {}
): Promise<unknown> =>
  send(`/api${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(version === undefined ? {} : { "if-match": version })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  }, method === "GET" ? undefined : changeMillis)

/** The time limit for sending and handling a file. */
const fileMillis = 5 * 60_000

/** Sends a file unchanged to a path of REST. */
export const performFile = (path: string, file: Blob, type: string): Promise<unknown> =>
  send(`/api${path}`, { method: "POST", headers: { "content-type": type }, body: file }, fileMillis)

/** The most entries of one request. */
const pageSize = 100

/** Reads a page of a list over REST, and returns it in the form of GraphQL. Its rows have the fields that the operation declares. */
export const readList = async <Entry = Row>(
  path: string,
  query: object,
  after: string | null
): Promise<Page<Entry>> => {
  const address = withQuery(path, { ...query, limit: pageSize, after })
  const { items, next } = await perform("GET", address) as RestPage<Entry>
  return { nodes: items, pageInfo: { hasNextPage: next !== null, endCursor: next } }
}
