/**
 * Laws of reading documents (WIRE.md, document fields; D2.1–D2.4): a good one says what was sent, a bad one is refused
 * with the path of every fault, and whatever is sent is left as it is.
 */
import * as assert from "@dockline/testing/Assert"
import { rawDocuments, read, toJson } from "@dockline/testing/generators/Generators"
import * as Law from "@dockline/testing/Law"
import { Result } from "effect"
import type * as DocumentInput from "../../src/document/DocumentInput.ts"
import { errorsOf } from "../Reading.ts"
import { anyInput, faultyDocuments } from "./HostileInput.ts"

/** A document that is read says what was sent: written as JSON and read again it is the same. */
export const readsWhatIsWritten = (reader: DocumentInput.Reader): Law.Law =>
  Law.make("a document read, written as JSON and read again is the same document", rawDocuments, (raw) => {
    const document = read(raw, reader)
    assert.deepStrictEqual(read(JSON.parse(JSON.stringify(toJson(document))), reader), document)
    assert.deepStrictEqual(read(JSON.parse(JSON.stringify(raw)), reader), document)
  })

/** Whatever is sent is read, or refused with at least one error, and is left as it is. */
export const readsOrRefuses = (reader: DocumentInput.Reader): Law.Law =>
  Law.make(
    "any value is read or refused with at least one error, and reading does not change it",
    anyInput,
    (raw) => {
      const before = JSON.stringify(raw)
      const result = reader(raw)
      assert.isTrue(
        Result.isSuccess(result) || result.failure._tag === "TooManyItems" ||
          errorsOf(result.failure).length > 0
      )
      assert.strictEqual(JSON.stringify(raw), before)
    },
    100
  )

/** D2.3, D2.4: one fault in a good document is refused, 400 or 422 as it is, with the path of that fault. */
export const namesTheFault = (reader: DocumentInput.Reader): Law.Law =>
  Law.make(
    "D2.3, D2.4 one fault makes a good document 400 or 422, as it is, and its path is named",
    faultyDocuments,
    ({ category, path, raw }) => {
      const refusal = Result.getOrThrow(Result.flip(reader(raw)))
      assert.strictEqual(refusal.category, category)
      assert.include(errorsOf(refusal).map((error) => error.path), path)
    },
    300
  )

/** What a reader of documents promises. */
export const everyReader = (reader: DocumentInput.Reader): ReadonlyArray<Law.Law> => [
  readsWhatIsWritten(reader),
  readsOrRefuses(reader),
  namesTheFault(reader)
]
