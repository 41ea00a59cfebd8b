/**
 * The reads of the schema: businesses, facilities, shipments, orders (D8.4). Each calls the operation that REST calls.
 */
import { canRead, canReadSome } from "@dockline/core/Access"
import type { Principal } from "@dockline/core/Access"
import type { BusinessEntry } from "@dockline/core/Directory"
import { BusinessNotFound, FacilityNotFound, Forbidden } from "@dockline/core/Errors"
import type { FieldError, InvalidRequest } from "@dockline/core/Errors"
import type { Page } from "@dockline/core/Page"
import { pageLimit } from "@dockline/core/Shipments"
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
import type { GraphQLFieldConfigArgumentMap, GraphQLFieldConfigMap } from "graphql"
import type { GraphqlContext } from "../engine/Run.ts"
import { makeReadWithin } from "../engine/SchemaAllowance.ts"
import { refusalOf, textFaults } from "./Arguments.ts"
import { Long } from "./Scalars.ts"
import type { SchemaServices } from "./SchemaServices.ts"
import type { Output, OutputTypes } from "./SchemaTypes.ts"

const text = new GraphQLNonNull(GraphQLString)

const listOf = (type: Output) => new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)))

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

/** A page of a list, as its connection shows it. */
interface Connection<Node> {
  readonly nodes: ReadonlyArray<Node>
  readonly edges: ReadonlyArray<{ readonly node: Node; readonly cursor: string }>
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

const connectionOf = <Node>({ items, next }: Page<Node>, idOf: (node: Node) => string): Connection<Node> => ({
  nodes: items,
  edges: items.map((node) => ({ node, cursor: idOf(node) })),
  pageInfo: { hasNextPage: next !== null, endCursor: next }
})

const nodesOf = <Node>({ nodes }: Connection<Node>): ReadonlyArray<Node> => nodes

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

/** Runs a read once its texts are found to be right. */
const checked = <A, E>(
  texts: Readonly<Record<string, string>>,
  read: Effect.Effect<A, E>
): Effect.Effect<A, E | InvalidRequest> => {
  const refusal = refusalOf(textFaults(texts))
  return refusal === undefined ? read : Effect.fail(refusal)
}

/** A business as the client may see it: with the facilities where it may read anything. */
const visible = (
  entry: BusinessEntry | null,
  business: string,
  principal: Principal
): Effect.Effect<BusinessEntry, BusinessNotFound | Forbidden> => {
  if (entry === null) return Effect.fail(new BusinessNotFound({ business }))
  if (!canReadSome(principal, business)) {
    return Effect.fail(new Forbidden({ permission: "read", business, facility: "*" }))
  }
  return Effect.succeed({
    ...entry,
    facilities: entry.facilities.filter(({ slug }) => canRead(principal, business, slug))
  })
}

/** The queries beside `pushMessages`. */
export const reads = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => ({
  ...placeReads(services),
  ...entityReads(services, types)
})

const placeReads = ({ directory, run }: SchemaServices): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  return {
    business: {
      type: Business,
      description: "A business and what the client may see of it.",
      args: { slug: { type: text, description: "Its slug" } },
      resolve: (_source, { slug }: { readonly slug: string }, context) =>
        run(
          Effect.flatMap(
            checked({ slug }, directory.describe(slug)),
            (entry) => visible(entry, slug, context.session.principal)
          ),
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
        run(
          Effect.gen(function*() {
            const entry = yield* checked({ business, slug }, directory.describe(business))
            if (entry === null) return yield* new BusinessNotFound({ business })
            const facility = entry.facilities.find((facility) => facility.slug === slug)
            if (facility === undefined) return yield* new FacilityNotFound({ business, facility: slug })
            if (canRead(context.session.principal, business, slug)) return facility
            return yield* new Forbidden({ permission: "read", business, facility: slug })
          }),
          context
        )
    }
  }
}

const entityReads = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  const { shipments, run } = services
  const readWithin = makeReadWithin(services)
  const Shipment = types.object(ShipmentView)
  return {
    shipment: {
      type: Shipment,
      description: "The shipment of an id; one that the client may not see is not there.",
      args: { id: { type: new GraphQLNonNull(Long), description: "Its id" } },
      resolve: (_source, { id }: { readonly id: number }, context, info) =>
        readWithin(
          () => run(shipments.get(String(id), context.session.principal), context),
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
        status: {
          type: types.enum("ShipmentStatus"),
          description: "Shipments of this status"
        }
      },
      resolve: (
        _source,
        args: ListArgs & { readonly shipmentNumber?: string | null; readonly status?: ShipmentStatus | null },
        context,
        info
      ) => {
        const read = () =>
          run(
            listQuery(args, { shipmentNumber: args.shipmentNumber }).pipe(
              Effect.flatMap((query) =>
                shipments.list(
                  {
                    ...query,
                    shipmentNumber: args.shipmentNumber ?? undefined,
                    status: args.status ?? undefined
                  },
                  context.session.principal
                )
              ),
              Effect.map((page) => connectionOf(page, ({ id }) => String(id)))
            ),
            context
          )
        return readWithin(read, nodesOf, "connection", context, info)
      }
    },
    orders: {
      type: new GraphQLNonNull(connectionType(types.object(LocatedOrderView), "Order", "orders")),
      description: "The orders that the client may see, in id order.",
      args: {
        ...listArgs,
        orderNumber: { type: GraphQLString, description: "Orders of this number" }
      },
      resolve: (_source, args: ListArgs & { readonly orderNumber?: string | null }, context, info) => {
        const read = () =>
          run(
            listQuery(args, { orderNumber: args.orderNumber }).pipe(
              Effect.flatMap((query) =>
                shipments.listOrders(
                  { ...query, orderNumber: args.orderNumber ?? undefined },
                  context.session.principal
                )
              ),
              Effect.map((page) => connectionOf(page, ({ id }) => id))
            ),
            context
          )
        return readWithin(read, nodesOf, "connection", context, info)
      }
    }
  }
}
