/**
 * Shows orders and their items as Kargo's schema has them (D17.1).
 */
import * as JsonText from "@dockline/core/input/JsonText"
import type { ShipmentView } from "@dockline/core/shipment/View"
import { Predicate, Result } from "effect"
import { keptOf } from "./AdditionalFacts.ts"
import type { NamedValues } from "./AdditionalFacts.ts"
import { intOf, numberOf, textOrNull } from "./KargoWords.ts"

type OrderView = ShipmentView["orders"][number]
type ItemView = OrderView["items"][number]

/** Where an order or a shipment is, for the fields that read the place. */
export interface PlaceSource {
  readonly business: string
  readonly slug: string
  readonly name: string
}

export const placeOf = ({ business, facility }: ShipmentView): PlaceSource => ({
  business: business.slug,
  ...facility
})

const units = new Set(["PALLET", "CASE", "UNIT"])
const weightUnits = new Set(["POUND", "KILOGRAM"])

/** What an item is called: what it was sent as, else its LPN, else its SKU. */
export const identifierOf = (
  { identifier, lpn, sku }: Pick<ItemView, "identifier" | "lpn" | "sku">
): string => identifier || lpn || sku

const itemOf = (item: ItemView) => {
  const { dimensionUnit, height, id, length, quantity, quantityUnit, weightPerUnit, weightUnit } = item
  const hasWeight = weightUnits.has(weightUnit)
  const hasSize = dimensionUnit === "INCH"
  return {
    id,
    identifier: identifierOf(item),
    lpn: textOrNull(item.lpn),
    sku: textOrNull(item.sku),
    quantity: intOf(quantity),
    quantityUnit: units.has(quantityUnit) ? quantityUnit : "UNIT",
    purchaseOrder: textOrNull(item.purchaseOrder),
    description: textOrNull(item.description),
    upc: textOrNull(item.upc),
    weightPerUnit: hasWeight ? weightPerUnit : null,
    weightUnit: hasWeight ? weightUnit : null,
    height: hasSize ? height : null,
    length: hasSize ? length : null,
    dimensionUnit: hasSize ? dimensionUnit : null,
    isDangerousGood: item.isDangerousGood,
    lot: textOrNull(item.lot),
    expirationDate: textOrNull(item.expirationDate),
    manufacturingDate: textOrNull(item.manufacturingDate)
  }
}

/** The address in a text that was kept of it; `null` for a text that somebody else has put there. */
const addressOf = (fact: string | null): unknown => {
  const address = Result.getOrUndefined(JsonText.parse(fact ?? ""))
  const isWhole = Predicate.isObject(address) &&
    ["addressOne", "city", "state", "zip"].every((name) => typeof Reflect.get(address, name) === "string")
  return isWhole ? address : null
}

export const orderOf = (order: OrderView, shipment: ShipmentView) => {
  const { orderNumber } = order
  const facility = placeOf(shipment)
  const factOf = (name: string) => keptOf(shipment.additionalFields, name, orderNumber)
  return {
    externalId: order.id,
    facilityId: numberOf(facility.business, facility.slug),
    facility,
    orderNumber,
    direction: order.direction,
    orderType: textOrNull(order.orderType),
    purchaseOrder: textOrNull(order.purchaseOrder),
    requestedShipDate: factOf("requestedShipDate"),
    requestedDeliveryDate: factOf("requestedDeliveryDate"),
    shipperName: factOf("shipperName") ?? textOrNull(order.supplier),
    shipperAddress: addressOf(factOf("shipperAddress")),
    shipperEmail: factOf("shipperEmail"),
    consigneeName: textOrNull(order.consigneeName),
    consigneePhoneNumber: textOrNull(order.consigneePhoneNumber),
    carrier: factOf("carrier") ?? textOrNull(order.carrier),
    carrierService: factOf("carrierService") ?? serviceOf(shipment.additionalFields),
    bolNumber: textOrNull(order.bolNumber),
    sealNumber: textOrNull(order.sealNumber),
    items: order.items.map(itemOf),
    // A cancelled order is over, for which there is no other word.
    status: order.status === "CREATED" ? "CREATED" : "COMPLETED",
    shipmentId: shipment.id,
    clientName: textOrNull(order.client)
  }
}

const serviceOf = (fields: NamedValues) => keptOf(fields, "carrierService")
