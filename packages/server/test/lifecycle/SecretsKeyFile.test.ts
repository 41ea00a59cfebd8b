/** The key kept beside the embedded database: made once, kept, and never replaced where there is something else. */
import { Effect, Redacted } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as ServerDatabase from "../../src/lifecycle/ServerDatabase.ts"

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dockline-key-"))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const path = () => join(folder, "secrets.key")

const load = async () => (await Effect.runPromise(ServerDatabase.load(folder))).map(Redacted.value)

const faultOf = () =>
  Effect.runPromise(Effect.map(Effect.flip(ServerDatabase.load(folder)), ({ message }) => message))

describe("the key of the embedded database", () => {
  // @threat secrets.7
  it("is made at the first start, readable by its owner only, and the same from then on", async () => {
    const keys = await load()
    assert.strictEqual(keys.length, 1)
    assert.strictEqual(Buffer.from(keys[0]!, "base64").byteLength, 32)
    assert.strictEqual(statSync(path()).mode & 0o777, 0o600)
    assert.deepStrictEqual(await load(), keys)
  })

  it("may be followed by older ones, as in SECRETS_KEY", async () => {
    const keys = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"))
    writeFileSync(path(), `${keys.join(",")}\n`)
    assert.deepStrictEqual(await load(), keys)
  })

  for (const [title, text] of [["empty", ""], ["cut", "pTXEjkgX4mgeogJsKyM1"]] as const) {
    it(`in a file that is ${title} is not replaced: the start fails, and names the file`, async () => {
      writeFileSync(path(), text)
      const fault = await faultOf()
      assert.include(fault, `The key in ${path()} cannot be used: it is not base64 of 32 bytes`)
      assert.include(fault, "Bring the file back")
      assert.strictEqual(readFileSync(path(), "utf8"), text)
    })
  }

  it("that cannot be read is not replaced either", async () => {
    mkdirSync(path())
    assert.include(await faultOf(), `The key in ${path()} cannot be used: EISDIR`)
  })
})
