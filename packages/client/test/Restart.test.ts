/** The client over the end of a real server, which is killed and started again on its data. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, it } from "vitest"
import * as ServerProcess from "../../../test/support/ServerProcess.ts"
import * as Client from "../src/Client.ts"
import { loaded, order } from "./Service.ts"

const data = mkdtempSync(join(tmpdir(), "dockline-client-"))
let server: ServerProcess.ServerProcess

const start = async (port: string): Promise<void> => {
  server = await ServerProcess.serve({ DATA_DIR: data, PORT: port, DEMO: "true" })
}

beforeAll(async () => start(String(await ServerProcess.freePort())))

afterAll(async () => {
  server.child.kill("SIGTERM")
  await server.ended
  rmSync(data, { recursive: true, force: true })
})

it("follows over a server that is killed, and sends while there is none: nothing is lost, nothing is done twice", async () => {
  const url = server.baseUrl
  const failures = new Set<string>()
  const make = (clientId: string): Client.Client =>
    Client.make({
      url,
      clientId,
      clientSecret: `${clientId}-secret`,
      onRetry: ({ code }) => failures.add(code)
    })
  const customer = make("acme-client")
  const tower = make("tower")
  const handled: Array<number> = []
  let saved = 0
  let wake = (): void => {}
  const isHandled = async (count: number): Promise<void> => {
    while (handled.length < count) await new Promise<void>((resolve) => wake = resolve)
  }
  const save = (id: number): void => void (saved = id)
  const following = (async () => {
    for await (const { id } of customer.follow({ business: "acme", afterId: 0, intervalMillis: 50, save })) {
      handled.push(id)
      wake()
    }
  })()

  await customer.submit(order("SO-1", "LPN-1"))
  await tower.recordPallet(loaded("evt-1", "LPN-1"))
  // The first pallet also tells that its shipment has arrived.
  await isHandled(2)

  server.child.kill("SIGKILL")
  await server.ended
  const sent = Promise.all([
    customer.submit(order("SO-2", "LPN-2")),
    tower.recordPallet(loaded("evt-2", "LPN-1"))
  ])
  await start(new URL(url).port)
  await sent
  await tower.recordPallet(loaded("evt-3", "LPN-1"))
  await isHandled(4)

  customer.close()
  await following
  const { items } = await tower.shipments({ business: "acme" })
  assert.deepStrictEqual(items.map(({ shipmentNumber }) => shipmentNumber), ["SO-1", "SO-2"])
  assert.strictEqual(new Set(handled).size, 4)
  assert.strictEqual(saved, handled[3])
  assert.deepStrictEqual(handled, handled.toSorted((left, right) => left - right))
  assert.include(Array.from(failures), "UNREACHABLE")
})
