/**
 * The commands of the runbooks work: every statement on the present schema, every command with its flags.
 */
import * as ClusterPlacement from "@dockline/webhook-adapter/placement/ClusterPlacement"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { runLine } from "../../packages/cli/test/Running.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const text = readFileSync(new URL("../../docs/operations/runbooks.md", import.meta.url), "utf8")

const statements = Array.from(
  text.matchAll(/psql "\$DATABASE_URL" -c (?:'([^']+)'|"([^"]+)")/g),
  ([, single, double]) => single ?? double!
)

/** A database with the tables of the placement, which the placement makes itself. */
const database = Layer.provideMerge(ClusterPlacement.layer(), TestDatabase.layer)

layer(database)("the statements of the runbooks", (it) => {
  it.effect("are there, and all of them are found", () =>
    Effect.sync(() => assert.strictEqual(statements.length, text.split("psql \"").length - 1)))

  for (const statement of statements) {
    it.effect(`run: ${statement}`, () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(statement.replaceAll(/\bID\b/g, "1"))
      }))
  }
})

/** The flags that the runbooks use, by command. */
const commands = new Map<string, Set<string>>()
for (const [, command, rest] of text.matchAll(/`dockline ([a-z-]+ [a-z-]+)([^`]*)`/g)) {
  const flags = commands.get(command!) ?? new Set()
  for (const [flag] of rest!.matchAll(/--[a-z-]+/g)) flags.add(flag)
  commands.set(command!, flags)
}

describe("the commands of the runbooks", () => {
  it("are found", () => assert.isAbove(commands.size, 7))

  for (const [command, flags] of commands) {
    it(`dockline ${command} is there, with ${[...flags].join(", ") || "no flags"}`, async () => {
      const { code, data } = await runLine([...command.split(" "), "--help"])
      assert.strictEqual(code, 0)
      assert.include(data, `dockline ${command} `)
      for (const flag of flags) assert.match(data, new RegExp(`${flag}\\b`), flag)
    })
  }
})
