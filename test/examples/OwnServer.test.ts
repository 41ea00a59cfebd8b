/** `examples/server` as a process of its own: it accepts a document, sends messages over a socket, and stops cleanly. */
import { Effect, Exit, Redacted, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestDatabase from "../support/TestDatabase.ts"
import { order, start } from "./EmbeddedHost.ts"
import type { Host } from "./EmbeddedHost.ts"

const scope = Scope.makeUnsafe()
let host: Host

beforeAll(async () => {
  const { url } = await Effect.runPromise(Scope.provide(TestDatabase.createMigrated, scope))
  host = await start("examples/server/src/main.ts", {
    DATABASE_URL: Redacted.value(url),
    SECRETS_KEY: randomBytes(32).toString("base64")
  })
})

afterAll(async () => {
  host.process.kill("SIGKILL")
  await host.process.ended
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

describe("a server of one's own", () => {
  it("takes a document in REST, and shows it in GraphQL", async () => {
    const created = await host.post("acme-client", "/v1/documents", order("OWN"))
    assert.strictEqual(created.status, 201)
    const query = "{ shipments(shipmentNumber: \"OWN\") { nodes { shipmentNumber } } }"
    const response = await host.post("acme-client", "/public_graphql", { query })
    assert.deepStrictEqual(await response.json(), {
      data: { shipments: { nodes: [{ shipmentNumber: "OWN" }] } }
    })
  })

  it("stops with a socket open, which is told to connect elsewhere", async () => {
    const client = await host.sockets("acme-client")
    const code = new Promise((resolve) => client.on("closed", (event) => resolve((event as CloseEvent).code)))
    const connected = new Promise((resolve) => client.on("connected", resolve))
    const query = "subscription { pushMessage(filter: { businessSlug: \"acme\", afterId: 0 }) { id } }"
    void client.iterate({ query }).next().catch(() => undefined)
    await connected
    host.process.kill("SIGTERM")
    assert.strictEqual(await code, 1001)
    assert.strictEqual(await host.process.ended, 0)
    assert.strictEqual(host.process.errors(), "")
  })
})
