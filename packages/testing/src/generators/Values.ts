/**
 * Generated values of single fields. Texts, keys and numbers come from small pools, so that what is generated meets
 * often, and every value that says nothing (`""`, 0, `false`, `[]`) comes up often. The first of each pool is the one
 * that a failing case shrinks to.
 */
import { unseenIn } from "@dockline/core/labels/Lpn"
import { maxNumber } from "@dockline/core/values/Field"
import { defaultVocabulary, palletDirections } from "@dockline/core/values/Vocabulary"
import * as fc from "fast-check"

/** Names that mean something to JavaScript's objects, and nothing to a document. */
export const prototypeNames = ["__proto__", "constructor", "toString", "hasOwnProperty"] as const

/** Text with nothing wrong that a careless program trips over. */
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

/** Whether a value says nothing to a merge (D3.6, D3.7); written out here, so that laws do not ask the rules themselves. */
export const saysNothing = (value: unknown): boolean =>
  value === "" || value === 0 || value === false || (Array.isArray(value) && value.length === 0)

/** Free text: often empty, often one of two, now and then odd, else any text that a document may hold. */
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

/** Text that identifies: all its characters can be seen (D22). */
export const identifiers: fc.Arbitrary<string> = texts.filter((text) => unseenIn(text).length === 0)

/** Text that is not empty. */
export const names: fc.Arbitrary<string> = texts.filter((text) => text !== "")

/** An amount: 0 and the limit among them. */
export const amounts: fc.Arbitrary<number> = fc.oneof(fc.constantFrom(0, 1, 2.5, maxNumber), fc.nat(100))

/** A whole amount: 0 and the limit among them. */
export const wholeAmounts: fc.Arbitrary<number> = fc.oneof(fc.constantFrom(0, 1, maxNumber), fc.nat(100))

/** License plates, most of them alike but for case, zeros or a letter that may belong to the sku; some are frequent. */
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

/** Stock-keeping units; beside {@link lpns}, two different keys may read alike when written in one. */
export const skus: fc.Arbitrary<string> = fc.constantFrom("S1", "S1", "S2", "1", "1", "s1")

/** Order numbers: few, so that documents meet each other's orders. */
export const orderNumbers: fc.Arbitrary<string> = fc.constantFrom("O1", "O2", "O3")

/** Shipment numbers: few; one is an order's number too. */
export const shipmentNumbers: fc.Arbitrary<string> = fc.constantFrom("S1", "S2", "O1")

/** Calendar dates, a leap day among them, and none. */
export const dates: fc.Arbitrary<string> = fc.constantFrom("", "2026-11-20", "2024-02-29")

/** Points in time as clients write them, and none. */
export const dateTimes: fc.Arbitrary<string> = fc.constantFrom(
  "",
  "2026-11-21T17:00:00Z",
  "2026-12-24T18:00:00.25+05:30",
  "2026-12-24T18:00:00"
)

/** Directions of orders and shipments, mostly the one, so that they meet. */
export const directions: fc.Arbitrary<string> = fc.constantFrom("OUTBOUND", "OUTBOUND", "OUTBOUND", "INBOUND")

/** Units of quantity that an item may be given. */
export const quantityUnits: fc.Arbitrary<string> = fc.constantFrom(...defaultVocabulary.quantityUnits)

/** Directions in which a pallet crosses a dock. */
export const crossings = fc.constantFrom(...palletDirections)

/** Some words of a vocabulary, and none. */
export const words = (vocabulary: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc.constantFrom("", ...vocabulary)
