/** Pages of lists in the schema, as connections. */
import type * as Operation from "@dockline/core/access/Operation"
import type { FieldError } from "@dockline/core/values/CatalogueError"
import { InvalidRequest } from "@dockline/core/values/Errors"
import { textFault } from "@dockline/core/values/Field"
import { idOf, isCursor, pageLimit } from "@dockline/core/values/Page"
import type { Page } from "@dockline/core/values/Page"
import { Effect } from "effect"
import {
  GraphQLBoolean,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString
} from "graphql"
import type { GraphQLFieldConfigArgumentMap } from "graphql"
import type { Leaf } from "./SchemaTypes.ts"

export const text = new GraphQLNonNull(GraphQLString)

export const listOf = (type: Leaf | GraphQLObjectType) =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)))

/** The faults of texts by their paths: what holds for the texts of a document holds for them (D2.4). Absent texts have none. */
export const textFaults = (texts: Readonly<Record<string, unknown>>): ReadonlyArray<FieldError> =>
  Object.entries(texts).flatMap(([path, text]) => {
    const detail = typeof text === "string" ? textFault(text) : undefined
    return detail === undefined ? [] : [{ path, detail }]
  })

/** The refusal of faults; `undefined` without any. */
export const refusalOf = (errors: ReadonlyArray<FieldError>): InvalidRequest | undefined =>
  errors.length === 0 ? undefined : new InvalidRequest({ errors })

const PageInfo = new GraphQLObjectType({
  name: "PageInfo",
  description: "Where a page of a list ends.",
  fields: {
    hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean), description: "Whether more follows" },
    endCursor: {
      type: GraphQLString,
      description: "What to ask the next page with, as after; null on the last"
    }
  }
})

/** The connection of a page. A cursor is what the page after its node is asked for with. */
export const connectionOf = <Node>(
  { items, next }: Page<Node>,
  cursorOf: (node: Node, index: number) => string | number
) => ({
  nodes: items,
  edges: items.map((node, index) => ({ node, cursor: String(cursorOf(node, index)) })),
  pageInfo: { hasNextPage: next !== null, endCursor: next }
})

/** What the pages of the lists of the contract hold, and in which order; the order is that of ids unless given. */
const pages: Readonly<Record<string, readonly [what: string, order?: string]>> = {
  Shipment: ["shipments", "the order that was asked for"],
  Order: ["orders"],
  Item: ["items"],
  Pallet: ["pallets", "id order on a shipment, newest first otherwise"],
  Discrepancy: ["discrepancies", "the order of items and pallets"],
  Document: ["recorded documents", "order, newest first"],
  Search: ["hits", "the order of how exactly they are meant, of kinds, and of age"]
}

/** The type of the pages of a list, such as `ShipmentPage`. */
export const connectionType = (
  node: GraphQLObjectType,
  { holds, page }: Pick<Operation.AnyList, "holds" | "page">
) => {
  const name = page.replace(/Page$/, "")
  const [what, order = "id order"] = holds ?? pages[name] ?? []
  if (what === undefined) throw new TypeError(`Nothing says what ${page} holds`)
  const edge = new GraphQLObjectType({
    name: `${name}Edge`,
    description: `One of ${what} with its cursor.`,
    fields: {
      node: { type: new GraphQLNonNull(node), description: "What it is" },
      cursor: { type: text, description: "What to ask for what follows it with, as after" }
    }
  })
  return new GraphQLObjectType({
    name: `${name}Connection`,
    description: `A page of ${what}, in ${order}.`,
    fields: {
      nodes: { type: listOf(node), description: `The ${what} of the page` },
      edges: { type: listOf(edge), description: `The ${what} of the page with their cursors` },
      pageInfo: { type: new GraphQLNonNull(PageInfo), description: "Where the page ends" }
    }
  })
}

export const pageArgs: GraphQLFieldConfigArgumentMap = {
  first: {
    type: GraphQLInt,
    description: `The most entries of the page: 1 to ${pageLimit}; it may end earlier`,
    default: { value: pageLimit }
  },
  after: { type: GraphQLString, description: "The endCursor of the page before" }
}

export interface PageArgs {
  readonly first?: number | null
  readonly after?: string | null
}

/** Reads which page of a list is asked for, beside its filters; positions are cursors, all others are ids. */
export const readPage = (
  { after, first }: PageArgs,
  filter: Readonly<Record<string, unknown>>,
  cursor: Operation.Cursor
): Effect.Effect<{ readonly limit: number; readonly after: string | number }, InvalidRequest> => {
  const errors = Array.from(textFaults(filter))
  const limit = first ?? pageLimit
  if (limit < 1 || limit > pageLimit) errors.push({ path: "first", detail: `must be 1 to ${pageLimit}` })
  const given = after ?? ""
  const from = cursor === "position"
    ? given === "" || isCursor(given) ? given : undefined
    : cursor === "name"
    ? textFault(given) === undefined ? given : undefined
    : given === "" || given === "0"
    ? 0
    : idOf(given)
  if (from === undefined) errors.push({ path: "after", detail: "must be the endCursor of a page" })
  const refusal = refusalOf(errors)
  return refusal === undefined ? Effect.succeed({ limit, after: from ?? 0 }) : Effect.fail(refusal)
}
