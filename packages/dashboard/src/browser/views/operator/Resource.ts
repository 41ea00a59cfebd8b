/**
 * What is at the address of a page of operators, and what it is called: the address is the path of the operator interface, so that each
 * declared operation has its page.
 */
import { declarations } from "../../api/operator.ts"
import { operatorPages } from "../../nav.ts"

/** A path of the operator interface, with the pattern that declares it. */
export interface Resource {
  /** Such as `/v1/operator/clients/:clientId`. */
  readonly pattern: string
  /** Such as `/v1/operator/clients/acme-client`. */
  readonly path: string
}

/** What is directly below something. */
export interface Part extends Resource {
  readonly segment: string
}

const base = "/v1/operator"

/** The address of the page of a path; those of endpoints are shorter. */
export const addressOf = (path: string): string =>
  path.slice(base.length).replace(/^\/webhook-endpoints\b/, "/webhooks")

/** Whether a path has the segments of a pattern; those that begin with a colon are any. */
const matches = (pattern: string, path: string): boolean => {
  const [parts, segments] = [pattern.split("/"), path.split("/")]
  return parts.length === segments.length &&
    parts.every((part, at) => part === segments[at] || (part.startsWith(":") && segments[at] !== ""))
}

/** What can be read at an address. */
export const resourceAt = (address: string): Resource | undefined => {
  const path = `${base}${address.replace(/^\/webhooks\b/, "/webhook-endpoints")}`
  const [read] = declarations().filter(({ kind, pattern }) => kind !== "write" && matches(pattern, path))
    .toSorted((one, other) => one.pattern.split(":").length - other.pattern.split(":").length)
  return read && { pattern: read.pattern, path }
}

export const below = ({ path, pattern }: Resource, segment: string): Part => ({
  segment,
  pattern: `${pattern}/${segment}`,
  path: `${path}/${segment}`
})

/** What operations have directly below something, each segment once. */
export const partsOf = (resource: Resource): ReadonlyArray<Part> => {
  const rests = declarations().filter(({ pattern }) => pattern.startsWith(`${resource.pattern}/`))
    .map(({ pattern }) => pattern.slice(resource.pattern.length + 1))
  return Array.from(new Set(rests.filter((rest) => /^[^/:]+$/.test(rest))), (each) => below(resource, each))
}

/** The operations with a method on each row of a list: on the row itself, or on what is directly below it. */
export const operationsOfRow = (method: string, list: string, of: "itself" | "below" = "itself") =>
  declarations().filter((each) => {
    const [row = "", ...rest] = each.pattern.slice(list.length + 1).split("/")
    return each.method === method && each.pattern.startsWith(`${list}/`) && row.startsWith(":") &&
      rest.length === (of === "itself" ? 0 : 1)
  })

/** The lists that are below nothing. */
export const firstLists = (): ReadonlyArray<Resource> =>
  declarations().filter(({ kind, pattern }) => kind === "list" && !pattern.includes(":"))
    .map(({ pattern }) => ({ pattern, path: pattern }))

/** The changes of the service as a whole, which are below no list. */
export const firstChanges = () =>
  declarations().filter(({ kind, pattern }) =>
    kind === "write" && !pattern.includes(":") &&
    !firstLists().some((list) => `${pattern}/`.startsWith(`${list.pattern}/`))
  )

const short: Readonly<Record<string, string>> = { url: "URL", lpn: "LPN" }

/** A word in capitals, where the summary of an operation has it so. */
const capitals = (word: string): string | undefined => {
  const upper = word.toUpperCase()
  return declarations().some(({ summary }) => summary.split(" ").includes(upper)) ? upper : undefined
}

/** `baseUrl` as `Base URL`, and `lpn-labels` as `LPN labels`. */
export const labelOf = (name: string): string => {
  const words = name.replaceAll(/[A-Z][a-z]+/g, (word) => ` ${word.toLowerCase()}`).split(/[ _-]+/)
    .filter(Boolean).map((word) => short[word] ?? capitals(word) ?? word).join(" ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What one of a list is called: `Delivery` of `deliveries`. */
export const nounOf = (list: string): string => labelOf(list).replace(/ies$/, "y").replace(/s$/, "")

/** What the last segment of a path says. */
export const lastOf = (path: string): string => decodeURIComponent(path.split("/").at(-1)!)

/** The path above another one. */
export const above = (path: string): string => path.slice(0, path.lastIndexOf("/"))

/** The name of a list for people. */
export const titleOf = (path: string): string =>
  operatorPages.find(({ target }) => target === addressOf(path))?.label ?? labelOf(lastOf(path))

/** The list that the way to something begins at, and what it belongs to, if that is not the list. */
export const wayTo = ({ path, pattern }: Resource) => {
  const parent = /:\w+$/.test(pattern) ? above(above(path)) : above(path)
  return { list: path.split("/").slice(0, 4).join("/"), parent: parent === base ? undefined : parent }
}

/** What something is called: by its own name, or by what it is and its id or what it belongs to. */
export const nameOf = ({ path, pattern }: Resource, row: Readonly<Record<string, unknown>> = {}): string => {
  const isOfList = /:\w+$/.test(pattern)
  return String(
    row["name"] ?? row["baseUrl"] ?? row["slug"] ?? (isOfList
      ? `${nounOf(lastOf(above(path)))} ${lastOf(path)}`
      : `${labelOf(lastOf(path))} of ${lastOf(above(path))}`)
  )
}
