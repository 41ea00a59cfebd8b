/** The freight of the demo: what a new user sees after starting the server; it is made only once. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { Service } from "../operations/Service.ts"
import * as ServerProcess from "../support/ServerProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "dockline-demo-"))
const running: Array<ServerProcess.ServerProcess> = []

afterAll(async () => {
  for (const { child, ended } of running) {
    child.kill("SIGTERM")
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
})

const serve = async (env: Readonly<Record<string, string>> = {}) => {
  const server = await ServerProcess.serve({ DATA_DIR: folder, ...env })
  running.push(server)
  return server
}

const stop = async ({ child, ended }: ServerProcess.ServerProcess): Promise<void> => {
  child.kill("SIGTERM")
  assert.strictEqual(await ended, 0)
}

type Entries = ReadonlyArray<Readonly<Record<string, unknown>>>

/** The entries of a list, as a demo client reads it. */
const list = async (
  { baseUrl }: ServerProcess.ServerProcess,
  client: string,
  path: string
): Promise<Entries> => {
  const { body, status } = await new Service(baseUrl).call(client, { method: "GET", path: `/v1/${path}` })
  assert.strictEqual(status, 200)
  return body["items"] as Entries
}

const pick = (entries: Entries, ...names: ReadonlyArray<string>) =>
  entries.map((entry) => names.map((name) => entry[name]))

describe("D12.2 the demo", () => {
  it(
    "shows shipments at different points of their life, what is wrong, and whom nobody could tell; once",
    async () => {
      const first = await serve()
      const shipments = await list(first, "acme-client", "shipments?business=acme")
      assert.deepStrictEqual(pick(shipments, "shipmentNumber", "status", "direction"), [
        ["SHP-4701", "DEPARTED", "OUTBOUND"],
        ["SHP-4702", "ARRIVED", "OUTBOUND"],
        ["ASN-4703", "SCHEDULED", "INBOUND"]
      ])
      const [left, loading] = shipments
      assert.deepStrictEqual(left!["progress"], {
        expectedPallets: 6,
        passedPallets: 5,
        missingPallets: 1,
        unexpectedPallets: 0
      })
      const short = await list(first, "acme-client", `shipments/${String(left!["id"])}/discrepancies`)
      assert.deepStrictEqual(pick(short, "kind", "provisional"), [["SHORT", false]])
      const wrong = await list(first, "acme-client", `shipments/${String(loading!["id"])}/discrepancies`)
      assert.deepStrictEqual(pick(wrong, "kind"), [["SHORT"], ["SHORT"], ["SHORT"], ["OVER"]])
      const exceptions = await list(first, "acme-client", `shipments/${String(loading!["id"])}/exceptions`)
      assert.deepStrictEqual(pick(exceptions, "kind", "priority", "status", "reportedBy"), [
        ["DAMAGED", "HIGH", "OPEN", "tower"]
      ])
      const [endpoint] = await list(first, "operator", "operator/webhook-endpoints")
      assert.deepStrictEqual(pick([endpoint!], "business", "enabled", "disabledReason"), [
        ["globex", false, "FAILING"]
      ])
      const dead = `operator/webhook-endpoints/${String(endpoint!["id"])}/deliveries?status=DEAD`
      assert.deepStrictEqual(pick(await list(first, "operator", dead), "messageType"), [[
        "SHIPMENT_COMPLETE"
      ]])
      const documents = await list(first, "acme-client", "documents?business=acme")
      assert.deepStrictEqual(pick(documents, "shipmentNumber", "outcome"), [
        ["ASN-4703", "CREATED"],
        ["SHP-4702", "CREATED"],
        ["SHP-4701", "CREATED"]
      ])
      const messages = await list(first, "acme-client", "messages?business=acme&afterId=0")
      const times = messages.map(({ sentAt }) => Date.parse(String(sentAt)))
      assert.deepStrictEqual(times, times.toSorted((one, other) => one - other))
      assert.isBelow(times.at(-1)!, Date.now())
      assert.notMatch(first.output(), /"level":"(WARN|ERROR)"|WEBHOOK_CREATED/)
      await stop(first)

      const second = await serve()
      assert.deepStrictEqual(await list(second, "acme-client", "shipments?business=acme"), shipments)
      assert.deepStrictEqual(await list(second, "acme-client", "messages?business=acme&afterId=0"), messages)
      assert.notMatch(second.output(), /"level":"(WARN|ERROR)"/)
    },
    120_000
  )
})
