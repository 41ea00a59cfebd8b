/**
 * Generated values of single fields. Texts, keys and numbers come from small pools, so that generated values often coincide, and every
 * empty value (`""`, 0, `false`, `[]`) is frequent. A failing case shrinks to the first value of each pool.
 */
import { unseenIn } from "@dockline/core/labels/Lpn"
import { maxNumber } from "@dockline/core/values/Field"
import { defaultVocabulary, palletDirections } from "@dockline/core/values/Vocabulary"
import * as fc from "fast-check"

/** Names with a meaning for JavaScript's objects, but none for a document. */
export const prototypeNames = ["__proto__", "constructor", "toString", "hasOwnProperty"] as const

/** Valid texts on which a careless program fails. */
const oddTexts = [
  ...prototypeNames,
  "null",
  "0",
  " ",
  "a ",
  "ä",
  "a\u0308",
  "🚚",
  "\u0001",
  "\u2028",
  "\ufeff",
  "<&>\"'",
  "\\u0000",
  "%s'; --"
]

/** Whether a value is empty for a merge (D3.6, D3.7); written out here, so that laws do not rely on the rules under test. */
export const saysNothing = (value: unknown): boolean =>
  value === "" || value === 0 || value === false || (Array.isArray(value) && value.length === 0)

/** Free text: often empty, often one of two, now and then odd, otherwise any text that a document may contain. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: fc.constantFrom("", "a", "b") },
  { weight: 1, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 6 }) },
  {
    weight: 3,
    arbitrary: fc.string({ unit: "binary", maxLength: 6 }).filter((text) =>
      text.isWellFormed() && !text.includes("\0")
    )
  }
)

/** Text for identifiers: all its characters are visible (D22). */
export const identifiers: fc.Arbitrary<string> = texts.filter((text) => unseenIn(text).length === 0)

/** Text that is not empty. */
export const names: fc.Arbitrary<string> = texts.filter((text) => text !== "")

/** An amount, including 0 and the limit. */
export const amounts: fc.Arbitrary<number> = fc.oneof(fc.constantFrom(0, 1, 2.5, maxNumber), fc.nat(100))

/** A whole amount, including 0 and the limit. */
export const wholeAmounts: fc.Arbitrary<number> = fc.oneof(fc.constantFrom(0, 1, maxNumber), fc.nat(100))

/** License plates, most of which differ only in case, zeros or a letter that may belong to the sku; some are frequent. */
export const lpns: fc.Arbitrary<string> = fc.constantFrom(
  "L1",
  "L1",
  "L2",
  "L1S",
  "L1S",
  "l1",
  "L01",
  "000123",
  "__proto__"
)

/** Stock-keeping units; together with {@link lpns}, two different keys may look the same when they are concatenated. */
export const skus: fc.Arbitrary<string> = fc.constantFrom("S1", "S1", "S2", "1", "1", "s1")

/** Order numbers: few, so that documents often name each other's orders. */
export const orderNumbers: fc.Arbitrary<string> = fc.constantFrom("O1", "O2", "O3")

/** Shipment numbers: few; one is an order's number too. */
export const shipmentNumbers: fc.Arbitrary<string> = fc.constantFrom("S1", "S2", "O1")

/** Calendar dates, including a leap day, or none. */
export const dates: fc.Arbitrary<string> = fc.constantFrom("", "2026-11-20", "2024-02-29")

/** Points in time in the notations of clients, or none. */
export const dateTimes: fc.Arbitrary<string> = fc.constantFrom(
  "",
  "2026-11-21T17:00:00Z",
  "2026-12-24T18:00:00.25+05:30",
  "2026-12-24T18:00:00"
)

/** Directions of orders and shipments, mostly the same one, so that they coincide. */
export const directions: fc.Arbitrary<string> = fc.constantFrom("OUTBOUND", "OUTBOUND", "OUTBOUND", "INBOUND")

/** Units of quantity of an item. */
export const quantityUnits: fc.Arbitrary<string> = fc.constantFrom(...defaultVocabulary.quantityUnits)

/** Directions in which a pallet crosses a dock. */
export const crossings = fc.constantFrom(...palletDirections)

/** Some words of a vocabulary, or none. */
export const words = (vocabulary: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc.constantFrom("", ...vocabulary)
