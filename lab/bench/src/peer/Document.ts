/**
 * From a body that the schema has accepted to a document: the rules that a schema does not say, and the defaults.
 */
import { itemKey } from "./Model.ts"
import type { Document, DocumentOrder, ItemFields, Strategy } from "./Model.ts"
import { conflict, invalid, Problem } from "./Problems.ts"
import type { FieldError } from "./Problems.ts"
import { parseDateTime } from "./RequestSchema.ts"

type Nullable<A> = { readonly [K in keyof A]?: A[K] | null }

type ItemBody = Nullable<Omit<ItemFields, "caseSerials">> & {
  readonly caseSerials?: ReadonlyArray<{ readonly id: string; readonly quantity?: number | null }> | null
}

type OrderBody = Nullable<Omit<DocumentOrder["fields"], "carrier">> & {
  readonly orderNumber?: string | null
  readonly orderItemUpdateStrategy?: Strategy | null
  readonly items?: ReadonlyArray<ItemBody> | null
}

/** The body of a request, of the shape that `documentSchema` says. */
export interface DocumentBody extends OrderBody {
  readonly business: string
  readonly facility: string
  readonly direction: string
  readonly shipmentNumber?: string | null
  readonly expectedArrivalAt?: string | null
  readonly trailerNumber?: string | null
  readonly dockSlug?: string | null
  readonly driverName?: string | null
  readonly driverLicenseNumber?: string | null
  readonly driverLicensePlate?: string | null
  readonly carrier?: string | null
  readonly additionalFields?: ReadonlyArray<{ readonly name: string; readonly value: string | null }> | null
  readonly orders?: ReadonlyArray<OrderBody> | null
}

const requiredItemFields: Readonly<Record<Strategy, ReadonlyArray<keyof ItemBody>>> = {
  APPEND: ["lpn", "sku", "quantity", "quantityUnit"],
  MERGE: ["lpn", "sku"],
  DELETE: ["lpn", "sku"],
  OVERWRITE: ["lpn", "sku", "quantity", "quantityUnit"]
}

const itemLimit = 10_000

/** Reads a document, or throws a `Problem` of 422 or 413. */
export const read = (body: DocumentBody): Document => {
  const errors: Array<FieldError> = []
  const need = (value: unknown, path: string) => {
    if (value === undefined || value === null || value === "") errors.push({ path, detail: "is required" })
  }
  if (body.orders) {
    need(body.shipmentNumber, "shipmentNumber")
    if (body.orderNumber) errors.push({ path: "orderNumber", detail: "cannot be sent beside orders" })
    if (body.items) errors.push({ path: "items", detail: "cannot be sent beside orders" })
    if (body.orders.length === 0) errors.push({ path: "orders", detail: "must hold at least one order" })
  } else {
    need(body.orderNumber, "orderNumber")
  }
  let itemCount = 0
  const orders = (body.orders ?? [body]).map((entry, index): DocumentOrder => {
    const prefix = body.orders ? `orders[${index}].` : ""
    const strategy = entry.orderItemUpdateStrategy ?? body.orderItemUpdateStrategy ?? "OVERWRITE"
    const items = entry.items ?? []
    itemCount += items.length
    items.forEach((item, at) => {
      for (const name of requiredItemFields[strategy]) need(item[name], `${prefix}items[${at}].${name}`)
    })
    return {
      orderNumber: entry.orderNumber ?? "",
      strategy,
      fields: {
        orderType: entry.orderType || body.orderType || "",
        purchaseOrder: entry.purchaseOrder || body.purchaseOrder || "",
        consigneeName: entry.consigneeName || body.consigneeName || "",
        consigneePhoneNumber: entry.consigneePhoneNumber || body.consigneePhoneNumber || "",
        bolNumber: entry.bolNumber || body.bolNumber || "",
        expectedQuantity: entry.expectedQuantity ?? body.expectedQuantity ?? 0,
        carrier: body.carrier ?? "",
        sealNumber: entry.sealNumber || body.sealNumber || "",
        supplier: entry.supplier || body.supplier || "",
        client: entry.client || body.client || "",
        destination: entry.destination || body.destination || ""
      },
      items: items.map(toItem)
    }
  })
  if (errors.length > 0) throw invalid(422, errors)
  if (itemCount > itemLimit) {
    throw new Problem(413, "TOO_MANY_ITEMS", `A document holds at most ${itemLimit} items`)
  }
  return {
    business: body.business,
    facility: body.facility,
    direction: body.direction,
    shipmentNumber: body.shipmentNumber || body.orderNumber || "",
    expectedArrivalAt: body.expectedArrivalAt ? parseDateTime(body.expectedArrivalAt)! : null,
    trailerNumber: body.trailerNumber ?? "",
    dockSlug: body.dockSlug ?? "",
    carrier: body.carrier ?? "",
    additionalFields: [
      ...(body.additionalFields ?? []).map(({ name, value }) => ({ name, value: value ?? "" })),
      { name: "driverName", value: body.driverName ?? "" },
      { name: "driverLicenseNumber", value: body.driverLicenseNumber ?? "" },
      { name: "driverLicensePlate", value: body.driverLicensePlate ?? "" }
    ],
    orders
  }
}

const toItem = (item: ItemBody): ItemFields => ({
  identifier: item.identifier ?? "",
  lpn: item.lpn ?? "",
  sku: item.sku ?? "",
  quantity: item.quantity ?? 0,
  quantityUnit: item.quantityUnit ?? "",
  purchaseOrder: item.purchaseOrder ?? "",
  description: item.description ?? "",
  upc: item.upc ?? "",
  weightPerUnit: item.weightPerUnit ?? 0,
  weightUnit: item.weightUnit ?? "",
  height: item.height ?? 0,
  length: item.length ?? 0,
  width: item.width ?? 0,
  dimensionUnit: item.dimensionUnit ?? "",
  isDangerousGood: item.isDangerousGood ?? false,
  lot: item.lot ?? "",
  expirationDate: item.expirationDate ?? "",
  manufacturingDate: item.manufacturingDate ?? "",
  caseSerials: (item.caseSerials ?? []).map(({ id, quantity }) => ({ id, quantity: quantity ?? 0 }))
})

/** No order number and no lpn + sku twice in one document. */
export const refuseDuplicates = ({ orders }: Document): void => {
  const numbers = new Set<string>()
  const keys = new Set<string>()
  for (const { items, orderNumber } of orders) {
    if (numbers.has(orderNumber)) throw conflict("DUPLICATE_ORDER_IN_REQUEST", { orderNumber })
    numbers.add(orderNumber)
    for (const item of items) {
      const key = itemKey(item)
      if (keys.has(key)) throw conflict("DUPLICATE_ITEM_IN_REQUEST", { lpn: item.lpn, sku: item.sku })
      keys.add(key)
    }
  }
}
