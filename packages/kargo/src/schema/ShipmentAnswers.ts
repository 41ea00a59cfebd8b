/**
 * Shows shipments as Kargo's schema has them, and what has passed of them (D17.1).
 */
import { isSameLpn, lpnKey } from "@dockline/core/labels/Lpn"
import type { PalletView } from "@dockline/core/movement/PalletView"
import type { ShipmentView } from "@dockline/core/shipment/View"
import { keptOf } from "./AdditionalFacts.ts"
import { intOf, numberOf, statusOf, textOrNull, wordOf } from "./KargoWords.ts"
import { identifierOf, orderOf, placeOf } from "./OrderAnswers.ts"

export const dockOf = (business: string, facility: string, slug: string) => ({
  business,
  facility,
  facilityId: numberOf(business, facility),
  businessId: numberOf(business),
  slug,
  displayName: slug
})

/** A dock, for the fields that read more of it. */
export type DockSource = ReturnType<typeof dockOf>

/** Our ARRIVED is at the dock, where theirs may be in the yard. */
const eventOf = ({ completed, completedAt, displayName, status }: ShipmentView["statusEvents"][number]) => ({
  ...(status === "ARRIVED" ? { status: "DOCKED", displayName: "Docked" } : { status, displayName }),
  completed,
  completedAt: textOrNull(completedAt)
})

/** The items of a shipment by their SKUs, those without by what they are called, in the order of the items. */
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

/** Shows a shipment. What of it lies with its pallets is read by the fields that show it. */
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
    statusEvents: statusEvents.map(eventOf),
    status: statusOf(view),
    orders: orders.map((order) => orderOf(order, view)),
    customerShipmentIdentifier: view.shipmentNumber,
    expectedArrivalAt: view.expectedArrivalAt,
    documents: []
  }
}

/** A shipment as it is shown, for the fields that read more of it. */
export type ShipmentSource = ReturnType<typeof shipmentOf>

type Labels = PalletView["labels"]

/** The quantities that are expected on pallets, by the keys of their LPNs. */
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

/** What is expected of a shipment, and what has passed. */
export const cargoOf = (shipment: ShipmentView, pallets: ReadonlyArray<PalletView>) => {
  const expected = expectedOf(shipment)
  return { manifest: manifestOf(shipment), items: pallets.map((pallet) => passedOf(pallet, expected)) }
}

/** When the first pallet of a shipment passed, and when the last one did; `null` before. */
export const loadingOf = (pallets: ReadonlyArray<PalletView>) => {
  const first = pallets.map(({ firstSeenAt }) => firstSeenAt).sort()
  const last = pallets.map(({ lastSeenAt }) => lastSeenAt).sort()
  return { start: first[0] ?? null, end: last.at(-1) ?? null }
}
