/**
 * What is read of businesses and facilities when it is shown: docks, SKUs, shipments, orders (D17.1). Each calls the operation that
 * REST calls.
 */
import { canRead } from "@dockline/core/Access"
import { InvalidRequest, ShipmentNotFound } from "@dockline/core/Errors"
import type { ShipmentView } from "@dockline/core/View"
import { Effect } from "effect"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { refusalOf, textFaults } from "../schema/SchemaConnections.ts"
import type { Lists } from "./KargoLists.ts"
import { skuOf } from "./KargoSkus.ts"
import { directionOf, instantOf } from "./KargoWords.ts"
import type { OrderDirection, ShippingDirection } from "./KargoWords.ts"
import type { PlaceSource } from "./OrderShown.ts"
import type { ReadFields } from "./ReadFields.ts"
import { dockOf, shipmentOf } from "./ShipmentShown.ts"

/** Which shipments of a facility. */
export interface ShipmentFilter {
  readonly since?: string | null
  readonly before?: string | null
  readonly query?: string | null
  readonly dockSlugs?: ReadonlyArray<string> | null
  readonly shippingDirection?: ShippingDirection | null
  readonly withDiscrepancies?: boolean | null
}

/** Which orders of a facility. */
export interface OrdersFilter {
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

/** The fields of businesses. */
export const makeBusinessReads = ({ directory }: SchemaServices, { list }: ReadFields) => ({
  facilities: list(({ slug }: { readonly slug: string }, _args: unknown, { session: { principal } }) =>
    Effect.map(directory.describe(slug), (business) =>
      (business?.facilities ?? [])
        .filter((facility) => canRead(principal, slug, facility.slug))
        .map((facility): PlaceSource => ({ business: slug, slug: facility.slug, name: facility.name })))
  )
})

/** The fields of facilities. */
export const makeFacilityReads = (services: SchemaServices, lists: Lists, fields: ReadFields) => ({
  ...masterReads(services, lists, fields),
  ...shipmentReads(services, lists, fields)
})

/** The docks and SKUs of a facility. */
const masterReads = ({ directory, skus }: SchemaServices, lists: Lists, { entity, list }: ReadFields) => ({
  docks: list(({ business, slug }: PlaceSource) =>
    Effect.map(
      directory.describe(business),
      (described) =>
        (described?.facilities.find((facility) => facility.slug === slug)?.docks ?? [])
          .map((dock) => dockOf(business, slug, dock))
    )
  ),
  SKUs: list(({ business, slug: facility }: PlaceSource, _args: unknown, context) =>
    Effect.map(
      lists.all(
        (after) => skus.list({ business, facility, after }, context.session.principal),
        context
      ),
      (found) => found.map(skuOf)
    )
  ),
  SKU: entity(({ business, slug: facility }: PlaceSource, { id }: { readonly id: string }, context) =>
    Effect.map(
      skus.slice({ business, facility }, { id, offset: 0, limit: 1 }, context.session.principal),
      ({ skus: [found] }) => found === undefined ? null : skuOf(found)
    )
  )
})

/** The shipments and orders of a facility. */
const shipmentReads = ({ shipments }: SchemaServices, lists: Lists, { entity, list }: ReadFields) => ({
  shipment: entity(({ business, slug }: PlaceSource, { id }: { readonly id: number }, context) =>
    Effect.flatMap(
      shipments.get(String(id), context.session.principal),
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
})
