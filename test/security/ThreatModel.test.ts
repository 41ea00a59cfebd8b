/**
 * The threat model is held against its tests: every threat names what prevents it and at least one test that is there,
 * and every test file of this folder proves a threat.
 */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { rowsOf, sections } from "./ThreatModelTable.ts"

const root = new URL("../../", import.meta.url)

/** The title of a test or a group that runs: the first argument of a call, followed by another. */
const titlePattern =
  /(?:\b(?:it|test|describe|plainIt)(?:\.(?!skip|todo|fails)\w+)*|\))\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)\s*,/g

/** A title, with an ellipsis in the place of what differs from test to test. */
const general = (title: string): string =>
  title.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}|%[sdjo]/g, "…").replaceAll(/\\(["'`\\])/g, "$1")

const titlesOf = (path: string): ReadonlySet<string> =>
  new Set(
    Array.from(
      readFileSync(new URL(path, root), "utf8").matchAll(titlePattern),
      ([, plain, template]) => general(plain ?? template ?? "")
    )
  )

const referencePattern = /^`([^`]+)`: _(.+)_$/

/** The tables of threats, by their heading. */
const tables = Array.from(sections.keys()).filter((heading) => /^\| threat /m.test(sections.get(heading)!))

const threats = tables.flatMap((heading) => rowsOf(heading).map((cells) => ({ heading, cells })))

const references = threats.flatMap(({ cells: [, , tests = ""] }) => tests.split("<br>"))

describe("the threat model", () => {
  it("has a table for each kind of threat, and a picture of the trust boundaries", () => {
    assert.isAtLeast(tables.length, 8)
    assert.isAtLeast(threats.length, 45)
    assert.match(sections.get("Trust boundaries") ?? "", /```mermaid\nflowchart /)
    assert.isAtLeast((sections.get("Residual risks") ?? "").match(/^- \*\*/gm)?.length ?? 0, 8)
  })

  for (const { heading, cells } of threats) {
    it(`${heading}: ${cells[0]!.slice(0, 100)}`, () => {
      const [threat = "", prevention = "", tests = ""] = cells
      assert.lengthOf(cells, 3)
      assert.isNotEmpty(threat)
      assert.isNotEmpty(prevention, "says what prevents it")
      assert.isNotEmpty(tests, "names a test")
      for (const reference of tests.split("<br>")) {
        const [, path = "", escaped = ""] = referencePattern.exec(reference) ?? []
        const title = escaped.replaceAll("\\_", "_")
        assert.isNotEmpty(path, `${reference} is not \`file\`: _title_`)
        assert.match(path, /\.test\.ts$/)
        assert.isTrue(existsSync(new URL(path, root)), `${path} is not there`)
        assert.include([...titlesOf(path)], title, path)
      }
    })
  }

  it("has a threat for every test file of this folder", () => {
    const files = globSync("test/security/*.test.ts", { cwd: root })
    const proved = new Set(references.map((reference) => referencePattern.exec(reference)?.[1]))
    const others = files.filter((path) => !proved.has(path))
    assert.deepStrictEqual(others, ["test/security/ThreatModel.test.ts"])
  })
})
