/** A program in one file, and its sources changed on the way. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { bundle } from "../../../../programs/Bundle.mjs"
import type { Replacement } from "../../../../programs/Bundle.mjs"

const entry = fileURLToPath(new URL("../fixtures/Program.ts", import.meta.url))
const part = "lab/faults/test/fixtures/Part.ts"

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dockline-bundle-"))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** What the program says, in one file. */
const run = async (replacements: ReadonlyArray<Replacement>): Promise<Readonly<Record<string, unknown>>> => {
  const outfile = join(folder, "program.mjs")
  await bundle({ entry, outfile, replacements })
  return import(pathToFileURL(outfile).href)
}

const failureOf = async (replacement: Replacement): Promise<string> => {
  try {
    await run([replacement])
  } catch (failure) {
    return String(failure)
  }
  return "none"
}

describe("a bundle", () => {
  it("does what its sources do, which go on knowing where they are", async () => {
    const { answer, place } = await run([])
    assert.strictEqual(answer, 42)
    assert.strictEqual(
      place,
      pathToFileURL(fileURLToPath(new URL("../fixtures/Part.ts", import.meta.url))).href
    )
  })

  it("does what the replacement says, taken literally", async () => {
    const { answer } = await run([{ file: part, from: "42", to: "\"$&\".length" }])
    assert.strictEqual(answer, 2)
  })

  it("is refused when a replacement is for no place, for several, or for a file that is not a part of it", async () => {
    assert.include(await failureOf({ file: part, from: "43", to: "1" }), "0 times")
    assert.include(await failureOf({ file: part, from: "export", to: "" }), "2 times")
    assert.include(
      await failureOf({ file: "packages/core/src/document/Plan.ts", from: "a", to: "b" }),
      "is not a part"
    )
  })
})
