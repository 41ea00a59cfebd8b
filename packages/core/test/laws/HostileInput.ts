/**
 * Generated input that is not good: documents with exactly one fault, and any other value. What no wire can carry is given
 * to the whole façade in `DocklineHostile.test.ts`.
 */
import * as Generators from "@dockline/testing/generators/Generators"
import { rawDocuments, rawItems } from "@dockline/testing/generators/Generators"
import type { Raw } from "@dockline/testing/generators/Generators"
import * as fc from "fast-check"
import { driverFieldNames, itemFields, orderFields, shipmentFields } from "../../src/shipment/Shipment.ts"
import { maxNumber, maxTextLength } from "../../src/values/Field.ts"
import type * as Row from "../../src/values/FieldTable.ts"

/** A document with a fault. */
export interface FaultyDocument {
  readonly raw: Raw
  /** Where the fault is. */
  readonly path: string
  /** What it makes of the document: 400 for one that cannot be read, else 422. */
  readonly category: "malformed" | "unprocessable"
}

/** What is wrong with a field, and how the document is refused for it. */
interface Wrong {
  readonly value: unknown
  readonly category: FaultyDocument["category"]
}

const malformed = (value: unknown): Wrong => ({ value, category: "malformed" })
const unprocessable = (value: unknown): Wrong => ({ value, category: "unprocessable" })

const badTexts = [
  unprocessable("a\0"),
  unprocessable("\ud800"),
  unprocessable("\udc00a"),
  unprocessable("a".repeat(maxTextLength + 1)),
  unprocessable("🚚".repeat(maxTextLength + 1))
]

const noText = [5, 0, true, ["a"], {}, Number.NaN].map(malformed)
// `""` is none of these: it means absent wherever a field is optional.
const noNumber = ["5", true, [5], { a: 1 }].map(malformed)
const noFlag = ["true", 1, 0, []].map(malformed)
const noList = ["a", 0, true, {}, { 0: "a", length: 1 }].map(malformed)

const badNumbers = [-1, -Number.MIN_VALUE, maxNumber + 1, Number.MAX_VALUE].map(unprocessable)
const notWhole = [0.5, 1e-300].map(unprocessable)
const badWords = (...alike: ReadonlyArray<string>) =>
  ["nothing", "__proto__", " ", ...alike].map(unprocessable)
const badDates = ["2026-02-29", "2026-13-01", "20261120", "0000-01-01", "2026-11-20T00:00:00Z", "today"]
const badTimes = ["2026-11-20", "2026-11-21T24:00:00Z", "2026-11-21T17:00:00+24:00", "10000-01-01T00:00:00Z"]

const text = [...noText, ...badTexts]
const identifier = [...text, unprocessable("a\u200b")]
const fieldsOf = (names: ReadonlyArray<string>, wrongs: ReadonlyArray<Wrong>) =>
  Object.fromEntries(names.map((name) => [name, wrongs]))

const wrongOf: Readonly<Record<Row.Kind, ReadonlyArray<Wrong>>> = {
  text,
  identifier,
  key: [...text, unprocessable("")],
  word: [...noText, ...badWords("case", "CASES", "gram", "inch")],
  amount: [...noNumber, ...badNumbers],
  wholeAmount: [...noNumber, ...badNumbers, ...notWhole],
  flag: noFlag,
  date: [...noText, ...badDates.map(unprocessable)],
  list: noList
}

const wrongIn = (table: Row.Table) =>
  Object.fromEntries(Object.entries(table).map(([name, { kind }]) => [name, wrongOf[kind]]))

const documentFaults: Readonly<Record<string, ReadonlyArray<Wrong>>> = {
  ...fieldsOf(["business", "facility"], [...text, unprocessable("")]),
  direction: [...noText, ...badWords("outbound", "OUTBOUND ", "")],
  ...fieldsOf(["dockSlug", "shipmentNumber", ...driverFieldNames], text),
  ...wrongIn(shipmentFields),
  ...wrongIn(orderFields),
  expectedArrivalAt: [...noText, ...badTimes.map(unprocessable)],
  orderItemUpdateStrategy: [...noText, ...badWords("append", "APPEND ", "", "constructor")],
  additionalFields: noList,
  orders: noList,
  carrierName: [malformed("a")],
  constructor: [malformed("a")]
}

const itemFaults: Readonly<Record<string, ReadonlyArray<Wrong>>> = {
  ...wrongIn(itemFields),
  qty: [malformed(5)]
}

const faultOf = (
  faults: Readonly<Record<string, ReadonlyArray<Wrong>>>
): fc.Arbitrary<Wrong & { readonly name: string }> =>
  fc.constantFrom(
    ...Object.entries(faults).flatMap(([name, wrongs]) => wrongs.map((wrong) => ({ ...wrong, name })))
  )

/** Of the two shapes of a document, that with `orderNumber`: a fault of `orders` would be two faults in it. */
const single = rawDocuments.filter((raw) => raw["orders"] === undefined)

const faultyFields = fc.tuple(single, faultOf(documentFaults)).map(([raw, { category, name, value }]) => ({
  raw: { ...raw, [name]: value },
  path: name,
  category
}))

const faultyItems = fc
  .tuple(single, fc.array(rawItems, { maxLength: 2 }), rawItems, faultOf(itemFaults))
  .map(([raw, before, item, { category, name, value }]) => ({
    raw: { ...raw, items: [...before, { ...item, [name]: value }] },
    path: `items[${before.length}].${name}`,
    category
  }))

const missing = fc.tuple(
  single,
  fc.constantFrom("business", "facility", "direction", "orderNumber"),
  fc.boolean()
)
  .map(([raw, name, isNull]) => ({
    raw: isNull
      ? { ...raw, [name]: null }
      : Object.fromEntries(Object.entries(raw).filter(([each]) => each !== name)),
    path: name,
    category: "unprocessable" as const
  }))

/** Good documents with exactly one fault: a wrong type or an unknown field, a bad value, or a missing one. */
export const faultyDocuments: fc.Arbitrary<FaultyDocument> = fc.oneof(faultyFields, faultyItems, missing)

const fieldNames = fc.constantFrom(
  "business",
  "facility",
  "direction",
  "orderNumber",
  "shipmentNumber",
  "items",
  "orders",
  "caseSerials",
  "additionalFields",
  ...Generators.prototypeNames
)

/** Anything that JSON can say: good documents, those with a fault or anything in a member, and other values. */
export const anyInput: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  rawDocuments,
  faultyDocuments.map(({ raw }) => raw),
  fc.tuple(rawDocuments, fieldNames, fc.jsonValue()).map(([raw, name, value]) => ({ ...raw, [name]: value }))
)
