/**
 * The fields that read lists and entities, from the operations of core: their arguments, descriptions and answers.
 */
import type { Principal } from "@dockline/core/Access"
import { cursorOfShipment } from "@dockline/core/internal/movement/ShipmentList"
import { handlersOf } from "@dockline/core/internal/operations/Handlers"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { isDate } from "@dockline/core/internal/values/Field"
import { wordsOf } from "@dockline/core/Operation"
import type * as Operation from "@dockline/core/Operation"
import { operations } from "@dockline/core/Operations"
import type { MethodOf } from "@dockline/core/Operations"
import type { Page } from "@dockline/core/Page"
import type { ShipmentView } from "@dockline/core/View"
import type { ShipmentOrder } from "@dockline/core/Vocabulary"
import { Effect, SchemaAST } from "effect"
import { GraphQLBoolean, GraphQLEnumType, GraphQLNonNull, GraphQLString } from "graphql"
import type {
  GraphQLFieldConfig,
  GraphQLFieldConfigArgumentMap,
  GraphQLFieldResolver,
  GraphQLNullableInputType,
  GraphQLObjectType,
  GraphQLResolveInfo
} from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { makeReadWithin } from "../resolvers/SchemaAllowance.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { shapeOf } from "../resolvers/SelectionShape.ts"
import { DateTime, Long } from "./Scalars.ts"
import { connectionOf, listQuery, pageArgs, text, timedListQuery } from "./SchemaConnections.ts"
import type { ListArgs } from "./SchemaConnections.ts"
import { ExceptionPriorityEnum } from "./SchemaNotes.ts"
import type { OutputTypes } from "./SchemaTypes.ts"

const ShipmentOrderEnum = new GraphQLEnumType({
  name: "ShipmentOrder",
  description:
    "The orders of a list of shipments. The time of a shipment is when it departed, else when it arrived, else when it is expected.",
  values: {
    ID: { value: "ID", description: "By id: as they were created" },
    EARLIEST: { value: "EARLIEST", description: "By time, from the earliest on" },
    LATEST: { value: "LATEST", description: "By time, from the latest on" }
  } satisfies Record<ShipmentOrder, unknown>
})

/** The enums of words that no field of a result has in core. */
const enums: ReadonlyMap<string, GraphQLEnumType> = new Map([
  ["ShipmentOrder", ShipmentOrderEnum],
  ["ExceptionPriority", ExceptionPriorityEnum]
])

/** The arguments that filter a list. */
const filterArgs = (filters: Operation.Fields, types: OutputTypes): GraphQLFieldConfigArgumentMap =>
  Object.fromEntries(
    Object.entries(filters).map(([name, { ast }]) => {
      const type = typeOf(ast, types)
      return [name, {
        type: SchemaAST.isOptional(ast) ? type : new GraphQLNonNull(type),
        description: SchemaAST.resolveDescription(ast)
      }]
    })
  )

const typeOf = (ast: SchemaAST.AST, types: OutputTypes): GraphQLNullableInputType => {
  const known = wordsOf(ast)
  if (known !== undefined) return enums.get(known.name) ?? types.enum(known.name)
  if (isDate(ast)) return DateTime
  return ast._tag === "Boolean" ? GraphQLBoolean : GraphQLString
}

type Args = Readonly<Record<string, unknown>>

interface Node {
  readonly id: string | number
}

/** A field that reads a list. */
interface ListField {
  readonly type: GraphQLNonNull<GraphQLObjectType>
  readonly description: string
  readonly args: GraphQLFieldConfigArgumentMap
  readonly resolve: GraphQLFieldResolver<unknown, GraphqlContext, ListArgs & Args>
}

/** Makes fields of operations over the services. */
export const makeFields = (services: SchemaServices, types: OutputTypes) => {
  const handlers = handlersOf(services)
  const readWithin = makeReadWithin(services)
  const handle = <A>(
    method: MethodOf<Operation.AnyRead | Operation.AnyList>,
    input: Args,
    principal: Principal
  ) =>
    (handlers[method] as Operation.Handler<Operation.AnyRead>)(input as never, principal) as Effect.Effect<
      A,
      CatalogueError
    >

  /** A page of a list. That of a shipment is a field of the shipment; one that a dry run would create, of id 0, has none. */
  const list = (
    method: MethodOf<Operation.AnyList>,
    type: GraphQLNonNull<GraphQLObjectType>
  ): ListField => {
    const { cursor, description, filters, params, summary }: Operation.AnyList = operations[method]
    const isOfShipment = "id" in params
    const names = Object.keys(filters)
    const isText = (name: string): boolean => {
      const { ast } = filters[name]!
      return ast._tag === "String" && !isDate(ast)
    }
    const texts = names.filter(isText)
    const readQuery = (args: ListArgs, texts: Readonly<Record<string, string | undefined>>) =>
      cursor === "position"
        ? Effect.map(timedListQuery(args, texts), (query): Args => query)
        : Effect.map(listQuery(args, texts), (query): Args => query)
    const cursorOf = (filter: Args, after: number) => (node: Node, index: number) =>
      cursor === "position"
        ? cursorOfShipment(node as ShipmentView, filter)
        : cursor === "count"
        ? after + index + 1
        : node.id
    return {
      type,
      description: description ?? summary,
      args: {
        ...filterArgs(filters, types),
        ...pageArgs
      },
      resolve: (source, args: ListArgs & Args, context, info) => {
        const filter = Object.fromEntries(names.map((name) => [name, args[name] ?? undefined]))
        const given = Object.fromEntries(texts.map((name) => [name, filter[name] as string | undefined]))
        const id = isOfShipment ? (source as ShipmentView).id : undefined
        const read = Effect.flatMap(
          readQuery(args, given),
          (query): Effect.Effect<Page<Node>, CatalogueError> =>
            id === 0
              ? Effect.succeed({ items: [], next: null })
              : handle(
                method,
                { ...filter, ...query, ...id === undefined ? {} : { id: String(id) } },
                context.session.principal
              )
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
  const entity = (
    method: MethodOf<Operation.AnyRead>,
    type: GraphQLObjectType,
    args: Readonly<Record<string, string>>,
    description: string
  ): GraphQLFieldConfig<unknown, GraphqlContext> => {
    const { params }: Operation.AnyRead = operations[method]
    return {
      type,
      description,
      args: Object.fromEntries(
        Object.entries(params).map(([name, { ast }]) => {
          const given = args[name] ?? name
          return [given, {
            type: idType(name),
            description: SchemaAST.resolveDescription(ast)
          }]
        })
      ),
      resolve: (source, given: Args, context, info) => {
        const input = Object.fromEntries(
          Object.keys(params).map((name) => [name, String(given[args[name] ?? name])])
        )
        const { id } = given
        const read = hasListsAlone(type, info) && id !== 0
          ? Effect.succeed({ id })
          : handle<unknown>(method, input, context.session.principal)
        return readWithin(
          { source, args: given, context, info },
          read,
          (found) => [found],
          "entity"
        )
      }
    }
  }
  return { list, entity }
}

/** The type of a parameter of a path: the ids that `id` names are numbers. */
export const idType = (name: string) => name === "id" ? new GraphQLNonNull(Long) : text

/** Whether fields that read for themselves are all that is selected of an object. */
const hasListsAlone = (type: GraphQLObjectType, info: GraphQLResolveInfo): boolean => {
  const shape = shapeOf(info)
  return shape.length > 0 && shape.every(({ name }) => type.getFields()[name]?.resolve !== undefined)
}
