/** What operators read and change, over REST; requests and answers have the types of the declarations of core. */
import type { Asked, Shown } from "@dockline/core/internal/operator/Change"
import type { OperatorOperations } from "@dockline/core/internal/operator/OperatorOperations"
import type { Page } from "@dockline/core/Page"
import { send } from "./request.ts"

/** Any declared operation of operators, and the operation of a route. */
type Declared = OperatorOperations[keyof OperatorOperations]
type At<Of extends Route> = Extract<Declared, { readonly rest: Of }>

export type Route = Declared["rest"]

/** What a request for the operation of a route says, and what the service answers. */
export type Question<Of extends Route> = Asked<At<Of>>
export type Answer<Of extends Route> = Shown<At<Of>>

/** Calls the operation of a route. The service answers as the operation is declared. */
export const call = <const Of extends Route>(
  route: Of,
  asked: Question<Of>,
  patience?: number
): Promise<Answer<Of>> => callWith(route, asked, patience)

/** {@link call} with what a form holds, whose fields come from the declaration; the service checks what they hold. */
export const callWith = async <const Of extends Route>(
  route: Of,
  asked: { readonly body?: unknown } & Readonly<Record<string, unknown>>,
  patience?: number
): Promise<Answer<Of>> => {
  const [method = "", pattern = ""] = route.split(" ")
  const { body, ...given } = asked
  const query = new Map(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => [name, String(value)])
  )
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = encodeURIComponent(query.get(name) ?? "")
    query.delete(name)
    return value
  })
  const parameters = new URLSearchParams(Array.from(query)).toString()
  const init = body === undefined
    ? {}
    : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
  const target = `/api${path}${parameters === "" ? "" : `?${parameters}`}`
  return await send(target, { method, ...init }, patience) as Answer<Of>
}

/** The most entries that are asked for at once. */
export const pageSize = 100

/** The most entries that a page shows. */
const shownAtMost = 1000

export interface Entries<Row> {
  readonly rows: ReadonlyArray<Row>
  /** Whether the list goes on after them. */
  readonly hasMore: boolean
}

/** All entries of a list, up to {@link shownAtMost}, and whether there are more. */
export const readAll = async <Row>(
  readPage: (page: { readonly limit: number; readonly after: string }) => Promise<Page<Row>>
): Promise<Entries<Row>> => {
  const found: Array<Row> = []
  let after = ""
  do {
    const { items, next } = await readPage({ limit: pageSize, after })
    found.push(...items)
    after = next ?? ""
  } while (after !== "" && found.length < shownAtMost)
  return { rows: found, hasMore: after !== "" }
}

/** The timeout of tests: the customer may take its time for the login and for each message. */
export const testMillis = 60_000
