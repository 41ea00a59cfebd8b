/** Whoever has only what is public can write a message log and a store of movement that keep their promises. */
import { followSuite, messageLogSuite, movementSuite, Suite } from "@dockline/testing"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { runner } from "../../../test/support/Runner.ts"
import manifest from "../package.json" with { type: "json" }
import * as OwnStorage from "./OwnStorage.ts"

for (const suite of [messageLogSuite, movementSuite, followSuite]) {
  Suite.register(runner, suite, OwnStorage.layer)
}

describe("the storage of one's own", () => {
  it("imports public modules alone", () => {
    const text = readFileSync(new URL("OwnStorage.ts", import.meta.url), "utf8")
    const imported = Array.from(text.matchAll(/ from "(.+)"/g), ([, name]) => name!)
    const open = new Set(Object.keys(manifest.exports).map((path) => path.replace(/^\./, "@dockline/core")))
    assert.deepStrictEqual(imported.filter((name) => name !== "effect" && !open.has(name)), [])
  })
})
