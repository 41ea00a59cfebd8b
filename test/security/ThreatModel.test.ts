/**
 * Compares the threat model with its tests: every threat names its prevention and has at least one test, and every test file of this folder
 * attacks a threat.
 */
import { assert, describe, it } from "@effect/vitest"
import { globSync } from "node:fs"
import { sections, threats, threatTests } from "./Threats.ts"

const root = new URL("../../", import.meta.url)

describe("the threat model", () => {
  it("has threats of each kind, a picture of the trust boundaries, and residual risks", () => {
    assert.isAtLeast(new Set(threats.map(({ id }) => id.split(".")[0])).size, 8)
    assert.isAtLeast(threats.length, 88)
    assert.match(sections.get("Trust boundaries") ?? "", /```mermaid\nflowchart /)
    assert.isAtLeast((sections.get("Residual risks") ?? "").match(/^- \*\*/gm)?.length ?? 0, 8)
  })

  it("has nothing but threats in its lists of threats, numbered in order", () => {
    const kinds = new Map<string, number>()
    for (const { id } of threats) {
      const [kind = "", number] = id.split(".")
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      assert.strictEqual(Number(number), kinds.get(kind), id)
    }
    const lines = [...sections.values()].flatMap((section) => section.match(/^- \*\*\w+\.\d+\*\*.*/gm) ?? [])
    assert.lengthOf(threats, lines.length, "each line says what its threat is held by")
  })

  it.each(threats)("$id is attacked by a test", ({ id }) => {
    assert.isNotEmpty(threatTests.filter((test) => test.id === id))
  })

  it("is named by tests alone, each with a threat that it has", () => {
    const ids = new Set(threats.map(({ id }) => id))
    assert.deepStrictEqual(threatTests.filter(({ id, title }) => title === "" || !ids.has(id)), [])
  })

  it("has a threat for every test file of this folder", () => {
    const attacking = new Set(threatTests.map(({ path }) => path))
    const others = globSync("test/security/*.test.ts", { cwd: root }).filter((path) => !attacking.has(path))
    assert.deepStrictEqual(others, ["test/security/ThreatModel.test.ts"])
  })
})
