/** `deploy/backup.sh`: a backup made while the service runs is restored completely, and can be served again. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, assert, beforeAll, it } from "vitest"
import { ends, run } from "../packages/Commands.ts"
import { tokenOf } from "../support/DemoToken.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as Debian from "./Debian.ts"

let folder: string
let postgres: Debian.Postgres
const running: Array<ServerProcess.ServerProcess> = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dockline-backup-"))
  postgres = await Debian.postgres()
})

afterAll(async () => {
  for (const { child, ended } of running) {
    child.kill()
    await ended
  }
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const serve = async (url: string) => {
  const server = await ServerProcess.serve({ DATABASE_URL: url, DEMO: "true" })
  running.push(server)
  return server
}

const environment = (url: string) => ({
  PATH: `${postgres.bin}${delimiter}${process.env["PATH"]}`,
  DATABASE_URL: url
})

const backup = (url: string, ...args: ReadonlyArray<string>) =>
  ends("bash", [Debian.deployed("backup.sh"), ...args], { cwd: folder, env: environment(url) })

/** All stored data, as text. */
const contents = async (url: string): Promise<string> => {
  const dump = await run(join(postgres.bin, "pg_dump"), ["--schema=dockline", "--no-owner", url], {
    cwd: folder
  })
  // Newer versions mark each dump by a random word.
  return dump.replaceAll(/^\\(un)?restrict .*$/gm, "")
}

const send = async (server: ServerProcess.ServerProcess, orderNumber: string): Promise<number> => {
  const response = await fetch(`${server.baseUrl}/v1/documents`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await tokenOf(server.baseUrl, "acme-client")}`,
      "content-type": "application/json"
    },
    body: JSON.stringify({
      business: "acme",
      facility: "east",
      direction: "OUTBOUND",
      orderNumber,
      items: [{ lpn: `LPN-${orderNumber}`, sku: "S", quantity: 1, quantityUnit: "CASE" }]
    })
  })
  return response.status
}

it("a backup under load is whole, restores in one step, and is what was there", async () => {
  const url = await postgres.create("first")
  const server = await serve(url)
  for (let n = 0; n < 20; n++) assert.strictEqual(await send(server, `SO-${n}`), 201)

  // A backup while documents come.
  const saved = new AbortController()
  const sending = (async () => {
    let sent = 20
    while (!saved.signal.aborted) assert.strictEqual(await send(server, `SO-${sent++}`), 201)
    return sent
  })()
  assert.deepStrictEqual(await backup(url, "save", "under-load"), { code: 0, stdout: "", stderr: "" })
  saved.abort()
  const sent = await sending

  // A backup without concurrent writes: the restored data is exactly the same.
  server.child.kill()
  await server.ended
  assert.deepStrictEqual(await backup(url, "save", "at-rest"), { code: 0, stdout: "", stderr: "" })
  assert.strictEqual(statSync(join(folder, "at-rest")).mode & 0o777, 0o600)
  const restored = await postgres.create("restored")
  assert.deepStrictEqual(await backup(restored, "restore", "at-rest"), { code: 0, stdout: "", stderr: "" })
  const text = await contents(restored)
  assert.isAbove(text.split("LPN-SO-").length, sent)
  assert.strictEqual(text, await contents(url))

  // The earlier backup has everything from before it, and can be served.
  const earlier = await postgres.create("earlier")
  assert.strictEqual((await backup(earlier, "restore", "under-load")).code, 0)
  const again = await serve(earlier)
  const headers = { authorization: `Bearer ${await tokenOf(again.baseUrl, "acme-client")}` }
  for (const id of [1, 20]) {
    assert.strictEqual((await fetch(`${again.baseUrl}/v1/shipments/${id}`, { headers })).status, 200)
  }
  assert.strictEqual(await send(again, "SO-later"), 201)

  // A database that already contains Dockline is not overwritten.
  const refused = await backup(restored, "restore", "under-load")
  assert.notStrictEqual(refused.code, 0)
  assert.include(refused.stderr, `schema "dockline" already exists`)
  assert.strictEqual(await contents(restored), text)
})

it("what cannot be saved or restored leaves nothing, and shows no password", async () => {
  const url = await postgres.create("empty")
  writeFileSync(join(folder, "torn"), "PGDMP, and then nothing")
  const before = readdirSync(folder)
  for (
    const [address, ...args] of [
      [url.replace(/\w+$/, "nowhere"), "save", "none"],
      [url.replace(/dockline:[^@]+/, "nobody:hidden%20word"), "save", "none"],
      [url, "restore", "torn"],
      [url, "restore", "none"],
      [url, "save"],
      [url, "erase", "torn"]
    ] as const
  ) {
    const { code, stderr } = await backup(address, ...args)
    assert.notStrictEqual(code, 0, args.join(" "))
    assert.isNotEmpty(stderr)
    assert.notInclude(stderr, "hidden")
  }
  assert.deepStrictEqual(readdirSync(folder), before)
  const { code } = await ends(join(postgres.bin, "pg_dump"), ["--schema=dockline", url], { cwd: folder })
  assert.strictEqual(code, 1, "there is no schema")
})
