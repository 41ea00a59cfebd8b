/** README.md: every command in it runs, and its tables are those of the program. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { layerMemory, TestServer } from "../../../test/support/TestServer.ts"
import { commands } from "../src/CommandLine.ts"
import { exitCodes } from "../src/Failure.ts"
import { variables } from "../src/GlobalFlags.ts"
import { environment, vault } from "./Operating.ts"
import { runLine, words } from "./Running.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

const lines = Array.from(readme.matchAll(/^dockline .*$/gm), ([line]) => line)

const rows = readme.split("\n").filter((line) => line.startsWith("|")).map((line) =>
  line.split("|").slice(1, -1).map((cell) => cell.trim())
)

describe("README.md", () => {
  it.effect("has commands that run in the order they stand in", () =>
    Effect.gen(function*() {
      const { port } = yield* TestServer
      const env = environment(port)
      assert.isAtLeast(lines.length, 16)
      for (const line of lines) {
        const { code, errors } = yield* Effect.promise(() =>
          runLine(words(line).slice(1), { env, keystrokes: "password\r" })
        )
        assert.strictEqual(code, 0, `${line}: ${errors}`)
      }
    }).pipe(Effect.provide(layerMemory({ vault }))))

  it("has a row for each exit code", () => {
    for (const [code, meaning] of exitCodes) {
      assert.deepInclude(rows, [String(code), meaning])
    }
  })

  it("has a row for each noun, with its verbs", () => {
    for (const { name, subcommands } of commands) {
      const verbs = subcommands.flatMap(({ commands }) => commands.map(({ name }) => `\`${name}\``))
      assert.deepInclude(rows, [`\`${name}\``, verbs.join(", ")])
    }
  })

  it("has a row for each variable", () => {
    assert.sameMembers(
      rows.flatMap(([name = ""]) => (name.startsWith("`DOCKLINE_") ? [name.replaceAll("`", "")] : [])),
      Object.values(variables)
    )
  })
})
