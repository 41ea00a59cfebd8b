/**
 * What a service answers to the requests of the examples, as recorded: `UPDATE_ANSWERS=1 npx vitest run Answers` writes it anew.
 */

/** The answers to the examples of each operation, by the names of both. */
export const answers = {
  trace: [{
    id: "1",
    lpn: "000123",
    sku: "SKU-100",
    quantity: 40,
    quantityUnit: "CASE",
    lot: "L-2026-48",
    expirationDate: "2027-05-31",
    consigneeName: "Harbor Grocers",
    supplier: "",
    destination: "Oakland",
    status: "DEPARTED",
    direction: "OUTBOUND",
    trailerNumber: "TR-5521",
    carrier: "Northbound Freight",
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    orderNumber: "SO-1001",
    purchaseOrder: "PO-88210",
    shipmentId: 1,
    shipmentNumber: "SHP-1001",
    arrivedAt: "2026-11-20T16:42:00.000Z",
    departedAt: "2026-11-20T18:05:00.000Z",
    palletId: "1",
    seenShipmentId: 1,
    seenShipmentNumber: "SHP-1001",
    seenDirection: "LOADING",
    seenDockSlug: "D1",
    seenAt: "2026-11-20T17:02:11.000Z"
  }]
} as const
