/** `@dockline/core/testing` has all that its folder has. */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import * as testing from "../src/testing.ts"

const folder = new URL("../src/testing/", import.meta.url)

const modules = readdirSync(folder).filter((file) => file.endsWith(".ts")).map((file) => file.slice(0, -3))

describe("the entry", () => {
  it("has every module, but the suites by themselves and what their cases are set in", () => {
    const namespaces = modules.filter((name) => !/(Suite|World)$/.test(name) || name === "Suite")
    assert.deepStrictEqual(
      Object.keys(testing).filter((name) => name !== "storeSuites" && name !== "storeLaws").toSorted(),
      namespaces.toSorted()
    )
  })

  it("has every suite among the suites of a storage", async () => {
    const suites = await Promise.all(
      modules.filter((name) => /.Suite$/.test(name)).map(async (name) => {
        const module: Readonly<Record<string, unknown>> = await import(new URL(`${name}.ts`, folder).href)
        return module[`${name[0]!.toLowerCase()}${name.slice(1)}`]
      })
    )
    assert.isNotEmpty(suites)
    assert.sameMembers([...testing.storeSuites], suites)
  })
})
