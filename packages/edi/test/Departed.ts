/** Generated shipments that departed, with values that X12 can hold, and the sets that follow from them. */
import { checkDigit } from "@dockline/core/labels/Lpn"
import type { OrderItem, Shipment } from "@dockline/core/shipment/Shipment"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { anItem, anOrder, aShipment } from "@dockline/testing/generators/Given"
import * as fc from "fast-check"
import { unexpectedOn } from "../src/sets/AdviceSets.ts"
import type { Departure } from "../src/sets/AdviceSets.ts"
import { localTime } from "../src/sets/Times.ts"

const digits = (count: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom("0", "1", "7", "9"), minLength: count, maxLength: count })

/** Text of at least one character that an element can hold. */
const key = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom("A", "a", "01", "1", "AB 1", "ÄÖ", "__proto__"),
    fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength }).map((text) =>
      text.replace(/[*>^~]/g, "-").trimEnd()
    )
      .filter((text) => text !== "")
  )

const lpns = fc.oneof(
  digits(17).map((text) => `${text}${checkDigit(text)}`),
  digits(18),
  digits(18).map((text) => `00${text}`),
  key(12)
)

const dates = fc.constantFrom("", "2027-01-31", "2028-02-29")

const items = fc.record({
  lpn: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom("L1", "L2", "106141411234567897") },
    { weight: 1, arbitrary: lpns },
    { weight: 1, arbitrary: fc.constant("") }
  ),
  sku: key(20),
  quantity: fc.oneof(fc.nat(9999), fc.constant(0), fc.nat(99_999).map((cents) => cents / 100)),
  quantityUnit: fc.constantFrom("CASE", "UNIT", "PALLET"),
  upc: fc.oneof(fc.constant(""), digits(12)),
  lot: fc.oneof(fc.constant(""), key(10)),
  description: fc.string({ unit: "grapheme", maxLength: 100 }),
  expirationDate: dates,
  manufacturingDate: dates
})

const orders = fc.record({
  number: key(20),
  purchaseOrder: fc.oneof(fc.constant(""), key(30)),
  consigneeName: fc.string({ maxLength: 80 }),
  items: fc.uniqueArray(items, { maxLength: 6, selector: ({ lpn, sku }) => `${lpn.length} ${lpn}${sku}` })
})

/** Departed shipments with pallets that passed, pallets that were brought back, and pallets that no order expects. */
export const departed: fc.Arbitrary<Shipment> = fc.record({
  number: key(20).map((text) => `S-${text}`),
  direction: fc.constantFrom("OUTBOUND", "INBOUND"),
  carrier: fc.constantFrom("", "SWFT", "Swift Freight & Sons * Co", "x".repeat(50)),
  trailerNumber: fc.constantFrom("", "T-1", "trailer 4711 of Swift"),
  orders: fc.uniqueArray(orders, { maxLength: 4, selector: ({ number }) => number }),
  seen: fc.array(fc.tuple(fc.nat(20), fc.boolean(), fc.boolean()), { maxLength: 20 }),
  strangers: fc.uniqueArray(lpns, { maxLength: 2 })
}).map(({ orders, seen, strangers, ...fields }) => {
  const withNumbers = orders.map(({ items, number, ...order }, index) =>
    anOrder(
      String(index + 1),
      number,
      items.map(({ lpn, sku, ...item }, place): OrderItem => ({
        ...anItem(lpn, sku, item),
        id: `${index}${place}`
      })),
      { ...order, status: "COMPLETED" }
    )
  )
  const expected = Array.from(new Set(withNumbers.flatMap(({ items }) => items.map(({ lpn }) => lpn))))
    .filter((
      lpn
    ) => lpn !== "")
  const crossing = (isLoaded: boolean) => isLoaded ? "LOADING" as const : "UNLOADING" as const
  const pallets = seen.flatMap(([index, isFirst, isLast]) => {
    const lpn = expected[index]
    return lpn === undefined ? [] : [[lpn, { first: crossing(isFirst), last: crossing(isLast) }] as const]
  })
  const expectedLpns = new Set(expected)
  const over = strangers.filter((lpn) => !expectedLpns.has(lpn)).map((lpn) =>
    [lpn, { first: crossing(true), last: crossing(true) }] as const
  )
  return aShipment({
    ...fields,
    status: "DEPARTED",
    departedAt: Timestamp.of("2026-11-20T22:05:07.000Z"),
    orders: withNumbers,
    pallets: Array.from(
      new Map([...pallets, ...over]),
      ([lpn, ends], index) => ({ id: index + 1, lpn, dockId: 3, ...ends })
    )
  })
})

/** The data for partners about a shipment that departed from the east hub in New York. */
export const departureOf = (shipment: Shipment): Departure => ({
  shipment,
  unexpected: unexpectedOn(shipment),
  facility: { name: "East Hub", slug: "east" },
  at: localTime(shipment.departedAt ?? Timestamp.of("2026-11-20T17:00:00.000Z"), "America/New_York")
})
