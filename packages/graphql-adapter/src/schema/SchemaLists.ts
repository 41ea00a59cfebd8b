/**
 * The fields that read lists and entities, from the operations of core: their types, arguments, descriptions and answers. A page of a list
 * is a connection.
 */
import { wordsOf } from "@dockline/core/access/Operation"
import type * as Operation from "@dockline/core/access/Operation"
import { listing, methodsOf, reading } from "@dockline/core/capability/OperationRegistry"
import { cursorOfShipment } from "@dockline/core/movement/ShipmentList"
import { ShipmentView } from "@dockline/core/shipment/View"
import type { CatalogueError, FieldError } from "@dockline/core/values/CatalogueError"
import { InvalidRequest } from "@dockline/core/values/Errors"
import { isDate, textFault } from "@dockline/core/values/Field"
import { idOf, isCursor, pageLimit } from "@dockline/core/values/Page"
import type { Page } from "@dockline/core/values/Page"
import { Effect, Predicate, Record, SchemaAST, Struct } from "effect"
import {
  GraphQLBoolean,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString
} from "graphql"
import type {
  GraphQLFieldConfig,
  GraphQLFieldConfigArgumentMap,
  GraphQLNullableInputType,
  GraphQLResolveInfo
} from "graphql"
import { makeReadWithin, shapeOf } from "../resolvers/AnswerLimits.ts"
import type { GraphqlContext, SchemaServices } from "../resolvers/Run.ts"
import { ShipmentOrder } from "./SchemaNotes.ts"
import { DateTime, Long } from "./SchemaTypes.ts"
import type { Leaf, OutputTypes } from "./SchemaTypes.ts"

export const text = new GraphQLNonNull(GraphQLString)

export const listOf = (type: Leaf | GraphQLObjectType) =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)))

/**
 * The faults of texts, with their paths, by the rules for texts in documents (D2.4). Absent texts have no faults.
 */
export const textFaults = (texts: Readonly<Record<string, unknown>>): ReadonlyArray<FieldError> =>
  Object.entries(texts).flatMap(([path, text]) => {
    const detail = typeof text === "string" ? textFault(text) : undefined
    return detail === undefined ? [] : [{ path, detail }]
  })

/** The refusal of faults; `undefined` without any. */
export const refusalOf = (errors: ReadonlyArray<FieldError>): InvalidRequest | undefined =>
  errors.length === 0 ? undefined : new InvalidRequest({ errors })

type Args = Readonly<Record<string, unknown>>

/** An entry of a list; only lists of shipments have positions. */
type Node = ShipmentView | { readonly id: string | number }

const nothing: Page<Node> = { items: [], next: null }

/** The names of path parameters in GraphQL, where they differ from the names in core. */
const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pallet: { id: "shipmentId", palletId: "id" }
}

/** The parameters of a path as arguments or input fields with names by `nameOf`. The parameter `id` is a number. */
export const idsOf = (params: Operation.Fields, nameOf: (name: string) => string) => ({
  fields: Record.mapEntries(params, ({ ast }, name) => [nameOf(name), {
    type: name === "id" ? new GraphQLNonNull(Long) : text,
    description: SchemaAST.resolveDescription(ast) ?? ""
  }]),
  read: (args: Args): Readonly<Record<string, string>> =>
    Record.map(params, (_, name) => String(args[nameOf(name)]))
})

/** Makes a field for each operation of core that reads. Lists of a shipment become fields of the shipment. */
export const makeFields = (services: SchemaServices, types: OutputTypes) => {
  const { operations } = services.registry
  const handle = reading(services.registry)
  const readList = listing(services.registry)
  const readWithin = makeReadWithin(services)
  const connections = new Map<string, GraphQLObjectType>()

  const typeOf = (ast: SchemaAST.AST): GraphQLNullableInputType => {
    const words = wordsOf(ast)?.name
    if (words !== undefined) return words === ShipmentOrder.name ? ShipmentOrder : types.enum(words)
    if (isDate(ast)) return DateTime
    return ast._tag === "Boolean" ? GraphQLBoolean : GraphQLString
  }

  const filterArgs = (filters: Operation.Fields): GraphQLFieldConfigArgumentMap =>
    Record.map(filters, ({ ast }) => ({
      type: SchemaAST.isOptional(ast) ? typeOf(ast) : new GraphQLNonNull(typeOf(ast)),
      description: SchemaAST.resolveDescription(ast)
    }))

  const connectionFor = (list: Operation.AnyList) => {
    const { page, row } = list
    const type = connections.get(page) ?? connectionType(types.object(row), list)
    connections.set(page, type)
    return new GraphQLNonNull(type)
  }

  /**
   * The field of a list. The list of a shipment is a field of the shipment; it is empty for the shipment of a dry run, which has the id 0.
   */
  const list = (method: string) => {
    // The caller names a list.
    const operation = operations[method] as Operation.AnyList
    const { cursor, description, filters, params } = operation
    const beside = idsOf(Struct.omit(params, ["id"]), (name) => name)
    const cursorOf = (filter: Args, after: number) => (node: Node, index: number) =>
      cursor === "count"
        ? after + index + 1
        : cursor === "position" && "statusEvents" in node
        ? cursorOfShipment(node, filter)
        : node.id
    return {
      type: connectionFor(operation),
      description,
      args: { ...beside.fields, ...filterArgs(filters), ...pageArgs },
      resolve: (
        source: unknown,
        args: PageArgs & Args,
        context: GraphqlContext,
        info: GraphQLResolveInfo
      ) => {
        const filter = Record.map(filters, (_, name) => args[name] ?? undefined)
        const id = "id" in params && Predicate.hasProperty(source, "id") ? { id: String(source.id) } : {}
        const read: Effect.Effect<Page<Node>, CatalogueError> = Effect.flatMap(
          readPage(args, filter, cursor),
          (page) =>
            id.id === "0"
              ? Effect.succeed(nothing)
              // Only a list whose rows have an id becomes a connection.
              : readList(
                method,
                { ...filter, ...page, ...beside.read(args), ...id },
                context.session.principal
              ) as Effect.Effect<Page<Node>, CatalogueError>
        )
        return readWithin(
          { source, args, context, info },
          Effect.map(read, (page) => connectionOf(page, cursorOf(filter, Number(args.after ?? 0)))),
          ({ nodes }) => nodes,
          "connection"
        )
      }
    }
  }

  /**
   * The field of an entity; its arguments are the parameters of the path. If only lists of the entity are selected, the entity itself
   * is not read: each list checks whether the client may see it.
   */
  const entity = (method: string): GraphQLFieldConfig<unknown, GraphqlContext, Args> => {
    // The caller names a read.
    const operation = operations[method] as Operation.AnyRead
    const { description, entity = description, params, view } = operation
    const type = types.object(view)
    const ids = idsOf(params, (name) => names[method]?.[name] ?? name)
    return {
      type,
      description: entity,
      args: ids.fields,
      resolve: (source, args, context, info) => {
        const read: Effect.Effect<unknown, CatalogueError> = hasListsAlone(type, info) && args["id"] !== 0
          ? Effect.succeed({ id: args["id"] })
          : handle(method, ids.read(args), context.session.principal)
        return readWithin({ source, args, context, info }, read, (value) => [value], "entity")
      }
    }
  }

  const lists = methodsOf(operations, "list").filter((method) => method !== "messages")
  const isOfShipment = (method: string) => "id" in (operations[method]?.params ?? {})
  const fields = (methods: ReadonlyArray<string>) =>
    Object.fromEntries(methods.map((method) => [fieldOf(method), list(method)]))
  // Other types contain shipments, so the type of shipments is made first, with its lists.
  types.object(ShipmentView, fields(lists.filter(isOfShipment)))
  return {
    ...Object.fromEntries(methodsOf(operations, "read").map((method) => [method, entity(method)])),
    ...fields(lists.filter((method) => !isOfShipment(method)))
  }
}

/** The name of the field of a list: a list of a shipment is a field of the shipment. */
const fieldOf = (method: string): string =>
  method.replace(/^shipment(?=[A-Z])(.)/, (_, first: string) => first.toLowerCase())

/** Whether a selection has only fields with resolvers and arguments, such as lists, which do not need the rest of the object. */
const hasListsAlone = (type: GraphQLObjectType, info: GraphQLResolveInfo): boolean => {
  const shape = shapeOf(info)
  return shape.length > 0 && shape.every(({ name }) => {
    const { args = [], resolve } = type.getFields()[name] ?? {}
    return resolve !== undefined && args.length > 0
  })
}

const PageInfo = new GraphQLObjectType({
  name: "PageInfo",
  description: "Where a page of a list ends.",
  fields: {
    hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean), description: "Whether more follows" },
    endCursor: {
      type: GraphQLString,
      description: "The cursor of the next page, for after; null on the last"
    }
  }
})

/** The connection of a page. The cursor of a node is the `after` of a page that begins after the node. */
const connectionOf = <Node>(
  { items, next }: Page<Node>,
  cursorOf: (node: Node, index: number) => string | number
) => ({
  nodes: items,
  edges: items.map((node, index) => ({ node, cursor: String(cursorOf(node, index)) })),
  pageInfo: { hasNextPage: next !== null, endCursor: next }
})

/** The type of the pages of a list, such as `ShipmentPage`. */
const connectionType = (
  node: GraphQLObjectType,
  { holds, page }: Pick<Operation.AnyList, "holds" | "page">
) => {
  const name = page.replace(/Page$/, "")
  if (holds === undefined) throw new TypeError(`Nothing says what ${page} holds`)
  const [what, order = "id order"] = holds
  const edge = new GraphQLObjectType({
    name: `${name}Edge`,
    description: `One of ${what} with its cursor.`,
    fields: {
      node: { type: new GraphQLNonNull(node), description: "What it is" },
      cursor: { type: text, description: "Its cursor, for after, to request the entries that follow it" }
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

const pageArgs: GraphQLFieldConfigArgumentMap = {
  first: {
    type: GraphQLInt,
    description: `The most entries of the page: 1 to ${pageLimit}; it may end earlier`,
    default: { value: pageLimit }
  },
  after: { type: GraphQLString, description: "The endCursor of the page before" }
}

interface PageArgs {
  readonly first?: number | null
  readonly after?: string | null
}

/** Reads the paging arguments of a list, and checks the texts of its filters; fails with all faults. */
const readPage = (
  { after, first }: PageArgs,
  filter: Readonly<Record<string, unknown>>,
  cursor: Operation.Cursor
): Effect.Effect<{ readonly limit: number; readonly after: string | number }, InvalidRequest> => {
  const errors = Array.from(textFaults(filter))
  const limit = first ?? pageLimit
  if (limit < 1 || limit > pageLimit) errors.push({ path: "first", detail: `must be 1 to ${pageLimit}` })
  const from = startOf(after ?? "", cursor)
  if (from === undefined) errors.push({ path: "after", detail: "must be the endCursor of a page" })
  const refusal = refusalOf(errors)
  return refusal === undefined ? Effect.succeed({ limit, after: from ?? 0 }) : Effect.fail(refusal)
}

/** The beginning of the page after a cursor; `undefined` for a text that is not a cursor of the list. */
const startOf = (after: string, cursor: Operation.Cursor): string | number | undefined => {
  if (cursor === "name") return textFault(after) === undefined ? after : undefined
  if (cursor === "position") return after === "" || isCursor(after) ? after : undefined
  return after === "" || after === "0" ? 0 : idOf(after)
}
