/**
 * The JSON schema of an answer, from which Fastify compiles its serializer.
 */

const text = { type: "string" }
const number = { type: "number" }
const object = (properties: Record<string, object>) => ({ type: "object", properties })
const list = (items: object) => ({ type: "array", items })
const place = object({ slug: text, name: text })
const references = list(object({ type: text, id: text, reference: text }))

const item = object({
  id: text,
  identifier: text,
  lpn: text,
  sku: text,
  quantity: number,
  quantityUnit: text,
  purchaseOrder: text,
  description: text,
  upc: text,
  weightPerUnit: number,
  weightUnit: text,
  height: number,
  length: number,
  width: number,
  dimensionUnit: text,
  isDangerousGood: { type: "boolean" },
  lot: text,
  expirationDate: text,
  manufacturingDate: text,
  caseSerials: list(object({ id: text, quantity: number }))
})

const order = object({
  id: text,
  orderNumber: text,
  status: text,
  direction: text,
  orderType: text,
  purchaseOrder: text,
  consigneeName: text,
  consigneePhoneNumber: text,
  bolNumber: text,
  expectedQuantity: number,
  carrier: text,
  sealNumber: text,
  supplier: text,
  client: text,
  destination: text,
  items: list(item)
})

/** The body of a 200 or 201 of `POST /v1/documents`. */
export const resultSchema = object({
  created: references,
  updated: references,
  removed: references,
  shipment: object({
    id: number,
    shipmentNumber: text,
    status: text,
    direction: text,
    business: place,
    facility: place,
    expectedArrivalAt: text,
    scheduledAt: text,
    trailerNumber: text,
    dockId: text,
    dockSlug: text,
    carrier: text,
    additionalFields: list(object({ name: text, value: text })),
    statusEvents: list(
      object({ status: text, displayName: text, completed: { type: "boolean" }, completedAt: text })
    ),
    progress: object({
      expectedPallets: number,
      passedPallets: number,
      missingPallets: number,
      unexpectedPallets: number
    }),
    orders: list(order)
  })
})
