/**
 * Shows shipments in Kargo's schema, with their orders and items, and the goods that have passed (D17.1).
 */
import * as JsonText from "@dockline/core/input/JsonText"
import { isSameLpn, lpnKey } from "@dockline/core/labels/Lpn"
import type { PalletView } from "@dockline/core/movement/PalletOperations"
import type { ShipmentView } from "@dockline/core/shipment/View"
import { Predicate, Result } from "effect"
import { keptOf } from "./InputDocuments.ts"
import type { NamedValues } from "./InputDocuments.ts"
import { idOfPlace, intOf, statusOf, textOrNull, wordOf } from "./KargoWords.ts"

type OrderView = ShipmentView["orders"][number]
type ItemView = OrderView["items"][number]

/** A facility, for the fields that read it. */
export interface PlaceSource {
  readonly business: string
  readonly slug: string
  readonly name: string
}

/** The facility of a shipment. */
export const placeOf = ({ business, facility }: ShipmentView): PlaceSource => ({
  business: business.slug,
  ...facility
})

const units = new Set(["PALLET", "CASE", "UNIT"])
const weightUnits = new Set(["POUND", "KILOGRAM"])

/** The name of an item: its identifier, or else its LPN, or else its SKU. */
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

/** The address in a stored text; `null` if the text is no address. Other clients may store any text under this name. */
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
    facilityId: idOfPlace(facility.business, facility.slug),
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
    // Kargo has no word for a cancelled order.
    status: order.status === "CREATED" ? "CREATED" : "COMPLETED",
    shipmentId: shipment.id,
    clientName: textOrNull(order.client)
  }
}

const serviceOf = (fields: NamedValues) => keptOf(fields, "carrierService")

export const dockOf = (business: string, facility: string, slug: string) => ({
  business,
  facility,
  facilityId: idOfPlace(business, facility),
  businessId: idOfPlace(business),
  slug,
  displayName: slug
})

/** A dock, for the fields that read more about it. */
export type DockSource = ReturnType<typeof dockOf>

/** Shows a status event. Our ARRIVED means that the truck is at the dock; Kargo's may mean that it is in the yard. */
const eventOf = ({ completed, completedAt, displayName, status }: ShipmentView["statusEvents"][number]) => ({
  ...(status === "ARRIVED" ? { status: "DOCKED", displayName: "Docked" } : { status, displayName }),
  completed,
  completedAt: textOrNull(completedAt)
})

/** The total quantities of a shipment by SKU, or by the name of an item without a SKU, in the order of the items. */
const manifestOf = ({ orders }: ShipmentView) => {
  const aggregations = new Map<string, { name: string | null; partID: string; quantity: number }>()
  for (const item of orders.flatMap(({ items }) => items)) {
    const partID = item.sku || identifierOf(item)
    const { name = null, quantity = 0 } = aggregations.get(partID) ?? {}
    aggregations.set(partID, {
      partID,
      name: name ?? textOrNull(item.description),
      quantity: quantity + item.quantity
    })
  }
  return Array.from(aggregations.values(), (entry) => ({ ...entry, quantity: intOf(entry.quantity) }))
}

/** Shows a shipment. The fields that depend on its pallets read them. */
export const shipmentOf = (view: ShipmentView) => {
  const { additionalFields, business, dockId, dockSlug, facility, orders, statusEvents } = view
  const completedAt = (statusName: string) =>
    textOrNull(statusEvents.find(({ status }) => status === statusName)?.completedAt)
  return {
    view,
    id: view.id,
    facility: placeOf(view),
    dockId: dockId === "" ? null : Number(dockId),
    dock: dockSlug === "" ? null : dockOf(business.slug, facility.slug, dockSlug),
    shippingDirection: wordOf(view.direction),
    arrivedAt: completedAt("ARRIVED"),
    departedAt: completedAt("DEPARTED"),
    purchaseOrder: textOrNull(orders.find(({ purchaseOrder }) => purchaseOrder !== "")?.purchaseOrder),
    carrier: textOrNull(view.carrier),
    carrierService: keptOf(additionalFields, "carrierService"),
    statusEvents: statusEvents.filter(({ status }) => status !== "CANCELLED").map(eventOf),
    status: statusOf(view),
    orders: orders.map((order) => orderOf(order, view)),
    customerShipmentIdentifier: view.shipmentNumber,
    expectedArrivalAt: view.expectedArrivalAt,
    documents: []
  }
}

/** A shipment as shown, for the fields that read more about it. */
export type ShipmentSource = ReturnType<typeof shipmentOf>

type Labels = PalletView["labels"]

/** The quantities expected on pallets, by the keys of their LPNs. */
type Expected = ReadonlyMap<string, number>

const expectedOf = ({ orders }: ShipmentView): Expected => {
  const expected = new Map<string, number>()
  for (const { items } of orders) {
    for (const { lpn, quantity } of items) {
      if (lpn === "") continue
      const key = lpnKey(lpn)
      expected.set(key, (expected.get(key) ?? 0) + quantity)
    }
  }
  return expected
}

const quantityOf = ({ labels, lpn }: PalletView, expected: Expected): number => {
  const label = labels.find(({ name }) => name.toLowerCase() === "quantity")?.value ?? ""
  return /^\d{1,9}$/.test(label) ? Number(label) : intOf(expected.get(lpnKey(lpn)) ?? 1)
}

const labelOf = ({ id, labels, lpn }: PalletView) => {
  const fieldsOf = (values: Labels) =>
    values.map(({ name, value }) => ({
      id: `${id}:${labels.findIndex((label) => label.name === name && label.value === value)}`,
      displayName: name,
      managedFieldName: name,
      value,
      imageIds: [],
      images: []
    }))
  return {
    palletId: Number(id),
    fields: fieldsOf(labels),
    licensePlateNumbers: fieldsOf(labels.filter(({ value }) => isSameLpn(value, lpn))),
    palletContentIds: fieldsOf(labels.filter(({ name }) => name.toLowerCase() === "sku")),
    userUploadedImages: [],
    forkliftImages: [],
    unclassifiedImages: []
  }
}

const passedOf = (pallet: PalletView, expected: Expected) => ({
  partID: pallet.lpn || pallet.id,
  quantity: quantityOf(pallet, expected),
  occurredAt: pallet.lastSeenAt,
  direction: pallet.state === "LOADED" ? "SHIPPING" : "RECEIVING",
  label: labelOf(pallet)
})

/** The expected goods of a shipment, and the pallets that have passed. */
export const cargoOf = (shipment: ShipmentView, pallets: ReadonlyArray<PalletView>) => {
  const expected = expectedOf(shipment)
  return { manifest: manifestOf(shipment), items: pallets.map((pallet) => passedOf(pallet, expected)) }
}

/** The first and the last time at which a pallet of a shipment was seen; `null` without pallets. */
export const loadingOf = (pallets: ReadonlyArray<PalletView>) => {
  const first = pallets.map(({ firstSeenAt }) => firstSeenAt).sort()
  const last = pallets.map(({ lastSeenAt }) => lastSeenAt).sort()
  return { start: first[0] ?? null, end: last.at(-1) ?? null }
}
