/** The command line of the program `dockline-server`. */
import { newest } from "@dockline/sql-storage/schema/Migrations"
import { Effect, Exit, Redacted, Scope } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import * as Programs from "../../programs/Programs.mjs"
import { freePort } from "../support/ProgramSettings.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const manifest = JSON.parse(
  readFileSync(new URL("../../packages/server/package.json", import.meta.url), "utf8")
) as { readonly version: string }

const called = async (...args: ReadonlyArray<string>) => calledWith({}, ...args)

const calledWith = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const program = await Programs.bundled("packages/server/src/main.ts")
  return new Promise<readonly [code: unknown, stdout: string, stderr: string]>((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      { env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env } },
      (error, stdout, stderr) => resolve([error === null ? 0 : error.code, stdout, stderr])
    )
  })
}

describe("dockline-server", () => {
  it("--version says which one it is", async () => {
    assert.deepStrictEqual(await called("--version"), [0, `${manifest.version}\n`, ""])
  })

  it("is bundled in ASCII alone: one other character would keep its text twice as large in memory", async () => {
    const folder = dirname(await Programs.bundled("packages/server/src/main.ts"))
    const files = readdirSync(folder).filter((name) => name.endsWith(".mjs"))
    assert.include(files, "packages-server-src-main.mjs")
    const others = files.filter((name) => readFileSync(join(folder, name)).some((byte) => byte > 0x7F))
    assert.deepStrictEqual(others, [])
  })

  it("--help has the settings", async () => {
    const [code, stdout] = await called("--help")
    assert.strictEqual(code, 0)
    assert.match(stdout, /^dockline-server: .*\n {2}DATABASE_URL {2}\(.*\n {6}\S/s)
  })

  it("check ends with 1 when it has found a problem", async () => {
    const [code, stdout, stderr] = await calledWith({ PORT: "none" }, "check")
    assert.deepStrictEqual([code, stderr], [1, ""])
    assert.match(stdout, /^problem {2}settings {2}the setting PORT is wrong: .*\n$/)
  })

  it.each([[], ["check"], ["migrate"]])("refuses a misspelt setting: %j", async (...args) => {
    const folder = mkdtempSync(join(tmpdir(), "dockline-misspelt-"))
    const env = { DATABSE_URL: "postgres://u:hunter2@db/x", DATA_DIR: folder }
    const [code, stdout, stderr] = await calledWith(env, ...args)
    assert.strictEqual(code, 1)
    assert.match(stdout + stderr, / DATABSE_URL is not a setting\. Did you mean DATABASE_URL\?/)
    assert.notInclude(stdout + stderr, "hunter2")
    assert.deepStrictEqual(readdirSync(folder), [])
    rmSync(folder, { recursive: true })
  })

  it("refuses an older schema where it may not migrate, until migrate has run", async () => {
    const scope = Scope.makeUnsafe()
    try {
      const { url } = await Effect.runPromise(Scope.provide(TestDatabase.create, scope))
      const env = {
        DATABASE_URL: Redacted.value(url),
        MIGRATE: "false",
        PORT: String(await freePort())
      }
      const refusal =
        "dockline: The schema of the database is older than this instance; run dockline-server migrate"
      assert.deepStrictEqual(await calledWith(env), [
        1,
        "",
        `${refusal}: The newest migration or the distribution has not run to its end\n`
      ])
      const [code, migrated] = await calledWith(env, "migrate")
      assert.strictEqual(code, 0)
      assert.match(
        migrated,
        new RegExp(
          `The schema of PostgreSQL at .* is number ${newest}; ran initial, skus 1_master, exceptions 1_exceptions, edi 1_exchange, epcis 1_settings, packing-lists 1_mappings, alerts 1_rules\\n$`
        )
      )
      const [, again] = await calledWith(env, "migrate")
      assert.match(again, new RegExp(`is number ${newest}; no migration had to run\\n$`))
      const server = await ServerProcess.serve(env)
      server.child.kill()
      assert.strictEqual(await server.ended, 0)
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  })

  it("refuses to distribute a database that is no cluster, or to move a business in it", async () => {
    const scope = Scope.makeUnsafe()
    try {
      const { url } = await Effect.runPromise(Scope.provide(TestDatabase.create, scope))
      const env = { DATABASE_URL: Redacted.value(url) }
      for (const args of [["--distribute"], ["--distribute", "--dry-run", "--shards", "4"]]) {
        const [code, , stderr] = await calledWith(env, "migrate", ...args)
        assert.strictEqual(code, 1)
        assert.match(
          stderr,
          /^dockline: The database has no Citus; run create extension citus on each node, and /
        )
      }
      const [code, , stderr] = await calledWith(env, "business", "move", "acme", "--to", "db1:5432")
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /^dockline: The database is not distributed; dockline-server migrate --distribute does it\n$/
      )
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  })

  it.each([
    ["--port 80"],
    ["check --dry-run"],
    ["migrate --dry-run"],
    ["business move acme"],
    ["business move acme --to"],
    ["serve twice"]
  ])("with anything else does not start, and says so: %s", async (text) => {
    const unknown = `dockline-server: ${text} is unknown; --help shows what there is\n`
    assert.deepStrictEqual(await called(...text.split(" ")), [1, "", unknown])
  })
})
