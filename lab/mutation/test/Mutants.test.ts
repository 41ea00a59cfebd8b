/** The mutants that were chosen by hand fit the sources that they change. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { mutants } from "../hand/Mutants.ts"

const root = new URL("../../../", import.meta.url)

describe("a mutant", () => {
  it("has a name of its own", () => {
    assert.strictEqual(new Set(mutants.map(({ name }) => name)).size, mutants.length)
  })

  it.each(mutants)("changes one place, and tests look for it: $name", ({ file, from, tests, to }) => {
    assert.lengthOf(readFileSync(new URL(file, root), "utf8").split(from), 2)
    assert.notStrictEqual(from, to)
    assert.isNotEmpty(tests)
    for (const test of tests) assert.isTrue(existsSync(new URL(test, root)), test)
  })
})
