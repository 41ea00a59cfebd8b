/**
 * The queries of Kargo's schema, and the resolvers of the types that they return: places, docks, shipments, pallets and messages (D17.1).
 * Each calls the operation that REST calls, within the limits of the GraphQL operation (D8.8).
 */
import { canRead, everything, readScopes } from "@dockline/core/access/Access"
import { shownSentAt } from "@dockline/core/messages/Message"
import type { Message } from "@dockline/core/messages/Message"
import type { PalletView } from "@dockline/core/movement/PalletOperations"
import type { ShipmentView } from "@dockline/core/shipment/View"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { InvalidRequest, ShipmentNotFound } from "@dockline/core/values/Errors"
import { namePage } from "@dockline/core/values/Page"
import type { GraphQLResolveInfo } from "@dockline/graphql-adapter/schema/Graphql"
import {
  follow,
  makeReadWithin,
  queryOf,
  refusalOf,
  textFaults
} from "@dockline/graphql-adapter/schema/Schema"
import type { FieldRequest, GraphqlContext, SchemaServices } from "@dockline/graphql-adapter/schema/Schema"
import { Effect } from "effect"
import { kargoProfile } from "../KargoCapability.ts"
import { makeLists } from "./KargoLists.ts"
import { directionOf, endOf, instantFault, instantOf } from "./KargoWords.ts"
import type { OrderDirection, ShippingDirection } from "./KargoWords.ts"
import { cargoOf, dockOf, loadingOf, shipmentOf } from "./ShipmentAnswers.ts"
import type { DockSource, PlaceSource, ShipmentSource } from "./ShipmentAnswers.ts"

type Resolve<Source, Args> = (
  source: Source,
  args: Args,
  context: GraphqlContext,
  info: GraphQLResolveInfo
) => unknown

type Read<Source, Args, A> = (
  source: Source,
  args: Args,
  context: GraphqlContext
) => Effect.Effect<A, CatalogueError>

/** The services, the lists read from them, and the functions that make resolvers. */
export const readingOver = (services: SchemaServices) => {
  const readWithin = makeReadWithin(services)
  return {
    ...services,
    lists: makeLists(services),
    /** Makes the resolver of a field that reads a list of entities. */
    list:
      <Source, Args, A>(read: Read<Source, Args, ReadonlyArray<A>>): Resolve<Source, Args> =>
      (source, args, context, info) =>
        readWithin({ source, args, context, info }, read(source, args, context), (rows) => rows, "list"),
    /** Makes the resolver of a field that reads one entity or value. */
    entity:
      <Source, Args, A>(read: Read<Source, Args, A>): Resolve<Source, Args> =>
      (source, args, context, info) =>
        readWithin({ source, args, context, info }, read(source, args, context), (row) => [row], "entity")
  }
}

/** The result of {@link readingOver}. */
export type Reading = ReturnType<typeof readingOver>

/** Makes the resolvers of types, by field. A field without a resolver is a property of its source. */
export const makeReads = (reading: Reading) => {
  return {
    Query: queries(reading, makeHistory(reading)),
    Business: businessReads(reading),
    Facility: { ...dockLists(reading), ...freightReads(reading) },
    Dock: dockReads(reading),
    Shipment: shipmentReads(reading)
  }
}

const queries = (
  { directory, entity, list, lists, shipments }: Reading,
  history: ReturnType<typeof makeHistory>
) => {
  const businesses = ({ session: { principal } }: GraphqlContext) => {
    const businesses = readScopes(principal).map(({ business }) => business)
    const scope = businesses.includes(everything) ? everything : Array.from(new Set(businesses))
    return (after: string) => directory.list(scope, namePage({ after }))
  }
  return {
    ping: () => true,
    businesses: list((_source: unknown, _args: unknown, context) => lists.all(businesses(context), context)),
    shipment: entity((_source: unknown, { id }: { readonly id: number }, { session: { principal } }) =>
      Effect.map(shipments.get(String(id), principal), shipmentOf)
    ),
    pushMessages: (source: unknown, args: never, context: GraphqlContext, info: GraphQLResolveInfo) =>
      history({ source, args, context, info }),
    kargoAgent: () => null
  }
}

const businessReads = ({ directory, list }: Reading) => ({
  facilities: list(({ slug }: { readonly slug: string }, _args: unknown, { session: { principal } }) =>
    Effect.map(directory.describe(slug), (business) =>
      (business?.facilities ?? [])
        .filter((facility) => canRead(principal, slug, facility.slug))
        .map((facility): PlaceSource => ({ business: slug, slug: facility.slug, name: facility.name })))
  )
})

/** The docks of a facility. */
const dockLists = ({ directory, list }: Reading) => ({
  docks: list(({ business, slug }: PlaceSource) =>
    Effect.map(
      directory.describe(business),
      (description) =>
        (description?.facilities.find((facility) => facility.slug === slug)?.docks ?? [])
          .map((dock) => dockOf(business, slug, dock))
    )
  )
})

interface ShipmentFilter {
  readonly since?: string | null
  readonly before?: string | null
  readonly query?: string | null
  readonly dockSlugs?: ReadonlyArray<string> | null
  readonly shippingDirection?: ShippingDirection | null
  readonly withDiscrepancies?: boolean | null
}

interface OrdersFilter {
  readonly direction?: OrderDirection | null
  readonly startDate: string
  readonly endDate: string
}

/** Makes the predicate for the conditions on shipments that our own filters do not have. */
export const isShown = ({ dockSlugs, query, shippingDirection }: ShipmentFilter) => {
  const search = query?.toLowerCase() ?? ""
  const docks = dockSlugs && new Set(dockSlugs)
  return (
    { carrier, direction, dockSlug, orders, shipmentNumber, trailerNumber }: ShipmentView
  ): boolean => {
    const texts = [shipmentNumber, carrier, trailerNumber, ...orders.map(({ orderNumber }) => orderNumber)]
    return (docks?.has(dockSlug) ?? true) &&
      (!shippingDirection || directionOf(shippingDirection) === direction) &&
      texts.some((text) => text.toLowerCase().includes(search))
  }
}

/** The times in the fields `begin` and `end` of the filter, between which a list is read. Fails if a field is no time. */
const between = <From extends string, To extends string>(
  filter: { readonly [Name in From | To]?: string | null },
  begin: From,
  end: To
): Effect.Effect<{ readonly from: string | undefined; readonly to: string | undefined }, InvalidRequest> => {
  const errors = [begin, end].flatMap((name) => {
    const text = filter[name]
    const detail = text ? instantFault(text) : undefined
    return detail === undefined ? [] : [{ path: `filter.${name}`, detail }]
  })
  return errors.length > 0
    ? Effect.fail(new InvalidRequest({ errors }))
    : Effect.succeed({ from: instantOf(filter[begin] ?? ""), to: endOf(filter[end] ?? "") })
}

/** The shipments and orders of a facility. */
const freightReads = ({ entity, list, lists, shipments }: Reading) => ({
  shipment: entity(({ business, slug }: PlaceSource, { id }: { readonly id: number }, context) =>
    Effect.flatMap(
      shipments.get(String(id), context.session.principal),
      (shipment) =>
        shipment.business.slug === business && shipment.facility.slug === slug
          ? Effect.succeed(shipmentOf(shipment))
          : Effect.fail(new ShipmentNotFound({ id: String(id) }))
    )
  ),
  shipments: list(
    ({ business, slug }: PlaceSource, args: { readonly filter?: ShipmentFilter | null }, context) =>
      Effect.gen(function*() {
        const filter = args.filter ?? {}
        const faults = refusalOf(textFaults({ "filter.query": filter.query }))
        if (faults !== undefined) return yield* faults
        const times = yield* between(filter, "since", "before")
        const query = {
          business,
          facility: slug,
          ...times,
          discrepancies: filter.withDiscrepancies ?? undefined
        }
        const shipments = yield* lists.shipments(query, "filter.since", context)
        return shipments.filter(isShown(filter)).map(shipmentOf)
      })
  ),
  orders: list(({ business, slug }: PlaceSource, { filter }: { readonly filter: OrdersFilter }, context) =>
    Effect.gen(function*() {
      const times = yield* between(filter, "startDate", "endDate")
      const rows = yield* lists.shipments(
        { business, facility: slug, ...times },
        "filter.startDate",
        context
      )
      return rows.map(shipmentOf).flatMap(({ orders }) => orders)
        .filter(({ direction }) => (filter.direction ?? direction) === direction)
    })
  )
})

const dockReads = ({ entity, lists }: Reading) => ({
  currentShipment: entity(({ business, facility, slug }: DockSource, _args: unknown, context) =>
    Effect.map(lists.arrived(business, facility, context), (shipments) => {
      const there = shipments.findLast(({ dockSlug }) => dockSlug === slug)
      return there === undefined ? null : shipmentOf(there)
    })
  )
})

const shipmentReads = ({ entity, list, lists }: Reading) => {
  /** Reads the pallets of a shipment and computes a field from them. */
  const ofPallets = <Args, A>(
    show: (shipment: ShipmentView, pallets: ReadonlyArray<PalletView>, args: Args) => A
  ): Read<ShipmentSource, Args, A> =>
  ({ view }, args, context) =>
    Effect.map(lists.pallets(view, context), (pallets) => show(view, pallets, args))
  return {
    cargo: list(ofPallets((shipment, pallets) => [cargoOf(shipment, pallets)])),
    item: entity(
      ofPallets((shipment, pallets, { partID }: { readonly partID: string }) =>
        cargoOf(shipment, pallets).items.find((item) => item.partID === partID) ?? null
      )
    ),
    loadingStartAt: entity(ofPallets((_shipment, pallets) => loadingOf(pallets).start)),
    loadingEndAt: entity(ofPallets((_shipment, pallets) => loadingOf(pallets).end))
  }
}

interface Filter {
  readonly businessSlug: string
  readonly facilitySlug?: string | null
}

const types = ["PALLET_EVENT", "SHIPMENT_COMPLETE"] as const

/** The place of a filter. An empty facility counts as absent. */
const placeOf = ({ businessSlug, facilitySlug }: Filter): Filter => ({
  businessSlug,
  facilitySlug: facilitySlug || null
})

/** Messages in Kargo's schema, as text in the profile `kargo` (D15.3, D17.1). The schema has only two types of messages. */
export const messageFields = {
  messageType: ({ type }: Message) => type,
  message: ({ json, type }: Message) => kargoProfile.write(type, json),
  sentAt: ({ sentAt }: Message) => shownSentAt(sentAt),
  facilitySlug: ({ facility }: Message) => facility,
  businessSlug: ({ business }: Message) => business
}

const refuse = (detail: string) => new InvalidRequest({ errors: [{ path: "input.since", detail }] })

const tooMany = refuse(
  "is so long ago that there are more messages than one answer holds: ask for a later time, or read pages with GET /v1/messages"
)

export const makeHistory = (services: SchemaServices) => {
  const readWithin = makeReadWithin(services)
  return (
    field: FieldRequest & { readonly args: { readonly input: Filter & { readonly since: string } } }
  ) => {
    const { args: { input }, context: { session: { principal } } } = field
    const request = { ...queryOf(placeOf(input), "input", types), afterId: undefined, limit: undefined }
    const since = instantOf(input.since)
    const read = Effect.suspend(() =>
      since === undefined
        // A text without an instant has a fault.
        ? Effect.fail(refuse(instantFault(input.since)!))
        : services.messages.history({ ...request, since }, principal)
    )
    return readWithin(
      field,
      Effect.catchTag(read, "TooManyMessages", () => Effect.fail(tooMany)),
      // The limits on the size of messages count these names of fields.
      (messages) => messages.map(({ json }) => ({ message: json })),
      "list"
    )
  }
}

export const makeFollow = (services: SchemaServices) =>
(
  _source: unknown,
  { filter }: { readonly filter: Filter },
  context: GraphqlContext
): Promise<AsyncIterable<Message>> =>
  follow(services, queryOf(placeOf(filter), "filter", types), undefined, context)
