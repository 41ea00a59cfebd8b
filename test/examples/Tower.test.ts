/** The tower of the examples with a real server, both as processes of their own. */
import { Effect, Exit, Redacted, Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { stripVTControlCharacters } from "node:util"
import { afterEach, assert, beforeEach, it } from "vitest"
import * as Site from "../../examples/demo/src/Site.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

let scope: Scope.Closeable
let server: ServerProcess.ServerProcess

beforeEach(async () => {
  scope = Scope.makeUnsafe()
  const { url } = await Effect.runPromise(Scope.provide(TestDatabase.createMigrated, scope))
  server = await ServerProcess.serve({ DATABASE_URL: Redacted.value(url), DEMO: "true" })
})

afterEach(async () => {
  server?.child.kill("SIGTERM")
  await server?.ended
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

it("D15.2 a tower lights green for what is expected, and red for all else, with the reason", async () => {
  const client = Site.make(server.baseUrl, "acme-client", new AbortController().signal)
  for (
    const [orderNumber, dockSlug, lpns] of [["SO-1", "D1", ["L-1", "L-2"]], ["SO-2", "D2", ["L-3"]]] as const
  ) {
    await client.post("/v1/documents", {
      business: "acme",
      facility: "east",
      direction: "OUTBOUND",
      dockSlug,
      orderNumber,
      items: lpns.map((lpn) => ({ lpn, sku: "S", quantity: 1, quantityUnit: "CASE" }))
    }, 201)
  }
  const tower = spawn(
    process.execPath,
    ["--conditions=@dockline/source", "examples/tower/src/main.ts", "D1"],
    {
      cwd: new URL("../../", import.meta.url),
      env: { PATH: process.env["PATH"] ?? "", SERVICE_URL: server.baseUrl },
      stdio: ["pipe", "pipe", "inherit"]
    }
  )
  const said = text(tower.stdout)
  // SO-2 arrives at D2 by another tower; its next pallet, at D1, is at the wrong dock.
  await Site.make(server.baseUrl, "tower", new AbortController().signal)
    .post("/v1/shipments/2/arrive", { dockSlug: "D2" }, 200)
  tower.stdin.end("L-1\nL-1\nL-3\nL-9\n")
  assert.deepStrictEqual(await once(tower, "close"), [0, null])
  assert.deepStrictEqual(stripVTControlCharacters(await said).trim().split("\n"), [
    "● green  L-1  Shipment SO-1 expects the pallet.",
    "● green  L-1  The pallet of shipment SO-1 has passed before.",
    "● red    L-3  Shipment SO-2 is at dock D2.",
    "● red    L-9  No open shipment of the facility expects the pallet."
  ])
})
