/**
 * The reads of Kargo's schema: each calls the operation that REST calls (D17.1).
 */
import { canRead, everything, readScopes } from "@dockline/core/Access"
import { InvalidRequest, ShipmentNotFound } from "@dockline/core/Errors"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { namePage } from "@dockline/core/Page"
import type { ShipmentView } from "@dockline/core/View"
import { Effect } from "effect"
import type { GraphQLResolveInfo } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { makeReadWithin } from "../resolvers/SchemaAllowance.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { refusalOf, textFaults } from "../schema/SchemaConnections.ts"
import { makeLists } from "./KargoLists.ts"
import { directionOf, instantOf } from "./KargoWords.ts"
import type { OrderDirection, ShippingDirection } from "./KargoWords.ts"
import type { PlaceSource } from "./OrderShown.ts"
import { makeHistory } from "./PushMessages.ts"
import { cargoOf, dockOf, loadingOf, shipmentOf } from "./ShipmentShown.ts"
import type { DockSource, ShipmentSource } from "./ShipmentShown.ts"

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

/** Whether a list shows a shipment, by what no filter of ours asks for. */
const isShown = (
  { dockSlugs, query, shippingDirection }: ShipmentFilter,
  { carrier, direction, dockSlug, orders, shipmentNumber, trailerNumber }: ShipmentView
): boolean => {
  const wanted = query?.toLowerCase() ?? ""
  const texts = [shipmentNumber, carrier, trailerNumber, ...orders.map(({ orderNumber }) => orderNumber)]
  return (dockSlugs === undefined || dockSlugs === null || dockSlugs.includes(dockSlug)) &&
    (shippingDirection === undefined || shippingDirection === null ||
      directionOf(shippingDirection) === direction) &&
    texts.some((text) => text.toLowerCase().includes(wanted))
}

/** The times between which a list lies; fails where one of them is none. */
const between = (
  from: readonly [path: string, text: string | null | undefined],
  to: readonly [path: string, text: string | null | undefined]
): Effect.Effect<{ readonly from: string | undefined; readonly to: string | undefined }, InvalidRequest> => {
  const [begin, end] = [instantOf(from[1] || "-"), instantOf(to[1] || "-", true)]
  const errors = [{ text: from, at: begin }, { text: to, at: end }].flatMap(({ at, text: [path, text] }) =>
    text && at === undefined
      ? [{ path, detail: "must be a date, or a date and time as in RFC 3339: 2026-11-20T17:00:00Z" }]
      : []
  )
  return errors.length > 0
    ? Effect.fail(new InvalidRequest({ errors }))
    : Effect.succeed({ from: begin, to: end })
}

type Resolve<Source, Args = unknown> = (
  source: Source,
  args: Args,
  context: GraphqlContext,
  info: GraphQLResolveInfo
) => unknown

/** Makes the resolvers of types, by field. What has none is a property of what is shown. */
export const makeReads = (services: SchemaServices) => {
  const { directory, shipments } = services
  const readWithin = makeReadWithin(services)
  const lists = makeLists(services)
  const history = makeHistory(services)

  /** A field that reads a list of entities. */
  const list = <Source, Args, A>(
    read: (
      source: Source,
      args: Args,
      context: GraphqlContext
    ) => Effect.Effect<ReadonlyArray<A>, CatalogueError>
  ): Resolve<Source, Args> =>
  (source, args, context, info) =>
    readWithin({ source, args, context, info }, read(source, args, context), (found) => found, "list")

  /** A field that reads one entity, or a value. */
  const entity = <Source, Args, A>(
    read: (source: Source, args: Args, context: GraphqlContext) => Effect.Effect<A, CatalogueError>
  ): Resolve<Source, Args> =>
  (source, args, context, info) =>
    readWithin({ source, args, context, info }, read(source, args, context), (found) => [found], "entity")

  const shipment = (id: number, { session: { principal } }: GraphqlContext) =>
    shipments.get(String(id), principal)

  /** Fields of a shipment that its pallets tell. */
  const ofPallets = <Args, A>(
    show: (shipment: ShipmentView, found: Parameters<typeof cargoOf>[1], args: Args) => A
  ) =>
    entity(({ view }: ShipmentSource, args: Args, context) =>
      Effect.map(lists.pallets(view.id, context), (pallets) => show(view, pallets, args))
    )

  const businesses = ({ session: { principal } }: GraphqlContext) => {
    const named = readScopes(principal).map(({ business }) => business)
    const scope = named.includes(everything) ? everything : Array.from(new Set(named))
    return (after: string) => directory.list(scope, namePage({ after }))
  }

  return {
    Query: {
      ping: () => true,
      businesses: list((_source: unknown, _args: unknown, context) =>
        lists.all(businesses(context), context)
      ),
      shipment: entity((_source: unknown, { id }: { readonly id: number }, context) =>
        Effect.map(shipment(id, context), shipmentOf)
      ),
      pushMessages: (source: unknown, args: never, context: GraphqlContext, info: GraphQLResolveInfo) =>
        history({ source, args, context, info }),
      kargoAgent: () => null
    },
    Business: {
      facilities: list(({ slug }: { readonly slug: string }, _args: unknown, { session: { principal } }) =>
        Effect.map(directory.describe(slug), (business) =>
          (business?.facilities ?? [])
            .filter((facility) => canRead(principal, slug, facility.slug))
            .map((facility): PlaceSource => ({ business: slug, slug: facility.slug, name: facility.name })))
      )
    },
    Facility: {
      docks: list(({ business, slug }: PlaceSource) =>
        Effect.map(
          directory.describe(business),
          (described) =>
            (described?.facilities.find((facility) => facility.slug === slug)?.docks ?? [])
              .map((dock) => dockOf(business, slug, dock))
        )
      ),
      shipment: entity(({ business, slug }: PlaceSource, { id }: { readonly id: number }, context) =>
        Effect.flatMap(
          shipment(id, context),
          (found) =>
            found.business.slug === business && found.facility.slug === slug
              ? Effect.succeed(shipmentOf(found))
              : Effect.fail(new ShipmentNotFound({ id: String(id) }))
        )
      ),
      shipments: list(
        ({ business, slug }: PlaceSource, args: { readonly filter?: ShipmentFilter | null }, context) =>
          Effect.gen(function*() {
            const filter = args.filter ?? {}
            const faults = refusalOf(textFaults({ "filter.query": filter.query }))
            if (faults !== undefined) return yield* faults
            const times = yield* between(["filter.since", filter.since], ["filter.before", filter.before])
            const discrepancies = filter.withDiscrepancies ?? undefined
            const found = yield* lists.shipments(
              { business, facility: slug, ...times, discrepancies },
              "filter.since",
              context
            )
            return found.filter((shipment) => isShown(filter, shipment)).map(shipmentOf)
          })
      ),
      orders: list((
        { business, slug }: PlaceSource,
        { filter }: { readonly filter: OrdersFilter },
        context
      ) =>
        Effect.gen(function*() {
          const times = yield* between(["filter.startDate", filter.startDate], [
            "filter.endDate",
            filter.endDate
          ])
          const found = yield* lists.shipments(
            { business, facility: slug, ...times },
            "filter.startDate",
            context
          )
          return found.map(shipmentOf).flatMap(({ orders }) => orders)
            .filter(({ direction }) => (filter.direction ?? direction) === direction)
        })
      )
    },
    Dock: {
      currentShipment: entity(({ business, facility, slug }: DockSource, _args: unknown, context) =>
        Effect.map(lists.arrived(business, facility, context), (found) => {
          const there = found.findLast(({ dockSlug }) => dockSlug === slug)
          return there === undefined ? null : shipmentOf(there)
        })
      )
    },
    Shipment: {
      cargo: list(({ view }: ShipmentSource, _args: unknown, context) =>
        Effect.map(lists.pallets(view.id, context), (pallets) => [cargoOf(view, pallets)])
      ),
      item: ofPallets((shipment, pallets, { partID }: { readonly partID: string }) =>
        cargoOf(shipment, pallets).items.find((item) => item.partID === partID) ?? null
      ),
      loadingStartAt: ofPallets((_shipment, pallets) => loadingOf(pallets).start),
      loadingEndAt: ofPallets((_shipment, pallets) => loadingOf(pallets).end)
    }
  }
}
