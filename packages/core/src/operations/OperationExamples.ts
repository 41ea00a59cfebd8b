/**
 * Examples of documents, pallet events and other requests of clients, with the recorded answers. A service with the demo data
 * (D12.2) accepts every example, in this order and repeatedly.
 */
import type * as Operation from "../access/Operation.ts"
import { example } from "../access/Operation.ts"
import type { RequestExample } from "../access/Operation.ts"
import type * as DocumentInput from "../document/DocumentInput.ts"
import type { StrategyName } from "../document/Strategy.ts"
import type { schema } from "../movement/PalletOperations.ts"
import * as Timestamp from "../values/Timestamp.ts"
import recorded from "./answers.json" with { type: "json" }
import type { MethodOf, Operations } from "./Operations.ts"

const at = { business: "acme", facility: "east", dockSlug: "D1", direction: "LOADING" } as const

/** Pallet events by name; each has a summary, a description and a body. */
export const events = {
  byLpn: example("By the pallet's lpn", {
    eventId: "E-1001",
    ...at,
    occurredAt: "2026-11-20T17:02:11Z",
    labels: [
      { name: "lpn", value: "000123" },
      { name: "sku", value: "SKU-100" },
      { name: "lot", value: "L-2026-47" },
      { name: "expiration", value: "2027-05-31" }
    ]
  }, "The shipment is the one that has an item with this lpn. It arrives with its first pallet."),
  byShipmentNumber: example("A pallet of a shipment that the event names by number", {
    eventId: "E-1002",
    ...at,
    occurredAt: "2026-11-20T18:05:40+01:00",
    shipmentNumber: "SHP-1001",
    labels: [
      { name: "lpn", value: "000124" },
      { name: "sku", value: "SKU-200" },
      { name: "sku", value: "SKU-201" }
    ]
  }, "Several values of one label are sent as several entries."),
  withoutLabels: example("Nothing could be read", {
    eventId: "E-1003",
    ...at,
    occurredAt: "2026-11-20T17:09:02Z",
    labels: []
  }, "The shipment is the one that arrived last at the dock. Each such event is a new pallet.")
} satisfies Readonly<Record<string, RequestExample<(typeof schema)["Encoded"]>>>

/** A document in its JSON form (D2). */
export type DocumentJson = ReturnType<typeof DocumentInput.schema>["Encoded"]

type OrderJson = Omit<NonNullable<DocumentJson["orders"]>[number], "orderNumber">

interface DocumentExample {
  readonly summary: string
  readonly description: string
  readonly document: DocumentJson
}

/**
 * The examples by name. The first example with one order and the first with several create the orders that later examples change. Each
 * series has its own numbers.
 */
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
      description: "Creates the order, or replaces all of its items. This is the default strategy.",
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
        "Adds an item and keeps the others. Sent again it is a 409, because the order already has the item.",
      document: {
        ...order,
        orderItemUpdateStrategy: "APPEND",
        items: [{ lpn: "000125", sku: "SKU-300", quantity: 10, quantityUnit: "CASE" }]
      }
    },
    merge: {
      summary: "One order, MERGE",
      description: "Changes the lot and quantity of one item; fields that are not sent stay as they are.",
      document: {
        ...order,
        orderItemUpdateStrategy: "MERGE",
        items: [{ lpn: "000123", sku: "SKU-100", quantity: 40, quantityUnit: "CASE", lot: "L-2026-48" }]
      }
    },
    delete: {
      summary: "One order, DELETE",
      description:
        "Removes one item. If the order has no item with that lpn and sku, nothing is removed, which is not an error.",
      document: {
        ...order,
        orderItemUpdateStrategy: "DELETE",
        items: [{ lpn: "000125", sku: "SKU-300" }]
      }
    },
    withoutItems: {
      summary: "One order, no items",
      description: "Changes the dock and the seal and leaves all items unchanged.",
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
      description: "Two orders of one shipment, all or nothing. The fields at the top apply to both.",
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
      description: "The strategy of an order takes precedence over the strategy of the document.",
      document: ofTwo("MERGE", {
        items: [{ lpn: "000201", sku: "SKU-100", quantity: 57, quantityUnit: "CASE" }]
      }, { orderItemUpdateStrategy: "DELETE", items: [{ lpn: "000203", sku: "SKU-200" }] })
    }
  }
}

/** The example requests of each operation that changes something, by the names of the examples. */
export const requests: {
  readonly [Method in MethodOf<Operation.AnyWrite>]: Readonly<
    Record<string, Operation.RequestExample<Operations[Method]["body"]["Encoded"]>>
  >
} = {
  recordPallet: events,
  arrive: {
    now: example("Now", {}),
    later: example("With time and dock", { occurredAt: "2026-11-20T16:42:00Z", dockSlug: "D1" })
  },
  depart: {
    now: example("Now", {}),
    later: example("With time", { occurredAt: "2026-11-20T18:05:00Z" })
  },
  checkIn: {
    there: example("At the facility, now", { step: "AT_FACILITY" }),
    door: example("A door is assigned", {
      step: "DOOR_ASSIGNED",
      dockSlug: "D1",
      occurredAt: "2026-11-20T16:35:00Z"
    })
  },
  cancel: { now: example("Now", {}) },
  link: { link: example("A shipment of the same business", { linkedShipmentId: 2 }) }
}

/** The recorded answer to an example of each operation: the response of REST, or entries of a list. */
export const answers = recorded.answers

/** The recorded answers to a document that creates its shipment, and to one that changes it. */
export const submit = recorded.submit

/** The recorded payload of a message of each type. */
export const payloads = recorded.payloads

const dayMillis = 86_400_000

/** The day as of which the examples are written. */
const writtenDay = Date.parse("2026-11-20T00:00:00Z")

const time = /\b\d{4}-\d{2}-\d{2}(?=T\d{2}:\d{2})/g

/** The number of days from 1970 to a time in milliseconds. {@link moveTimes} returns the same text throughout a day. */
export const dayOf = (now: number): number => Math.floor(now / dayMillis)

/**
 * Moves every time in a text by whole days, so that the day of the examples becomes the day before `now`. Dates without a time stay,
 * because no rule refuses old dates.
 */
export const moveTimes = (text: string, now: number): string => {
  const days = (dayOf(now) - 1) * dayMillis - writtenDay
  return text.replace(
    time,
    (date) => Timestamp.fromMillis(Date.parse(`${date}T00:00:00Z`) + days).slice(0, date.length)
  )
}
