/**
 * The documents that Kargo's mutations submit: for a shipment with its orders, for a shipment alone, for an order and for items of an order
 * (D17.1, D17.2).
 *
 * An order is looked up before its document is made, because a document names the shipment of the order. The decision about the document,
 * under its locks, then checks that the order is still new, or still where it was found.
 */
import type { Principal } from "@dockline/core/access/Access"
import type { Alongside } from "@dockline/core/document/Decision"
import type { DocumentReadFailure } from "@dockline/core/document/DocumentInput"
import type { DocumentAlongside } from "@dockline/core/document/Intake"
import * as Slices from "@dockline/core/input/Slices"
import { lpnKey, soughtLpn } from "@dockline/core/labels/Lpn"
import type { OrderItem } from "@dockline/core/shipment/Shipment"
import type { LocatedOrderView } from "@dockline/core/shipment/View"
import type { CatalogueError, FieldError } from "@dockline/core/values/CatalogueError"
import { InvalidRequest } from "@dockline/core/values/Errors"
import type { ShipmentId } from "@dockline/core/values/Id"
import { idOf } from "@dockline/core/values/Page"
import type { Page } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { refusalOf, textFaults } from "@dockline/graphql-adapter/schema/Schema"
import type { SchemaServices } from "@dockline/graphql-adapter/schema/Schema"
import { Effect } from "effect"
import * as InputDocuments from "./InputDocuments.ts"
import type { ItemGiven, OrderGiven, Parts, ShipmentGiven } from "./InputDocuments.ts"
import { directionOf } from "./KargoWords.ts"
import { identifierOf } from "./ShipmentAnswers.ts"

export interface PlacedOrder extends OrderGiven {
  readonly carrier?: string | null
  readonly businessSlug: string
  readonly facilitySlug: string
  readonly shipmentId?: ShipmentId | null
  readonly appendItems?: boolean | null
}

type DocumentReading = Effect.Effect<DocumentAlongside, DocumentReadFailure<CatalogueError>>

const invalid = (...errors: ReadonlyArray<FieldError>) => new InvalidRequest({ errors })

const required = (field: string, what: string): FieldError => ({
  path: `input.${field}`,
  detail: `is required: it names the ${what}`
})

/** The check-in step that the status of a shipment reports, if any. Fails if the time of the status is invalid. */
const checkInOf = (
  { status, statusOccurredAt }: ShipmentGiven,
  path: string
): Effect.Effect<Alongside, InvalidRequest> => {
  if (status === undefined || status === null || status === "SCHEDULED") return Effect.succeed({})
  const occurredAt = Timestamp.parse(statusOccurredAt ?? "")
  const detail = statusOccurredAt ? Timestamp.fault(statusOccurredAt) : undefined
  return detail !== undefined
    ? Effect.fail(invalid({ path: `${path}.statusOccurredAt`, detail }))
    : Effect.succeed({
      checkIn: { step: status, occurredAt }
    })
}

/** The condition that the open order with the number and direction is still the one that was read, or that there is still none. */
const unlessMoved = (order: LocatedOrderView | undefined): Alongside => ({
  precondition: { order: order?.id ?? null }
})

export const makeSubmissions = ({ config, rules, shipments }: SchemaServices) => {
  const read = InputDocuments.reader(rules, config.itemLimit)

  /** A document, with the conditions that are decided together with it. */
  const submission = (also: Alongside, parts: Parts): DocumentReading =>
    Slices.run(read(parts)).pipe(
      Effect.flatMap(Effect.fromResult),
      Effect.map((document) => ({
        document,
        also: {
          ...(parts.strategy === "OVERWRITE"
            ? { items: InputDocuments.completing(parts.orders.map(({ order }) => order)) }
            : {}),
          ...also
        }
      }))
    )

  /** A page of the orders with the number at the facility, in id order. */
  const ordersOf = (order: PlacedOrder, after: string, principal: Principal) => {
    const { businessSlug: business, facilitySlug: facility, orderNumber } = order
    const query = { business, facility, orderNumber: orderNumber ?? "", after: Number(after) }
    return shipments.listOrders(query, principal)
  }

  /**
   * The latest open order with the number and direction. All pages are read, because a number that is often reused has many completed
   * orders.
   */
  const openOrderOf = Effect.fnUntraced(function*(order: PlacedOrder, principal: Principal) {
    let match: LocatedOrderView | undefined
    let after: string | null = ""
    while (after !== null) {
      const page: Page<LocatedOrderView> = yield* ordersOf(order, after, principal)
      match = page.items.findLast(({ direction, status }) =>
        status === "CREATED" && direction === order.direction
      ) ?? match
      after = page.next
    }
    return match
  })

  /** The number of the shipment to which an order will belong. */
  const shipmentNumberOf = Effect.fnUntraced(function*(
    { businessSlug, facilitySlug, orderNumber, shipmentId }: PlacedOrder,
    order: LocatedOrderView | undefined,
    principal: Principal
  ) {
    if (shipmentId === undefined || shipmentId === null) return order?.shipmentNumber ?? orderNumber ?? ""
    const { business, facility, shipmentNumber } = yield* shipments.get(String(shipmentId), principal)
    return business.slug === businessSlug && facility.slug === facilitySlug
      ? shipmentNumber
      : yield* invalid({ path: "input.shipmentId", detail: "is a shipment of another facility" })
  })

  /** Makes the document of an order. */
  const ofPlaced = Effect.fnUntraced(function*(
    order: PlacedOrder,
    before: LocatedOrderView | undefined,
    strategy: Parts["strategy"],
    also: Alongside,
    principal: Principal
  ) {
    const { businessSlug, carrier, direction, facilitySlug } = order
    return yield* submission(also, {
      business: businessSlug,
      facility: facilitySlug,
      direction,
      shipmentNumber: yield* shipmentNumberOf(order, before, principal),
      shipment: carrier ? { carrier } : {},
      orders: [{ order, path: "input" }],
      strategy
    })
  })

  /** Fails if an order has no number, or if its number or a slug is not a valid text (D2.4). */
  const checkNamed = (order: PlacedOrder): Effect.Effect<void, InvalidRequest> => {
    const { businessSlug, facilitySlug, orderNumber } = order
    const faults = textFaults({
      "input.orderNumber": orderNumber,
      "input.businessSlug": businessSlug,
      "input.facilitySlug": facilitySlug
    })
    const refusal = refusalOf(orderNumber ? faults : [required("orderNumber", "order")])
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  }

  /** Makes a document that only changes items of an order. An order that the client may not see counts as missing. */
  const ofItems = Effect.fnUntraced(function*(
    id: string,
    { inputs, items, strategy }: Pick<Alongside, "items"> & {
      readonly strategy: "APPEND" | "DELETE"
      /** The items with all of their fields. */
      readonly inputs: ReadonlyArray<ItemGiven>
    },
    principal: Principal
  ) {
    const number = idOf(id)
    const { items: matches } = number === undefined
      ? { items: [] }
      : yield* shipments.listOrders({ after: number - 1, limit: 1 }, principal)
    const order = matches.find((order) => order.id === id)
    if (order === undefined) {
      const detail = "is the externalId of no order that the client may see"
      return yield* invalid({ path: "input.id", detail })
    }
    const { business, direction, facility, orderNumber, shipmentNumber } = order
    return yield* submission({ ...unlessMoved(order), items }, {
      business: business.slug,
      facility: facility.slug,
      direction,
      shipmentNumber,
      orders: [{ order: { orderNumber, direction, items: inputs }, path: "input" }],
      strategy
    })
  })

  return {
    /** A shipment with its orders. */
    ofShipmentAndOrders: Effect.fnUntraced(function*({ orders, shipment }: {
      readonly shipment: ShipmentGiven
      readonly orders: ReadonlyArray<OrderGiven>
    }) {
      const also = yield* checkInOf(shipment, "input.shipment")
      const only = orders.length === 1 ? orders[0]?.orderNumber : undefined
      return yield* submission(also, {
        ...InputDocuments.partsOfShipment(shipment, "input.shipment"),
        direction: yield* InputDocuments.directionFor(shipment.direction, orders, "input.shipment.direction"),
        shipmentNumber: shipment.shipmentNumber || only || "",
        orders: orders.map((order, index) => ({ order, path: `input.orders[${index}]` })),
        strategy: "OVERWRITE"
      })
    }),

    /** A shipment whose orders stay unchanged. */
    ofShipment: Effect.fnUntraced(function*(shipment: ShipmentGiven, principal: Principal) {
      const { businessSlug: business, facilitySlug: facility, shipmentNumber } = shipment
      const also = yield* checkInOf(shipment, "input")
      const faults = refusalOf(textFaults({
        "input.businessSlug": business,
        "input.facilitySlug": facility,
        "input.shipmentNumber": shipmentNumber
      }))
      if (faults !== undefined) return yield* faults
      if (!shipmentNumber) return yield* invalid(required("shipmentNumber", "shipment"))
      const existing = directionOf(shipment.direction ?? undefined) === undefined
        ? (yield* shipments.list({ business, facility, shipmentNumber, limit: 1 }, principal)).items
        : []
      return yield* submission(also, {
        ...InputDocuments.partsOfShipment(shipment, "input"),
        direction: yield* InputDocuments.directionFor(shipment.direction, existing, "input.direction"),
        shipmentNumber,
        orders: [],
        strategy: "OVERWRITE"
      })
    }),

    /** A new order. Only one of several simultaneous requests creates it. */
    ofNewOrder: Effect.fnUntraced(function*(order: PlacedOrder, principal: Principal) {
      yield* checkNamed(order)
      const also = { precondition: { ordersAreNew: true } }
      return yield* ofPlaced(order, undefined, "OVERWRITE", also, principal)
    }),

    /**
     * A new or existing order. The open order with the number and direction stays on its shipment, unless the input names another shipment.
     */
    ofOrder: Effect.fnUntraced(function*(order: PlacedOrder, principal: Principal) {
      yield* checkNamed(order)
      const before = yield* openOrderOf(order, principal)
      const isMoved = order.shipmentId !== undefined && order.shipmentId !== null
      const also = isMoved ? {} : unlessMoved(before)
      return yield* ofPlaced(
        order,
        before,
        order.appendItems === true ? "APPEND" : "OVERWRITE",
        also,
        principal
      )
    }),

    /** Items that are added to an order. */
    ofAddedItems: (
      { id, items }: { readonly id: string; readonly items: ReadonlyArray<ItemGiven> },
      principal: Principal
    ) => ofItems(id, { strategy: "APPEND", inputs: items }, principal),

    /** Items that are removed from an order, by the names that they have when the document is decided. */
    ofDeletedItems: (
      { id, identifiers }: { readonly id: string; readonly identifiers: ReadonlyArray<string> },
      principal: Principal
    ) => {
      const names = new Set(identifiers)
      const plates = new Set(identifiers.map((identifier) => lpnKey(soughtLpn(identifier))))
      // An item without an identifier is named by its LPN, in any form (D22).
      const items = (items: ReadonlyArray<OrderItem>) =>
        items.filter((item) => {
          const identifier = identifierOf(item)
          return names.has(identifier) || (identifier === item.lpn && plates.has(lpnKey(item.lpn)))
        })
      return ofItems(id, { strategy: "DELETE", inputs: [], items }, principal)
    }
  }
}
