/** What operators read and change, over REST; requests and answers have the types of the declarations of core. */
import type { AnswerView, Request } from "@dockline/core/access/Operation"
import type { operatorOperations } from "@dockline/core/operator/OperatorOperations"
import type { Page as RestPage } from "@dockline/core/values/Page"
import type { Page } from "./operations.ts"
import { readPages } from "./pages.ts"
import type { Read } from "./pages.ts"
import { send, withQuery } from "./request.ts"

/** The tables of operations of operators that pages call: the contract's here, and in the folder of each capability its own. */
export interface OperatorTables {
  readonly contract: typeof operatorOperations
}

/** Any declared operation of operators, and the operation of a route. */
type Declared = {
  [Name in keyof OperatorTables]: OperatorTables[Name][keyof OperatorTables[Name]]
}[keyof OperatorTables]
type At<Of extends Route> = Extract<Declared, { readonly rest: Of }>

export type Route = Declared["rest"]

/** What a request for the operation of a route says, and what the service answers. */
export type Question<Of extends Route> = Request<At<Of>>
export type Answer<Of extends Route> = AnswerView<At<Of>>

/** An entry of the list of a route. */
export type Entry<Of extends Route> = Answer<Of> extends RestPage<infer Row extends object> ? Row : never

/** Calls the operation of a route. The service answers as the operation is declared. */
export const call = <const Of extends Route>(
  route: Of,
  question: Question<Of>,
  patience?: number
): Promise<Answer<Of>> => callWith(route, question, patience)

/**
 * {@link call} with what a form holds, whose fields come from the declaration; the service checks what they hold, and refuses a change of
 * another version than the given one.
 */
export const callWith = async <const Of extends Route>(
  route: Of,
  question: { readonly body?: unknown } & Readonly<Record<string, unknown>>,
  patience?: number,
  version?: string
): Promise<Answer<Of>> => {
  const { body, ...parameters } = question
  const headers = {
    "content-type": "application/json",
    ...(version === undefined ? {} : { "if-match": version })
  }
  const init = body === undefined ? {} : { headers, body: JSON.stringify(body) }
  const method = route.slice(0, route.indexOf(" "))
  return await send(targetOf(route, parameters), { method, ...init }, patience) as Answer<Of>
}

/** The path of a route for pages: with its parameters, and what else is given as a query, but for what is empty. */
export const targetOf = (route: Route, parameters: Readonly<Record<string, unknown>>): string => {
  const query: Record<string, unknown> = { ...parameters }
  const path = route.slice(route.indexOf("/")).replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(query[name] ?? "")
    delete query[name]
    return encodeURIComponent(value)
  })
  return withQuery(`/api${path}`, query)
}

/** The most entries that are asked for at once. */
export const pageSize = 100

/** The most entries that a page shows. */
const shownAtMost = 1000

/** All entries of the list of a route, up to {@link shownAtMost}, and whether there are more. */
export const readAll = <const Of extends Route>(
  route: Of,
  params: Readonly<Record<string, string>>
): Promise<Read<Entry<Of>>> =>
  readPages(shownAtMost / pageSize, async (after) =>
    // The route is that of a list.
    pageOf(await callWith(route, { ...params, limit: pageSize, after }) as RestPage<Entry<Of>>))

/** A page of REST as GraphQL has it. */
export const pageOf = <Row>({ items, next }: RestPage<Row>): Page<Row> => ({
  nodes: items,
  pageInfo: { hasNextPage: next !== null, endCursor: next }
})

/** The timeout of tests: the customer may take its time for the login and for each message. */
export const testMillis = 60_000
