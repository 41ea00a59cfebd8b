/**
 * The reads of the schema: businesses, facilities, shipments, orders (D8.4). Each calls the operation that REST calls.
 */
import { canRead, canReadSome } from "@dockline/core/Access"
import { BusinessNotFound, FacilityNotFound, Forbidden } from "@dockline/core/Errors"
import type { CatalogueError, FieldError } from "@dockline/core/internal/values/CatalogueError"
import { pageLimit } from "@dockline/core/Page"
import type { Page } from "@dockline/core/Page"
import { LocatedOrderView, ShipmentView } from "@dockline/core/View"
import type { ShipmentStatus } from "@dockline/core/Vocabulary"
import { Effect } from "effect"
import {
  GraphQLBoolean,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString
} from "graphql"
import type { GraphQLFieldConfigArgumentMap, GraphQLFieldConfigMap, GraphQLResolveInfo } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { makeReadWithin } from "../resolvers/SchemaAllowance.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { refusalOf, textFaults } from "./ArgumentFaults.ts"
import { Long } from "./Scalars.ts"
import type { Leaf, OutputTypes } from "./SchemaTypes.ts"

const text = new GraphQLNonNull(GraphQLString)

const listOf = (type: Leaf | GraphQLObjectType) =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)))

const Facility = new GraphQLObjectType({
  name: "Facility",
  description: "A facility of a business.",
  fields: {
    slug: { type: text, description: "Its slug" },
    name: { type: text, description: "Its name" },
    docks: { type: listOf(GraphQLString), description: "The slugs of its docks" }
  }
})

const Business = new GraphQLObjectType({
  name: "Business",
  description: "A business.",
  fields: {
    slug: { type: text, description: "Its slug" },
    name: { type: text, description: "Its name" },
    facilities: {
      type: listOf(Facility),
      description: "Its facilities that the client may see, in slug order"
    }
  }
})

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

const connectionOf = <Node extends { readonly id: string | number }>({ items, next }: Page<Node>) => ({
  nodes: items,
  edges: items.map((node) => ({ node, cursor: String(node.id) })),
  pageInfo: { hasNextPage: next !== null, endCursor: next }
})

const connectionType = (node: GraphQLObjectType, name: string, what: string) =>
  new GraphQLObjectType({
    name: `${name}Connection`,
    description: `A page of ${what}, in id order.`,
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

const listArgs: GraphQLFieldConfigArgumentMap = {
  business: {
    type: GraphQLString,
    description: "Slug of a business; all that the client may see without it"
  },
  facility: { type: GraphQLString, description: "Slug of a facility" },
  first: {
    type: GraphQLInt,
    description: `The most entries of the page: 1 to ${pageLimit}`,
    default: { value: pageLimit }
  },
  after: { type: GraphQLString, description: "The endCursor of the page before" }
}

interface ListArgs {
  readonly business?: string | null
  readonly facility?: string | null
  readonly first?: number | null
  readonly after?: string | null
}

const listQuery = Effect.fnUntraced(function*(
  { business, facility, first, after }: ListArgs,
  texts: Readonly<Record<string, string | null | undefined>>
) {
  const errors: Array<FieldError> = Array.from(textFaults({ business, facility, ...texts }))
  const limit = first ?? pageLimit
  if (limit < 1 || limit > pageLimit) errors.push({ path: "first", detail: `must be 1 to ${pageLimit}` })
  const from = after || "0"
  if (!/^\d{1,16}$/.test(from) || !Number.isSafeInteger(Number(from))) {
    errors.push({ path: "after", detail: "must be the endCursor of a page" })
  }
  const refusal = refusalOf(errors)
  if (refusal !== undefined) return yield* refusal
  return { business: business ?? undefined, facility: facility ?? undefined, limit, after: Number(from) }
})

const described = Effect.fnUntraced(function*(
  { directory }: SchemaServices,
  business: string,
  texts: Readonly<Record<string, string>>
) {
  const refusal = refusalOf(textFaults(texts))
  if (refusal !== undefined) return yield* refusal
  return (yield* directory.describe(business)) ?? (yield* new BusinessNotFound({ business }))
})

export const reads = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => ({
  ...placeReads(services),
  ...entityReads(services, types)
})

const placeReads = (services: SchemaServices): GraphQLFieldConfigMap<unknown, GraphqlContext> => ({
  business: {
    type: Business,
    description: "A business and what the client may see of it.",
    args: { slug: { type: text, description: "Its slug" } },
    resolve: (_source, { slug }: { readonly slug: string }, context) =>
      services.run(
        Effect.gen(function*() {
          const { principal } = context.session
          const entry = yield* described(services, slug, { slug })
          if (!canReadSome(principal, slug)) {
            return yield* new Forbidden({ permission: "read", business: slug, facility: "*" })
          }
          const facilities = entry.facilities.filter((facility) => canRead(principal, slug, facility.slug))
          return { ...entry, facilities }
        }),
        context
      )
  },
  facility: {
    type: Facility,
    description: "A facility of a business.",
    args: {
      business: { type: text, description: "Slug of the business" },
      slug: { type: text, description: "Its slug" }
    },
    resolve: (_source, { business, slug }: { readonly business: string; readonly slug: string }, context) =>
      services.run(
        Effect.gen(function*() {
          const { facilities } = yield* described(services, business, { business, slug })
          const facility = facilities.find((facility) => facility.slug === slug)
          if (facility === undefined) return yield* new FacilityNotFound({ business, facility: slug })
          if (canRead(context.session.principal, business, slug)) return facility
          return yield* new Forbidden({ permission: "read", business, facility: slug })
        }),
        context
      )
  }
})

const entityReads = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  const { shipments } = services
  const readWithin = makeReadWithin(services)
  const Shipment = types.object(ShipmentView)
  const readPage = <Node extends { readonly id: string | number }, E extends CatalogueError>(
    read: Effect.Effect<Page<Node>, E>,
    context: GraphqlContext,
    info: GraphQLResolveInfo
  ) => readWithin(Effect.map(read, connectionOf), ({ nodes }) => nodes, "connection", context, info)
  return {
    shipment: {
      type: Shipment,
      description: "The shipment of an id; one that the client may not see is not there.",
      args: { id: { type: new GraphQLNonNull(Long), description: "Its id" } },
      resolve: (_source, { id }: { readonly id: number }, context, info) =>
        readWithin(
          shipments.get(String(id), context.session.principal),
          (shipment) => [shipment],
          "entity",
          context,
          info
        )
    },
    shipments: {
      type: new GraphQLNonNull(connectionType(Shipment, "Shipment", "shipments")),
      description: "The shipments that the client may see, in id order.",
      args: {
        ...listArgs,
        shipmentNumber: { type: GraphQLString, description: "Shipments of this number" },
        status: { type: types.enum("ShipmentStatus"), description: "Shipments of this status" }
      },
      resolve: (
        _source,
        args: ListArgs & { readonly shipmentNumber?: string | null; readonly status?: ShipmentStatus | null },
        context,
        info
      ) => {
        const [shipmentNumber, status] = [args.shipmentNumber ?? undefined, args.status ?? undefined]
        const read = Effect.flatMap(
          listQuery(args, { shipmentNumber }),
          (query) => shipments.list({ ...query, shipmentNumber, status }, context.session.principal)
        )
        return readPage(read, context, info)
      }
    },
    orders: {
      type: new GraphQLNonNull(connectionType(types.object(LocatedOrderView), "Order", "orders")),
      description: "The orders that the client may see, in id order.",
      args: { ...listArgs, orderNumber: { type: GraphQLString, description: "Orders of this number" } },
      resolve: (_source, args: ListArgs & { readonly orderNumber?: string | null }, context, info) => {
        const orderNumber = args.orderNumber ?? undefined
        const read = Effect.flatMap(
          listQuery(args, { orderNumber }),
          (query) => shipments.listOrders({ ...query, orderNumber }, context.session.principal)
        )
        return readPage(read, context, info)
      }
    }
  }
}
