/**
 * The fields that read lists and entities, from the operations of core: their types, arguments, descriptions and answers.
 */
import { wordsOf } from "@dockline/core/access/Operation"
import type * as Operation from "@dockline/core/access/Operation"
import { listing, methodsOf, reading } from "@dockline/core/capability/OperationRegistry"
import { cursorOfShipment } from "@dockline/core/movement/ShipmentList"
import { ShipmentView } from "@dockline/core/shipment/View"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { isDate } from "@dockline/core/values/Field"
import type { Page } from "@dockline/core/values/Page"
import { Effect, Predicate, Record, SchemaAST, Struct } from "effect"
import { GraphQLBoolean, GraphQLNonNull, GraphQLString } from "graphql"
import type {
  GraphQLFieldConfig,
  GraphQLFieldConfigArgumentMap,
  GraphQLNullableInputType,
  GraphQLObjectType,
  GraphQLResolveInfo
} from "graphql"
import { makeReadWithin } from "../resolvers/AnswerLimits.ts"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { shapeOf } from "../resolvers/SelectionShape.ts"
import { DateTime, Long } from "./Scalars.ts"
import { connectionOf, connectionType, pageArgs, readPage, text } from "./SchemaConnections.ts"
import type { PageArgs } from "./SchemaConnections.ts"
import { ShipmentOrder } from "./SchemaNotes.ts"
import type { OutputTypes } from "./SchemaTypes.ts"

type Args = Readonly<Record<string, unknown>>

/** An entry of a list: lists of shipments alone have positions. */
type Node = ShipmentView | { readonly id: string | number }

const nothing: Page<Node> = { items: [], next: null }

/** How GraphQL names the parameters of the paths of entities, where that is not as core does. */
const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pallet: { id: "shipmentId", palletId: "id" }
}

/** The parameters of a path as arguments, or as fields of an input, whose names `nameOf` gives; the ids that `id` names are numbers. */
export const idsOf = (params: Operation.Fields, nameOf: (name: string) => string) => ({
  fields: Record.mapEntries(params, ({ ast }, name) => [nameOf(name), {
    type: name === "id" ? new GraphQLNonNull(Long) : text,
    description: SchemaAST.resolveDescription(ast) ?? ""
  }]),
  read: (given: Args): Readonly<Record<string, string>> =>
    Record.map(params, (_, name) => String(given[nameOf(name)]))
})

/** Makes the fields that read what operations of core read: those of shipments, and all others. */
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

  /** A page of a list. That of a shipment is a field of the shipment; one that a dry run would create, of id 0, has none. */
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
              // A connection is of a list whose rows have an id.
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
   * An entity, by arguments for the parameters of its path. One of which lists alone are selected is not read, which may take long:
   * each list finds out itself whether the client may see it.
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
        return readWithin({ source, args, context, info }, read, (found) => [found], "entity")
      }
    }
  }

  const lists = methodsOf(operations, "list").filter((method) => method !== "messages")
  const isOfShipment = (method: string) => "id" in (operations[method]?.params ?? {})
  const fields = (methods: ReadonlyArray<string>) =>
    Object.fromEntries(methods.map((method) => [fieldOf(method), list(method)]))
  // Others show shipments: their type is made first, with its lists.
  types.object(ShipmentView, fields(lists.filter(isOfShipment)))
  return {
    ...Object.fromEntries(methodsOf(operations, "read").map((method) => [method, entity(method)])),
    ...fields(lists.filter((method) => !isOfShipment(method)))
  }
}

/** The name of the field of a list: a list of a shipment is a field of the shipment. */
const fieldOf = (method: string): string =>
  method.replace(/^shipment(?=[A-Z])(.)/, (_, first: string) => first.toLowerCase())

/** Whether fields that read for themselves, by arguments of their own, are all that is selected of an object. */
const hasListsAlone = (type: GraphQLObjectType, info: GraphQLResolveInfo): boolean => {
  const shape = shapeOf(info)
  return shape.length > 0 && shape.every(({ name }) => {
    const { args = [], resolve } = type.getFields()[name] ?? {}
    return resolve !== undefined && args.length > 0
  })
}
