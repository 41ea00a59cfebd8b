/**
 * Pages of lists in the schema, as connections.
 */
import type { FieldError } from "@dockline/core/internal/values/CatalogueError"
import { idOf, isCursor, pageLimit } from "@dockline/core/Page"
import type { Page } from "@dockline/core/Page"
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
import { refusalOf, textFaults } from "./ArgumentFaults.ts"
import type { Leaf } from "./SchemaTypes.ts"

/** A text. */
export const text = new GraphQLNonNull(GraphQLString)

/** A list. */
export const listOf = (type: Leaf | GraphQLObjectType) =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)))

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

/** The type of pages of a list, in an order. */
export const connectionType = (
  node: GraphQLObjectType,
  name: string,
  what: string,
  order = "id order"
) =>
  new GraphQLObjectType({
    name: `${name}Connection`,
    description: `A page of ${what}, in ${order}.`,
    fields: {
      nodes: { type: listOf(node), description: `The ${what} of the page` },
      edges: {
        type: listOf(
          new GraphQLObjectType({
            name: `${name}Edge`,
            description: `One of ${what} with its cursor.`,
            fields: {
              node: { type: new GraphQLNonNull(node), description: "What it is" },
              cursor: { type: text, description: "What to ask for what follows it with, as after" }
            }
          })
        ),
        description: `The ${what} of the page with their cursors`
      },
      pageInfo: { type: new GraphQLNonNull(PageInfo), description: "Where the page ends" }
    }
  })

/** The arguments of a page. */
export const pageArgs: GraphQLFieldConfigArgumentMap = {
  first: {
    type: GraphQLInt,
    description: `The most entries of the page: 1 to ${pageLimit}; it may end earlier`,
    default: { value: pageLimit }
  },
  after: { type: GraphQLString, description: "The endCursor of the page before" }
}

/** See {@link pageArgs}. */
export interface PageArgs {
  readonly first?: number | null
  readonly after?: string | null
}

/** The arguments of a list at places. */
export interface ListArgs extends PageArgs {
  readonly business?: string | null
  readonly facility?: string | null
}

/** Texts among arguments. */
type Texts = Readonly<Record<string, string | null | undefined>>

/** The query of arguments; `texts` are further texts among them, and `afterOf` reads the cursor, unless it is none. */
const queryOf = <After>(afterOf: (after: string) => After | undefined) =>
  Effect.fnUntraced(function*({ business, facility, first, after }: ListArgs, texts: Texts = {}) {
    const errors: Array<FieldError> = Array.from(textFaults({ business, facility, ...texts }))
    const limit = first ?? pageLimit
    if (limit < 1 || limit > pageLimit) errors.push({ path: "first", detail: `must be 1 to ${pageLimit}` })
    const from = afterOf(after ?? "")
    if (from === undefined) errors.push({ path: "after", detail: "must be the endCursor of a page" })
    const refusal = refusalOf(errors)
    if (refusal !== undefined) return yield* refusal
    return { business: business ?? undefined, facility: facility ?? undefined, limit, after: from! }
  })

/** The query of a list whose cursors are ids. */
export const listQuery = queryOf((after) => after === "" || after === "0" ? 0 : idOf(after))

/** The query of a list whose cursors are ids or, in the order of times, positions. */
export const timedListQuery = queryOf((after) => after === "" || isCursor(after) ? after : undefined)
