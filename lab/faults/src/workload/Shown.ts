/**
 * Shipments and orders as answers show them.
 */
import type { ShownOrder, ShownShipment } from "../history/History.ts"
import { asList, asRecord } from "../Json.ts"

/** An order as an answer shows it. */
export const orderOf = (value: unknown): ShownOrder => {
  const order = asRecord(value)
  return {
    orderNumber: String(order["orderNumber"]),
    status: String(order["status"]),
    items: asList(order["items"]).map((each) => {
      const item = asRecord(each)
      return {
        id: String(item["id"]),
        lpn: String(item["lpn"]),
        lot: String(item["lot"]),
        quantity: Number(item["quantity"]),
        marks: {
          purchaseOrder: String(item["purchaseOrder"]),
          description: String(item["description"]),
          upc: String(item["upc"])
        }
      }
    })
  }
}

/** A shipment as an answer shows it. */
export const shipmentOf = (value: unknown): ShownShipment => {
  const shipment = asRecord(value)
  return {
    id: Number(shipment["id"]),
    shipmentNumber: String(shipment["shipmentNumber"]),
    status: String(shipment["status"]),
    orders: asList(shipment["orders"]).map(orderOf)
  }
}
