/** `npm run demo` as a process of its own. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { eventually } from "../support/Eventually.ts"
import * as Process from "./Process.ts"

let folder: string
let demo: Process.Process

beforeEach(() => {
  // PostgreSQL may run as another user, who needs access.
  folder = mkdtempSync(join(tmpdir(), "dockline-"))
})

afterEach(async () => {
  demo.kill("SIGKILL")
  await demo.ended
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the demo in a folder in which everything that it makes can be seen. */
const start = (env: Readonly<Record<string, string>> = {}, ...args: ReadonlyArray<string>) => {
  demo = Process.start("examples/demo/src/main.ts", args, { TMPDIR: folder, ...env })
}

/** The process of the database, while it runs. */
const postgres = (): number => {
  const [made] = readdirSync(folder)
  const lines = readFileSync(join(folder, made!, "data", "postgres", "postmaster.pid"), "utf8").split("\n")
  return Number(lines[0])
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe("npm run demo", () => {
  it("shows each step, ends with 0, and leaves nothing behind", async () => {
    // Settings of another server must not affect it.
    start({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", DEMO: "false", PORT: "1" }, "--once")
    await demo.until(({ output }) => output().includes("tokens"))
    const pid = postgres()
    assert.isTrue(isAlive(pid))
    assert.strictEqual(await demo.ended, 0, demo.errors())
    const output = demo.output()
    const steps = output.split("\n").filter((line) => /^ ?\d/.test(line)).map((line) =>
      line.slice(4, 13).trim()
    )
    assert.deepStrictEqual(steps, [
      "start",
      "tokens",
      "follow",
      "endpoint",
      "order",
      "arrive",
      "pallets",
      "depart",
      "compare",
      "replay",
      "forge"
    ])
    const events = Array.from(
      output.matchAll(/^ +evt-\d .* (\d) +(log, webhook|webhook, log)$/gm),
      ([, count]) => count
    )
    assert.deepStrictEqual(events, ["1", "2", "1", "2", "3"])
    // Each channel brought each message; the completion came by webhook twice, because it was replayed.
    const deliveries = Array.from(
      output.matchAll(/^ +\d+ +([A-Z_]+) +(\w+) +(\w+(?:, \w+)?) +DELIVERED +(204(?:, 204)?)$/gm),
      ([, type, first, again, answers]) =>
        [type, ...[first, ...again!.split(", ")].toSorted(), answers].join(" ")
    )
    assert.deepStrictEqual(deliveries, [
      ...Array.from({ length: 5 }, () => "PALLET_EVENT log webhook 204"),
      "SHIPMENT_COMPLETE log webhook webhook 204, 204"
    ])
    for (
      const said of [
        "SO-1001",
        "\"LPN\": \"LPN-0001\"",
        "shipment 1 DEPARTED",
        "they agree",
        "refuses it with 401",
        "Done in"
      ]
    ) {
      assert.include(output, said)
    }
    // The folder of this test may have a long name.
    assert.deepStrictEqual(
      output.split("\n").filter((line) => line.length > 80 && !line.includes(folder)),
      []
    )
    // No colours without a terminal.
    assert.notInclude(output, "\u001b")
    assert.strictEqual(demo.errors(), "")
    assert.isFalse(isAlive(pid))
    assert.deepStrictEqual(readdirSync(folder), [])
  })

  it("ends with a board that moves at the address that it prints, until it is interrupted", async () => {
    start()
    await demo.until(({ output }) => output().includes("Ctrl-C ends the demo"))
    const [, baseUrl = ""] = /open (\S+)\/dashboard\/docks\?at=acme\/east/.exec(demo.output()) ?? []
    const signedIn = await fetch(`${baseUrl}/dashboard/sign-in`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: baseUrl },
      body: new URLSearchParams({ client_id: "acme-client", client_secret: "acme-client-secret" })
    })
    assert.strictEqual(signedIn.status, 303)
    const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!
    const passed = async (): Promise<number> => {
      const response = await fetch(`${baseUrl}/dashboard/api/v1/shipments?business=acme&limit=50`, {
        headers: { cookie }
      })
      const { items } = await response.json() as {
        readonly items: ReadonlyArray<{ readonly progress: { readonly passedPallets: number } }>
      }
      return items.reduce((sum, { progress }) => sum + progress.passedPallets, 0)
    }
    const before = await passed()
    await eventually("more pallets have passed", async () => await passed() > before + 1)
    demo.kill("SIGINT")
    assert.strictEqual(await demo.ended, 0, demo.errors())
    assert.strictEqual(demo.errors(), "")
    assert.deepStrictEqual(readdirSync(folder), [])
  })

  it("a failure ends it with 1 and the reason", async () => {
    start({ TMPDIR: join(folder, "missing") })
    assert.strictEqual(await demo.ended, 1)
    assert.match(demo.errors(), /^demo: .*missing/)
    assert.notInclude(demo.errors(), "    at ")
  })
})
