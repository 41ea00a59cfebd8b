/**
 * The resource at the address of a page of operators, and its name. Addresses derive from the paths of the operator interface, so that
 * each declared operation has its page.
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

const base = "/v1/operator"

/** The address of the page for a path; addresses of endpoints are shorter than their paths. */
export const addressOf = (path: string): string =>
  path.slice(base.length).replace(/^\/webhook-endpoints\b/, "/webhooks")

/** Whether a path matches a pattern; segments of the pattern that begin with a colon match any. */
const matches = (pattern: string, path: string): boolean => {
  const [parts, segments] = [pattern.split("/"), path.split("/")]
  return parts.length === segments.length &&
    parts.every((part, at) => part === segments[at] || (part.startsWith(":") && segments[at] !== ""))
}

/** The readable resource at an address. */
export const resourceAt = (address: string): Resource | undefined => {
  const path = `${base}${address.replace(/^\/webhooks\b/, "/webhook-endpoints")}`
  const [read] = declarations().filter(({ kind, pattern }) => kind !== "write" && matches(pattern, path))
    .toSorted((one, other) => one.pattern.split(":").length - other.pattern.split(":").length)
  return read && { pattern: read.pattern, path }
}

export const below = ({ path, pattern }: Resource, segment: string): Resource => ({
  pattern: `${pattern}/${segment}`,
  path: `${path}/${segment}`
})

/** The resources directly below a resource, each segment once. */
export const partsOf = (resource: Resource): ReadonlyArray<Resource> => {
  const rests = declarations().filter(({ pattern }) => pattern.startsWith(`${resource.pattern}/`))
    .map(({ pattern }) => pattern.slice(resource.pattern.length + 1))
  return Array.from(new Set(rests.filter((rest) => /^[^/:]+$/.test(rest))), (each) => below(resource, each))
}

/** The operations with a method on each row of a list: on the row itself, or on a resource directly below it. */
export const operationsOfRow = (method: string, list: string, of: "itself" | "below" = "itself") =>
  declarations().filter((each) => {
    const [row = "", ...rest] = each.pattern.slice(list.length + 1).split("/")
    return each.method === method && each.pattern.startsWith(`${list}/`) && row.startsWith(":") &&
      rest.length === (of === "itself" ? 0 : 1)
  })

/** The lists that are below no other resource. */
export const firstLists = (): ReadonlyArray<Resource> =>
  declarations().filter(({ kind, pattern }) => kind === "list" && !pattern.includes(":"))
    .map(({ pattern }) => ({ pattern, path: pattern }))

/** The changes of the service as a whole, which belong to no list. */
export const firstChanges = () =>
  declarations().filter(({ kind, pattern }) =>
    kind === "write" && !pattern.includes(":") &&
    !firstLists().some((list) => `${pattern}/`.startsWith(`${list.pattern}/`))
  )

const short: Readonly<Record<string, string>> = { url: "URL", lpn: "LPN" }

/** A word in capitals, if the summary of an operation has it in capitals; `undefined` otherwise. */
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

/** The name of one entry of a list: `Delivery` for `deliveries`. */
export const nounOf = (list: string): string => labelOf(list).replace(/ies$/, "y").replace(/s$/, "")

/** The last segment of a path, decoded. */
export const lastOf = (path: string): string => decodeURIComponent(path.split("/").at(-1)!)

/** The path without its last segment. */
export const above = (path: string): string => path.slice(0, path.lastIndexOf("/"))

/** The name of a list for people. */
export const titleOf = (path: string): string =>
  operatorPages.find(({ target }) => target === addressOf(path))?.label ?? labelOf(lastOf(path))

/** The list at the beginning of a resource's path, and the resource's parent unless that is the list. */
export const wayTo = ({ path, pattern }: Resource) => {
  const parent = /:\w+$/.test(pattern) ? above(above(path)) : above(path)
  return { list: path.split("/").slice(0, 4).join("/"), parent: parent === base ? undefined : parent }
}

/** The name of a resource: its own, or its kind with its id, or with the name of its parent. */
export const nameOf = ({ path, pattern }: Resource, row: Readonly<Record<string, unknown>> = {}): string => {
  const isOfList = /:\w+$/.test(pattern)
  return String(
    row["name"] ?? row["baseUrl"] ?? row["slug"] ?? (isOfList
      ? `${nounOf(lastOf(above(path)))} ${lastOf(path)}`
      : `${labelOf(lastOf(path))} of ${lastOf(above(path))}`)
  )
}
