/**
 * What is at the address of a page of operators: the address is the path of the operator interface, so that each declared operation has its
 * page.
 */
import { declarations } from "../../api/operator.ts"
import { operatorPages } from "../../nav.ts"
import { labelOf } from "./Field.tsx"

/** A path of the operator interface, with the pattern that declares it. */
export interface Resource {
  /** Such as `/v1/operator/clients/:clientId`. */
  readonly pattern: string
  /** Such as `/v1/operator/clients/acme-client`. */
  readonly path: string
}

const base = "/v1/operator"

/** The address of the page of a path; those of endpoints are shorter. */
export const addressOf = (path: string): string =>
  path.slice(base.length).replace(/^\/webhook-endpoints\b/, "/webhooks")

const patternOf = (rest: string): string => rest.slice(rest.indexOf("/"))

const matches = (pattern: string, path: string): boolean => {
  const [parts, segments] = [pattern.split("/"), path.split("/")]
  return parts.length === segments.length &&
    parts.every((part, at) => part === segments[at] || (part.startsWith(":") && segments[at] !== ""))
}

/** What can be read at an address. */
export const resourceAt = (address: string): Resource | undefined => {
  const path = `${base}${address.replace(/^\/webhooks\b/, "/webhook-endpoints")}`
  const patterns = declarations().filter(({ kind }) => kind !== "write").map(({ rest }) => patternOf(rest))
    .filter((pattern) => matches(pattern, path))
    .toSorted((one, other) => one.split(":").length - other.split(":").length)
  return patterns[0] === undefined ? undefined : { pattern: patterns[0], path }
}

/** What is directly below a path: one resource for each segment. */
export const partsOf = (
  { path, pattern }: Resource
): ReadonlyArray<Resource & { readonly segment: string }> => {
  const segments = declarations().map(({ rest }) => patternOf(rest))
    .filter((each) => each.startsWith(`${pattern}/`))
    .map((each) => each.slice(pattern.length + 1))
    .filter((rest) => !rest.includes("/") && !rest.startsWith(":"))
  return Array.from(new Set(segments), (segment) => ({
    segment,
    pattern: `${pattern}/${segment}`,
    path: `${path}/${segment}`
  }))
}

/** The lists that are below nothing. */
export const firstLists = (): ReadonlyArray<Resource> =>
  declarations().filter(({ kind, rest }) => kind === "list" && !patternOf(rest).includes(":"))
    .map(({ rest }) => ({ pattern: patternOf(rest), path: patternOf(rest) }))

/** The changes of the service as a whole, which are below no list. */
export const firstChanges = () =>
  declarations().filter(({ kind, rest }) => {
    const pattern = patternOf(rest)
    return kind === "write" && !pattern.includes(":") &&
      !firstLists().some((list) => pattern === list.pattern || pattern.startsWith(`${list.pattern}/`))
  }).map((operation) => ({ operation, path: patternOf(operation.rest) }))

/** The name of a list for people. */
export const titleOf = (path: string): string =>
  operatorPages.find(({ target }) => target === addressOf(path))?.label ?? labelOf(path.split("/").at(-1)!)

/** The field of the rows of a list by which they are addressed: unless creations name it, the id or the slug. */
export const idOf = ({ pattern }: Resource, row: Readonly<Record<string, unknown>>): string => {
  const created = declarations().find(({ rest }) => rest === `POST ${pattern}`)?.creates
  return String(row[created ?? "id"] ?? row["id"] ?? row["slug"])
}

/** The operation with a method on each row of a list. */
export const operationBelow = (method: string, pattern: string) =>
  declarations().find(({ rest }) =>
    rest.startsWith(`${method} ${pattern}/:`) && !rest.slice(method.length + pattern.length + 2).includes("/")
  )

/** The page of each row of a list, if they have one. */
export const rowOf = ({ path, pattern }: Resource, id: string): Resource | undefined => {
  const read = operationBelow("GET", pattern)
  return read && { pattern: patternOf(read.rest), path: `${path}/${encodeURIComponent(id)}` }
}
