/**
 * The reads of the schema: businesses, facilities, shipments, orders (D8.4). Each calls the operation that REST calls.
 */
import { canRead, canReadSome } from "@dockline/core/Access"
import { DocumentRecordView } from "@dockline/core/DocumentRecord"
import type { DocumentOutcome } from "@dockline/core/DocumentRecord"
import { BusinessNotFound, FacilityNotFound, Forbidden } from "@dockline/core/Errors"
import { cursorOfShipment } from "@dockline/core/internal/movement/ShipmentList"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import type { Page } from "@dockline/core/Page"
import { LocatedOrderView } from "@dockline/core/View"
import type { ShipmentOrder, ShipmentStatus } from "@dockline/core/Vocabulary"
import { Effect } from "effect"
import { GraphQLBoolean, GraphQLEnumType, GraphQLNonNull, GraphQLObjectType, GraphQLString } from "graphql"
import type { GraphQLFieldConfigArgumentMap, GraphQLFieldConfigMap, GraphQLResolveInfo } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { makeReadWithin } from "../resolvers/SchemaAllowance.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { refusalOf, textFaults } from "./ArgumentFaults.ts"
import { DateTime, Long } from "./Scalars.ts"
import {
  connectionOf,
  connectionType,
  listArgs,
  listOf,
  listQuery,
  text,
  timedListQuery
} from "./SchemaConnections.ts"
import type { ListArgs } from "./SchemaConnections.ts"
import { palletType, shipmentType } from "./SchemaShipment.ts"
import type { OutputTypes } from "./SchemaTypes.ts"

const Facility = new GraphQLObjectType({
  name: "Facility",
  description: "A facility of a business.",
  fields: {
    slug: { type: text, description: "Its slug" },
    name: { type: text, description: "Its name" },
    timeZone: { type: text, description: "IANA name of the time zone that its clocks show" },
    docks: { type: listOf(GraphQLString), description: "The slugs of its docks" }
  }
})

const Business = new GraphQLObjectType({
  name: "Business",
  description: "A business.",
  fields: {
    slug: { type: text, description: "Its slug" },
    name: { type: text, description: "Its name" },
    sandbox: {
      type: new GraphQLNonNull(GraphQLBoolean),
      description: "Whether integrations are tried there, without real freight"
    },
    facilities: {
      type: listOf(Facility),
      description: "Its facilities that the client may see, in slug order"
    }
  }
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

interface RecordArgs extends ListArgs {
  readonly shipmentNumber?: string | null
  readonly orderNumber?: string | null
  readonly correlationId?: string | null
  readonly outcome?: DocumentOutcome | null
  readonly from?: string | null
  readonly to?: string | null
}

const recordArgs = (types: OutputTypes): GraphQLFieldConfigArgumentMap => ({
  ...listArgs,
  shipmentNumber: { type: GraphQLString, description: "Documents of the shipment of this number" },
  orderNumber: { type: GraphQLString, description: "Documents with the order of this number" },
  correlationId: { type: GraphQLString, description: "Documents whose request had this correlation id" },
  outcome: { type: types.enum("DocumentOutcome"), description: "Documents of this outcome" },
  from: { type: DateTime, description: "Documents that came then or later" },
  to: { type: DateTime, description: "Documents that came earlier" }
})

interface ShipmentArgs extends ListArgs {
  readonly shipmentNumber?: string | null
  readonly status?: ShipmentStatus | null
  readonly discrepancies?: boolean | null
  readonly carrier?: string | null
  readonly trailerNumber?: string | null
  readonly lpn?: string | null
  readonly from?: string | null
  readonly to?: string | null
  readonly order?: ShipmentOrder | null
}

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

const shipmentArgs = (types: OutputTypes): GraphQLFieldConfigArgumentMap => ({
  ...listArgs,
  shipmentNumber: { type: GraphQLString, description: "Shipments of this number" },
  status: { type: types.enum("ShipmentStatus"), description: "Shipments of this status" },
  discrepancies: {
    type: GraphQLBoolean,
    description:
      "With true, shipments with discrepancies; a page may hold fewer than first, or none, before the last"
  },
  carrier: { type: GraphQLString, description: "Shipments of this carrier" },
  trailerNumber: {
    type: GraphQLString,
    description: "Shipments with this trailer; without carrier"
  },
  lpn: {
    type: GraphQLString,
    description: "Shipments with an item of this LPN; with business and facility alone"
  },
  from: { type: DateTime, description: "Shipments whose time is then or later" },
  to: { type: DateTime, description: "Shipments whose time is earlier" },
  order: {
    type: ShipmentOrderEnum,
    description: "The order; LATEST when absent with carrier, trailerNumber, from or to, else ID"
  }
})

const entityReads = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  const { intake, pallets, shipments } = services
  const DocumentRecord = types.object(DocumentRecordView)
  const readWithin = makeReadWithin(services)
  const Pallet = palletType(types)
  const Shipment = shipmentType(services, types, Pallet)
  const readPage = <Node extends { readonly id: string | number }, E extends CatalogueError>(
    read: Effect.Effect<Page<Node>, E>,
    context: GraphqlContext,
    info: GraphQLResolveInfo,
    cursorOf: (node: Node) => string | number = ({ id }) => id
  ) =>
    readWithin(
      Effect.map(read, (page) => connectionOf(page, cursorOf)),
      ({ nodes }) => nodes,
      "connection",
      context,
      info
    )
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
      type: new GraphQLNonNull(
        connectionType(Shipment, "Shipment", "shipments", "the order that was asked for")
      ),
      description: "The shipments that the client may see, in id order unless another is asked for.",
      args: shipmentArgs(types),
      resolve: (_source, args: ShipmentArgs, context, info) => {
        const texts = {
          shipmentNumber: args.shipmentNumber ?? undefined,
          carrier: args.carrier ?? undefined,
          trailerNumber: args.trailerNumber ?? undefined,
          lpn: args.lpn ?? undefined
        }
        const filter = {
          ...texts,
          status: args.status ?? undefined,
          discrepancies: args.discrepancies ?? undefined,
          from: args.from ?? undefined,
          to: args.to ?? undefined,
          order: args.order ?? undefined
        }
        const read = Effect.flatMap(
          timedListQuery(args, texts),
          (query) => shipments.list({ ...query, ...filter }, context.session.principal)
        )
        return readPage(read, context, info, (shipment) => cursorOfShipment(shipment, filter))
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
    },
    document: {
      type: DocumentRecord,
      description: "What is recorded of a document; one that the client may not see is not there.",
      args: { id: { type: new GraphQLNonNull(Long), description: "Its id in the record" } },
      resolve: (_source, { id }: { readonly id: number }, context, info) =>
        readWithin(
          intake.record(String(id), context.session.principal),
          (record) => [record],
          "entity",
          context,
          info
        )
    },
    documents: {
      type: new GraphQLNonNull(
        connectionType(DocumentRecord, "Document", "recorded documents", "order, newest first")
      ),
      description: "The record of documents at places that the client may see, newest first.",
      args: recordArgs(types),
      resolve: (_source, args: RecordArgs, context, info) => {
        const texts = {
          shipmentNumber: args.shipmentNumber ?? undefined,
          orderNumber: args.orderNumber ?? undefined,
          correlationId: args.correlationId ?? undefined
        }
        const [outcome, from, to] = [args.outcome ?? undefined, args.from ?? undefined, args.to ?? undefined]
        const read = Effect.flatMap(
          listQuery(args, texts),
          (query) => intake.records({ ...query, ...texts, outcome, from, to }, context.session.principal)
        )
        return readPage(read, context, info)
      }
    },
    pallet: {
      type: Pallet.node,
      description: "A pallet of a shipment.",
      args: {
        shipmentId: { type: new GraphQLNonNull(Long), description: "Id of its shipment" },
        id: { type: text, description: "Its id" }
      },
      resolve: (
        _source,
        { id, shipmentId }: { readonly id: string; readonly shipmentId: number },
        context,
        info
      ) =>
        readWithin(
          pallets.get(String(shipmentId), id, context.session.principal),
          (pallet) => [pallet],
          "entity",
          context,
          info
        )
    },
    pallets: {
      type: Pallet.connection,
      description: "The pallets with an lpn on all shipments that the client may see, newest first.",
      args: { ...listArgs, lpn: { type: text, description: "Their license plate" } },
      resolve: (_source, args: ListArgs & { readonly lpn: string }, context, info) => {
        const { lpn } = args
        const read = Effect.flatMap(
          listQuery(args, { lpn }),
          (query) => pallets.list({ ...query, lpn }, context.session.principal)
        )
        return readPage(read, context, info)
      }
    }
  }
}
