/**
 * Stopping during deliveries (D12.3): they have their time beside the requests, and their results are stored before the process ends.
 */
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import type { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { Service } from "../operations/Service.ts"
import { tokenOf } from "../support/DemoToken.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import { WebhookCustomer } from "./WebhookCustomer.ts"

let folder: string
let server: ServerProcess.ServerProcess
let customers: ReadonlyArray<WebhookCustomer>

const start = async () => {
  server = await ServerProcess.serve({ DATA_DIR: folder, OUTBOUND_ALLOW: "127.0.0.0/8" })
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "dockline-stopping-"))
  customers = [await WebhookCustomer.open(), await WebhookCustomer.open()]
  await start()
})

afterEach(async () => {
  for (const customer of customers) customer.close()
  server.child.kill("SIGTERM")
  await server.ended
  rmSync(folder, { recursive: true, force: true })
})

const call = async (clientId: string, method: string, path: string, body?: object) => {
  const answer = await new Service(server.baseUrl).call(clientId, { method, path, body })
  assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
  return answer.body
}

const endpointOf = async ({ baseUrl }: WebhookCustomer): Promise<string> => {
  const endpoint = await call("operator", "POST", "/v1/operator/webhook-endpoints", {
    business: "acme",
    baseUrl,
    messageTypes: ["PALLET_EVENT"],
    authentication: { type: "none" },
    enabled: true
  })
  return String(endpoint["id"])
}

/** A pallet over a dock, which makes a message for every endpoint. */
const movePallet = async () => {
  const order = {
    business: "acme",
    facility: "east",
    direction: "OUTBOUND",
    orderNumber: "SO-1",
    dockSlug: "D1"
  }
  const items = [{ lpn: "LPN-1", sku: "SKU-1", quantity: 1, quantityUnit: "CASE" }]
  const { shipment } = await call("acme-client", "POST", "/v1/documents", { ...order, items })
  const { id } = shipment as { readonly id: string }
  await call("tower", "POST", `/v1/shipments/${id}/arrive`, { dockSlug: "D1" })
  await call("tower", "POST", "/v1/pallet-events", {
    eventId: "evt-1",
    business: "acme",
    facility: "east",
    dockSlug: "D1",
    direction: "LOADING",
    occurredAt: new Date().toISOString(),
    labels: [{ name: "lpn", value: "LPN-1" }]
  })
}

/** A request that announces a body and never sends it. */
const unfinishedRequest = async (): Promise<Socket> => {
  const token = await tokenOf(server.baseUrl, "acme-client")
  const socket = connect(Number(new URL(server.baseUrl).port), "127.0.0.1")
  socket.write(
    `POST /v1/documents HTTP/1.1\r\nHost: ${
      new URL(server.baseUrl).host
    }\r\nAuthorization: Bearer ${token}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"
  )
  const [interim] = await once(socket, "data") as [Buffer]
  assert.include(interim.toString(), "100 Continue")
  socket.on("error", () => {})
  return socket
}

describe("D12.3 SIGTERM with deliveries on their way", () => {
  it("those that end are recorded and not repeated; those and requests that hang are cut: exit 0", async () => {
    const [prompt, hanging] = customers as [WebhookCustomer, WebhookCustomer]
    const told = Promise.withResolvers<"answer">()
    prompt.beforeAnswer = () => told.promise
    hanging.beforeAnswer = () => new Promise(() => {})
    const endpointId = await endpointOf(prompt)
    await endpointOf(hanging)
    await movePallet()
    for (const customer of customers) await customer.until(() => customer.received.length === 1)
    const request = await unfinishedRequest()

    server.child.kill("SIGTERM")
    while (!server.output().includes("Stopping")) await once(server.child.stdout!, "data")
    told.resolve("answer")
    assert.strictEqual(await server.ended, 0)
    request.destroy()

    await start()
    await hanging.until(() => hanging.received.length === 2)
    const { items } = await call(
      "operator",
      "GET",
      `/v1/operator/webhook-endpoints/${endpointId}/deliveries`
    )
    const [delivery] = items as ReadonlyArray<
      { readonly status: string; readonly attempts: ReadonlyArray<object> }
    >
    assert.strictEqual(delivery?.status, "DELIVERED")
    assert.strictEqual(delivery?.attempts.length, 1)
    assert.strictEqual(prompt.received.length, 1)
  })
})
