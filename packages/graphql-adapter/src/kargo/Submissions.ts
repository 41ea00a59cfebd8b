/**
 * The documents that Kargo's mutations submit: of a shipment with its orders, of a shipment alone, and of an order (D17.2).
 *
 * An order is looked up before its document is made, as a document names the shipment that the order is to be on. That the order is
 * still new, or still there, is decided with the document itself, under its locks.
 */
import type { Document } from "@dockline/core/Document"
import { InvalidRequest } from "@dockline/core/Errors"
import type { Alongside } from "@dockline/core/internal/document/Decision"
import type { DocumentAlongside } from "@dockline/core/internal/document/Intake"
import type { CatalogueError, FieldError } from "@dockline/core/internal/values/CatalogueError"
import { idOf } from "@dockline/core/Page"
import type { Page } from "@dockline/core/Page"
import * as Timestamp from "@dockline/core/Timestamp"
import type { LocatedOrderView } from "@dockline/core/View"
import { Effect } from "effect"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { refusalOf, textFaults } from "../schema/SchemaConnections.ts"
import * as DocumentsGiven from "./DocumentsGiven.ts"
import type { ItemGiven, OrderGiven, ShipmentGiven } from "./DocumentsGiven.ts"
import { directionOf } from "./KargoWords.ts"
import { identifierOf } from "./OrderShown.ts"

/** An order at a place. */
export interface PlacedOrder extends OrderGiven {
  readonly carrier?: string | null
  readonly businessSlug: string
  readonly facilitySlug: string
  readonly shipmentId?: number | null
  readonly appendItems?: boolean | null
}

type Reading = Effect.Effect<DocumentAlongside, CatalogueError>

const invalid = (...errors: ReadonlyArray<FieldError>) => new InvalidRequest({ errors })

/** The step of the check-in that a shipment is told of, if any. Fails where its time is none. */
const checkInOf = (
  { status, statusOccurredAt }: ShipmentGiven,
  path: string
): Effect.Effect<Alongside, InvalidRequest> => {
  const paths = { dockSlug: `${path}.dockSlug` }
  if (status === undefined || status === null || status === "SCHEDULED") return Effect.succeed({})
  const occurredAt = Timestamp.parse(statusOccurredAt ?? "")
  return statusOccurredAt && occurredAt === undefined
    ? Effect.fail(invalid({
      path: `${path}.statusOccurredAt`,
      detail: "must be a date and time as in RFC 3339, such as 2026-11-20T17:00:00Z"
    }))
    : Effect.succeed({ checkIn: { step: status, occurredAt }, paths })
}

/** A document that is read, with what is decided together with it. */
const alongside = (also: Alongside, read: Effect.Effect<Document, CatalogueError>): Reading =>
  Effect.map(read, (document) => ({ document, also }))

/** What is known of the order of an input, of which `field` names it. */
const knowing = (known: LocatedOrderView | undefined, field: string): Alongside => ({
  known: known?.id ?? null,
  paths: { orderNumber: `input.${field}` }
})

export const makeSubmissions = ({ config, rules, shipments }: SchemaServices) => {
  const read = DocumentsGiven.reader(rules, config.itemLimit)

  /** A page of the orders of a number at a facility, in id order. */
  const ordersOf = (
    { businessSlug, facilitySlug, orderNumber }: PlacedOrder,
    after: string,
    { session: { principal } }: GraphqlContext
  ) =>
    shipments.listOrders(
      {
        business: businessSlug,
        facility: facilitySlug,
        orderNumber: orderNumber ?? "",
        after: Number(after)
      },
      principal
    )

  /** The latest open order of a number and direction. A number that was used often has many that are over. */
  const openOrderOf = Effect.fnUntraced(function*(order: PlacedOrder, context: GraphqlContext) {
    let found: LocatedOrderView | undefined
    let after: string | null = ""
    while (after !== null) {
      const page: Page<LocatedOrderView> = yield* ordersOf(order, after, context)
      found = page.items.findLast(({ direction, status }) =>
        status === "CREATED" && direction === order.direction
      ) ?? found
      after = page.next
    }
    return found
  })

  /** The number of the shipment that an order is to be on. */
  const shipmentNumberOf = Effect.fnUntraced(function*(
    order: PlacedOrder,
    known: LocatedOrderView | undefined,
    { session: { principal } }: GraphqlContext
  ) {
    const { businessSlug, facilitySlug, orderNumber, shipmentId } = order
    if (shipmentId === undefined || shipmentId === null) return known?.shipmentNumber ?? orderNumber ?? ""
    const { business, facility, shipmentNumber } = yield* shipments.get(String(shipmentId), principal)
    return business.slug === businessSlug && facility.slug === facilitySlug
      ? shipmentNumber
      : yield* invalid({ path: "input.shipmentId", detail: "is a shipment of another facility" })
  })

  const documentOf = Effect.fnUntraced(function*(
    order: PlacedOrder,
    known: LocatedOrderView | undefined,
    strategy: "OVERWRITE" | "APPEND",
    context: GraphqlContext
  ) {
    const { businessSlug, carrier, direction, facilitySlug } = order
    return yield* Effect.fromResult(read({
      business: businessSlug,
      facility: facilitySlug,
      direction,
      shipmentNumber: yield* shipmentNumberOf(order, known, context),
      shipment: carrier ? { carrier } : {},
      path: "input",
      orders: [{ order, path: "input" }],
      strategy,
      kept: []
    }))
  })

  /** Fails for an order without a number, or with one that is no text (D2.4). */
  const named = (order: PlacedOrder): Effect.Effect<void, InvalidRequest> => {
    const { businessSlug, facilitySlug, orderNumber } = order
    const faults = textFaults({
      "input.orderNumber": orderNumber,
      "input.businessSlug": businessSlug,
      "input.facilitySlug": facilitySlug
    })
    const refusal = refusalOf(
      orderNumber ? faults : [{ path: "input.orderNumber", detail: "is required: it names the order" }]
    )
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  }

  /** The order of an id; one that the client may not see is not there. */
  const orderOf = Effect.fnUntraced(function*(id: string, { session: { principal } }: GraphqlContext) {
    const number = idOf(id)
    const page = number === undefined
      ? { items: [] }
      : yield* shipments.listOrders({ after: number - 1, limit: 1 }, principal)
    const found = page.items.find((order) => order.id === id)
    return found ??
      (yield* invalid({ path: "input.id", detail: "is the externalId of no order that the client may see" }))
  })

  /** A document that changes items of an order, which stays as it is. */
  const ofItems = (
    order: LocatedOrderView,
    strategy: "APPEND" | "DELETE",
    items: ReadonlyArray<ItemGiven>
  ) => {
    const { business, direction, facility, orderNumber, shipmentNumber } = order
    return alongside(
      knowing(order, "id"),
      Effect.fromResult(read({
        business: business.slug,
        facility: facility.slug,
        direction,
        shipmentNumber,
        shipment: {},
        path: "input",
        orders: [{ order: { orderNumber, direction, items }, path: "input" }],
        strategy,
        kept: []
      }))
    )
  }

  return {
    /** A shipment with its orders. */
    ofShipmentAndOrders: (
      shipment: ShipmentGiven,
      orders: ReadonlyArray<OrderGiven>
    ): Reading =>
      Effect.gen(function*() {
        const also = yield* checkInOf(shipment, "input.shipment")
        const direction = yield* Effect.fromResult(
          DocumentsGiven.directionFor(shipment.direction, orders, "input.shipment.direction")
        )
        const only = orders.length === 1 ? orders[0]?.orderNumber : undefined
        const document = yield* Effect.fromResult(read({
          ...DocumentsGiven.partsOfShipment(shipment, "input.shipment"),
          direction,
          shipmentNumber: shipment.shipmentNumber || only || "",
          orders: orders.map((order, index) => ({
            order,
            path: `input.orders[${index}]`
          })),
          strategy: "OVERWRITE"
        }))
        return { document, also }
      }),

    /** A shipment whose orders stay as they are. */
    ofShipment: (shipment: ShipmentGiven, { session: { principal } }: GraphqlContext): Reading =>
      Effect.gen(function*() {
        const { businessSlug: business, facilitySlug: facility, shipmentNumber } = shipment
        const also = yield* checkInOf(shipment, "input")
        const faults = textFaults({
          "input.businessSlug": business,
          "input.facilitySlug": facility,
          "input.shipmentNumber": shipmentNumber
        })
        if (faults.length > 0) return yield* invalid(...faults)
        if (!shipmentNumber) {
          return yield* invalid({
            path: "input.shipmentNumber",
            detail: "is required: it names the shipment"
          })
        }
        const said = directionOf(shipment.direction ?? undefined)
        const known = said === undefined
          ? (yield* shipments.list({ business, facility, shipmentNumber, limit: 1 }, principal)).items
          : []
        const direction = yield* Effect.fromResult(
          DocumentsGiven.directionFor(shipment.direction, known, "input.direction")
        )
        const document = yield* Effect.fromResult(read({
          ...DocumentsGiven.partsOfShipment(shipment, "input"),
          direction,
          shipmentNumber,
          orders: [],
          strategy: "OVERWRITE"
        }))
        return { document, also }
      }),

    /** A new order. Of requests at the same time only one makes it. */
    ofNewOrder: (order: PlacedOrder, context: GraphqlContext): Reading =>
      Effect.gen(function*() {
        yield* named(order)
        const { items: [known] } = yield* ordersOf(order, "", context)
        if (known !== undefined) {
          return yield* invalid({
            path: "input.orderNumber",
            detail:
              `is the number of an order that is there (id ${known.id}): send it with createOrUpdateOrder`
          })
        }
        return yield* alongside(
          { onlyNew: true, paths: { orderNumber: "input.orderNumber" } },
          documentOf(order, undefined, "OVERWRITE", context)
        )
      }),

    /**
     * An order that may be there: the open one of its number and direction stays on its shipment, unless the input names another.
     */
    ofOrder: (order: PlacedOrder, context: GraphqlContext): Reading =>
      Effect.gen(function*() {
        yield* named(order)
        const known = yield* openOrderOf(order, context)
        const isMoved = order.shipmentId !== undefined && order.shipmentId !== null
        return yield* alongside(
          isMoved ? {} : knowing(known, "orderNumber"),
          documentOf(order, known, order.appendItems === true ? "APPEND" : "OVERWRITE", context)
        )
      }),

    /** Items that are added to an order. */
    ofAddedItems: (
      { id, items }: { readonly id: string; readonly items: ReadonlyArray<ItemGiven> },
      context: GraphqlContext
    ): Reading => Effect.flatMap(orderOf(id, context), (order) => ofItems(order, "APPEND", items)),

    /** Items that are removed from an order, by what they are called. */
    ofDeletedItems: (
      { id, identifiers }: { readonly id: string; readonly identifiers: ReadonlyArray<string> },
      context: GraphqlContext
    ): Reading =>
      Effect.flatMap(orderOf(id, context), (order) => {
        const gone = order.items.filter((item) => identifiers.includes(identifierOf(item)))
        return ofItems(
          order,
          "DELETE",
          gone.map(({ identifier, lpn, sku }) => ({ identifier, lpn, sku, quantityUnit: undefined }))
        )
      })
  }
}
