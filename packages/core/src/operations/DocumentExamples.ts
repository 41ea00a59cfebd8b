/**
 * The example documents. A service with the demo data (D12.2) accepts every example, in this order and repeatedly.
 */
import type * as DocumentInput from "../document/DocumentInput.ts"
import type { StrategyName } from "../document/Strategy.ts"

/** A document in its JSON form (D2). */
export type DocumentJson = ReturnType<typeof DocumentInput.schema>["Encoded"]

type OrderJson = Omit<NonNullable<DocumentJson["orders"]>[number], "orderNumber">

interface DocumentExample {
  readonly summary: string
  readonly description: string
  readonly document: DocumentJson
}

/** The examples by name, of which the first creates the order that the others change. Each series has numbers of its own. */
export const documentExamples = (series: number): Readonly<Record<string, DocumentExample>> => ({
  ...singleOrderExamples(series),
  ...severalOrdersExamples(series)
})

const place = { business: "acme", facility: "east" } as const

const singleOrderExamples = (series: number) => {
  const order = {
    ...place,
    direction: "OUTBOUND",
    shipmentNumber: `SHP-${series}001`,
    orderNumber: `SO-${series}001`
  } as const
  return {
    overwrite: {
      summary: "One order, OVERWRITE",
      description: "Creates the order, or replaces all items that it has. The strategy when none is given.",
      document: {
        ...order,
        expectedArrivalAt: "2026-11-20T17:00:00Z",
        trailerNumber: "TR-5521",
        dockSlug: "D1",
        carrier: "Northbound Freight",
        driverName: "Robin Vega",
        driverLicensePlate: "8ABC123",
        additionalFields: [{ name: "temperatureZone", value: "AMBIENT" }],
        orderType: "SALES",
        purchaseOrder: "PO-88210",
        consigneeName: "Harbor Grocers",
        destination: "Oakland",
        expectedQuantity: 72,
        orderItemUpdateStrategy: "OVERWRITE",
        items: [
          {
            identifier: "LINE-1",
            lpn: "000123",
            sku: "SKU-100",
            quantity: 48,
            quantityUnit: "CASE",
            description: "Oat drink, 1 l",
            upc: "036000291452",
            weightPerUnit: 12.5,
            weightUnit: "KILOGRAM",
            height: 120,
            length: 100,
            width: 80,
            dimensionUnit: "CENTIMETER",
            lot: "L-2026-47",
            expirationDate: "2027-05-31",
            manufacturingDate: "2026-11-02",
            caseSerials: [{ id: "CS-1", quantity: 24 }, { id: "CS-2", quantity: 24 }]
          },
          { lpn: "000124", sku: "SKU-200", quantity: 24, quantityUnit: "UNIT", isDangerousGood: true }
        ]
      }
    },
    append: {
      summary: "One order, APPEND",
      description:
        "Adds an item and keeps the others. Sent twice it is a 409: the item is on the order by then.",
      document: {
        ...order,
        orderItemUpdateStrategy: "APPEND",
        items: [{ lpn: "000125", sku: "SKU-300", quantity: 10, quantityUnit: "CASE" }]
      }
    },
    merge: {
      summary: "One order, MERGE",
      description: "Changes the lot and quantity of one item; what is not sent stays as it is.",
      document: {
        ...order,
        orderItemUpdateStrategy: "MERGE",
        items: [{ lpn: "000123", sku: "SKU-100", quantity: 40, quantityUnit: "CASE", lot: "L-2026-48" }]
      }
    },
    delete: {
      summary: "One order, DELETE",
      description:
        "Removes one item. Where there is none of that lpn and sku, nothing is removed and it is no error.",
      document: {
        ...order,
        orderItemUpdateStrategy: "DELETE",
        items: [{ lpn: "000125", sku: "SKU-300" }]
      }
    },
    withoutItems: {
      summary: "One order, no items",
      description: "Changes the dock and the seal and leaves every item alone.",
      document: { ...order, dockSlug: "D2", sealNumber: "SEAL-7741" }
    }
  } satisfies Readonly<Record<string, DocumentExample>>
}

const severalOrdersExamples = (series: number): Readonly<Record<string, DocumentExample>> => {
  const shipment = { ...place, direction: "INBOUND", shipmentNumber: `SHP-${series}002` } as const
  const [first, second] = [`PO-${series}001`, `PO-${series}002`] as const
  const ofTwo = (strategy: StrategyName, one: OrderJson, other: OrderJson) => ({
    ...shipment,
    orderItemUpdateStrategy: strategy,
    orders: [{ orderNumber: first, ...one }, { orderNumber: second, ...other }]
  })
  return {
    severalOverwrite: {
      summary: "Several orders, OVERWRITE",
      description: "Two orders of one shipment, all or nothing. What stands at the top counts for both.",
      document: {
        ...shipment,
        dockSlug: "D2",
        carrier: "Cascade Lines",
        supplier: "Valley Mills",
        orderItemUpdateStrategy: "OVERWRITE",
        orders: [
          {
            orderNumber: first,
            expectedQuantity: 60,
            items: [{ lpn: "000201", sku: "SKU-100", quantity: 60, quantityUnit: "CASE" }]
          },
          {
            orderNumber: second,
            supplier: "Delta Foods",
            items: [
              { lpn: "000202", sku: "SKU-200", quantity: 12, quantityUnit: "CASE" },
              { lpn: "000203", sku: "SKU-200", quantity: 1, quantityUnit: "PALLET" }
            ]
          }
        ]
      }
    },
    severalAppend: {
      summary: "Several orders, APPEND",
      description: "Adds an item to each of two orders.",
      document: ofTwo("APPEND", {
        items: [{ lpn: "000204", sku: "SKU-100", quantity: 5, quantityUnit: "CASE" }]
      }, { items: [{ lpn: "000205", sku: "SKU-300", quantity: 8, quantityUnit: "UNIT" }] })
    },
    severalMerge: {
      summary: "Several orders, MERGE",
      description: "Changes an item of each of two orders.",
      document: ofTwo("MERGE", {
        items: [{ lpn: "000201", sku: "SKU-100", quantity: 58, quantityUnit: "CASE" }]
      }, { items: [{ lpn: "000202", sku: "SKU-200", lot: "L-2026-50" }] })
    },
    severalDelete: {
      summary: "Several orders, DELETE",
      description: "Removes an item of each of two orders.",
      document: ofTwo("DELETE", { items: [{ lpn: "000204", sku: "SKU-100" }] }, {
        items: [{ lpn: "000205", sku: "SKU-300" }]
      })
    },
    severalMixed: {
      summary: "Several orders, a strategy each",
      description: "An order's own strategy counts before that of the document.",
      document: ofTwo("MERGE", {
        items: [{ lpn: "000201", sku: "SKU-100", quantity: 57, quantityUnit: "CASE" }]
      }, { orderItemUpdateStrategy: "DELETE", items: [{ lpn: "000203", sku: "SKU-200" }] })
    }
  }
}
