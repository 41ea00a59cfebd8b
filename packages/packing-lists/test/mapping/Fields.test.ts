/** The fields of mappings: the page has words for each of them. */
import { assert, it } from "vitest"
import { fieldWords } from "../../src/mapping/FieldWords.ts"
import { fieldNames } from "../../src/mapping/Mapping.ts"

it("the fields that columns may have are each in words on the page", () => {
  assert.deepStrictEqual(Object.keys(fieldWords).toSorted(), fieldNames.toSorted())
})
