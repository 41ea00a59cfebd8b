/** The client over the end of a real server, which is killed and started again on its data. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, it } from "vitest"
import { freePort } from "../../../test/support/ProgramSettings.ts"
import * as ServerProcess from "../../../test/support/ServerProcess.ts"
import * as Client from "../src/Client.ts"
import { loading, order } from "./Service.ts"

const data = mkdtempSync(join(tmpdir(), "dockline-client-"))
let server: ServerProcess.ServerProcess

const start = async (port: string): Promise<void> => {
  server = await ServerProcess.serve({ DATA_DIR: data, PORT: port, DEMO: "true" })
}

beforeAll(async () => start(String(await freePort())))

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
  const ids: Array<number> = []
  let cursor = 0
  let wake = (): void => {}
  const isHandled = async (count: number): Promise<void> => {
    while (ids.length < count) await new Promise<void>((resolve) => wake = resolve)
  }
  const save = (id: number): void => void (cursor = id)
  const following = (async () => {
    for await (const { id } of customer.follow({ business: "acme", afterId: 0, intervalMillis: 50, save })) {
      ids.push(id)
      wake()
    }
  })()

  await customer.submit(order("SO-1", "LPN-1"))
  await tower.recordPallet(loading("evt-1", "LPN-1"))
  // The first pallet also tells that its shipment has arrived.
  await isHandled(2)

  server.child.kill("SIGKILL")
  await server.ended
  const answers = Promise.all([
    customer.submit(order("SO-2", "LPN-2")),
    tower.recordPallet(loading("evt-2", "LPN-1"))
  ])
  await start(new URL(url).port)
  await answers
  await tower.recordPallet(loading("evt-3", "LPN-1"))
  await isHandled(4)

  customer.close()
  await following
  const { items } = await tower.shipments({ business: "acme" })
  assert.deepStrictEqual(items.map(({ shipmentNumber }) => shipmentNumber), ["SO-1", "SO-2"])
  assert.strictEqual(new Set(ids).size, 4)
  assert.strictEqual(cursor, ids[3])
  assert.deepStrictEqual(ids, ids.toSorted((left, right) => left - right))
  assert.include(Array.from(failures), "UNREACHABLE")
})
