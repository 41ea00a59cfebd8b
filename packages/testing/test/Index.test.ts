/** The two entries have every suite and every law of their folders; the entry of the suites works without fast-check. */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { loadedBy } from "../../../test/support/Loaded.ts"
import * as testing from "../src/index.ts"
import * as Laws from "../src/Laws.ts"

const folder = new URL("../src/", import.meta.url)

describe("the entry of laws", () => {
  it("has every module of laws", () => {
    const laws = readdirSync(new URL("laws", folder)).map((file) => file.slice(0, -3)).filter((name) =>
      /Laws?$/.test(name)
    )
    assert.isNotEmpty(laws)
    assert.includeMembers(Object.keys(Laws), laws)
  })
})

describe("the entry of suites", () => {
  it("has every suite by itself, and among the suites of a storage", async () => {
    const files = readdirSync(new URL("suites", folder), { recursive: true, encoding: "utf8" })
    const suitesIn = async (file: string) => {
      const module: Readonly<Record<string, unknown>> = await import(new URL(`suites/${file}`, folder).href)
      return Object.entries(module).filter(([name]) => name.endsWith("Suite"))
    }
    const suites = (await Promise.all(files.filter((file) => file.endsWith(".ts")).map(suitesIn))).flat()
    assert.isNotEmpty(suites)
    for (const [name, suite] of suites) assert.propertyVal(testing, name, suite)
    // One also needs a service that takes the database away, and one a service that appends to outboxes.
    const others = new Set<unknown>([testing.outageSuite, testing.outboxSuite])
    assert.sameMembers(
      [...testing.storeSuites],
      suites.map(([, suite]) => suite).filter((suite) => !others.has(suite))
    )
  })

  it("loads no fast-check", async () => {
    const files = await loadedBy("@dockline/testing")
    assert.isNotEmpty(files)
    assert.deepStrictEqual(files.filter((file) => file.includes("fast-check")), [])
  })
})
