import { curlLines } from "@dockline/server/lifecycle/StartMessages"
import { table } from "@dockline/server/settings/SettingsTable"
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { globSync, readFileSync, statSync } from "node:fs"

const root = new URL("../../", import.meta.url)
const readme = readFileSync(new URL("README.md", root), "utf8")
const settings = readFileSync(new URL("docs/operations/settings.md", root), "utf8")

/** A table's cells without the padding that the formatter adds. */
const cells = (line: string): ReadonlyArray<string> => line.split("|").map((cell) => cell.trim())

describe("README.md", () => {
  it("leaves every setting to a page of its own, with its default and meaning", () => {
    const rows = new Set(
      settings.split("\n").filter((line) => line.startsWith("|")).map((line) => cells(line).join("|"))
    )
    for (const { name, default: value, meaning } of table) {
      assert.isTrue(
        rows.has(`|\`${name}\`|${value}|${meaning}|`),
        `${name} is not in docs/operations/settings.md as it is declared`
      )
    }
  })

  it("shows the lines that the server prints", () => {
    const url = "http://localhost:8080"
    for (const line of curlLines({ baseUrl: url, authUrl: url })) assert.include(readme, line)
  })
})

describe("the documents that are read from top to bottom", () => {
  it.each([
    ["ARCHITECTURE.md", 12_000],
    ["docs/RELIABILITY.md", 12_000],
    ["docs/SCALE.md", 9000],
    ["docs/THREAT-MODEL.md", 12_000],
    ["docs/WIRE.md", 11_000],
    ...globSync("docs/wire/*.md", { cwd: root }).map((page): [string, number] => [page, 20_000])
  ])("%s has at most %i bytes", (path, most) => {
    assert.isAtMost(statSync(new URL(path, root)).size, most)
  })
})

describe("the documents", () => {
  it("need one version of Node, that of package.json", () => {
    const { engines } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
      readonly engines: { readonly node: string }
    }
    const versions = documents.flatMap((path) =>
      Array.from(
        readFileSync(new URL(path, root), "utf8").matchAll(
          /Node\s+(?:≥\s+)?([\d.]+)\s+or\s+newer/g
        ),
        ([, version]) => `${path}: >=${version}.0`
      )
    )
    assert.isNotEmpty(versions)
    assert.deepStrictEqual(versions.filter((version) => !version.endsWith(` ${engines.node}`)), [])
  })

  /** The documents in git, except generated ones: the reference of fields and codes, and results of measurements. */
  const documents = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" }).trim().split(
    "\n"
  )
    .filter((path) => !/^(?:docs\/reference|lab\/[^/]+\/results)\//.test(path))

  it("have no line above 140 characters but rows of tables and lines with an address", () => {
    const long = documents.flatMap((path) =>
      readFileSync(new URL(path, root), "utf8").split("\n").flatMap((line, index) =>
        line.length <= 140 || /^\s*\|/.test(line) || /\bhttps?:\/\//.test(line)
          ? []
          : [`${path}:${index + 1}`]
      )
    )
    assert.deepStrictEqual(long, [])
  })
})

describe("the guides", () => {
  it.each(globSync("docs/guides/*.md", { cwd: root }))(
    "%s says how to install what is not released yet",
    (path) => {
      const guide = readFileSync(new URL(path, root), "utf8")
      if (/^npm install .*@dockline\//m.test(guide)) {
        assert.match(
          guide,
          /first\s+release.*(?:release\/\*\.tgz|npm run dockline)/s
        )
      }
    }
  )

  it.each(globSync("docs/guides/*.md", { cwd: root }))("%s begins with a command", (path) => {
    assert.match(readFileSync(new URL(path, root), "utf8"), /^# .+\n\n```sh/)
  })
})
