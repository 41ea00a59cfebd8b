/** The program `dockline-server` as it is called. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as Programs from "../../programs/Programs.ts"

const manifest = JSON.parse(
  readFileSync(new URL("../../packages/server/package.json", import.meta.url), "utf8")
) as { readonly version: string }

const called = async (...args: ReadonlyArray<string>) => {
  const program = await Programs.bundled("packages/server/src/main.ts")
  return new Promise<readonly [code: unknown, stdout: string, stderr: string]>((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      (error, stdout, stderr) => resolve([error === null ? 0 : error.code, stdout, stderr])
    )
  })
}

describe("dockline-server", () => {
  it("--version says which one it is", async () => {
    assert.deepStrictEqual(await called("--version"), [0, `${manifest.version}\n`, ""])
  })

  it("--help has the settings", async () => {
    const [code, stdout] = await called("--help")
    assert.strictEqual(code, 0)
    assert.match(stdout, /^dockline-server: .*\n {2}DATABASE_URL {2}\(.*\n {6}\S/s)
  })

  it("with anything else does not start, and says so", async () => {
    const unknown = "dockline-server: --port is unknown; --help shows what there is\n"
    assert.deepStrictEqual(await called("--port", "80"), [1, "", unknown])
  })
})
