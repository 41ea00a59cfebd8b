/** A developer's receiver, and messages that are forwarded to it. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"
import * as FakeService from "./FakeService.ts"
import { runLine } from "./Running.ts"
import { env } from "./Showing.ts"

const types = ["PALLET_EVENT", "SHIPMENT_COMPLETE", "PALLET_EVENT"]

export const messages = types.map((messageType, index) => ({
  id: index + 1,
  businessSlug: "acme",
  facilitySlug: "east",
  messageType,
  message: { serviceShipmentId: "7", note: `Größe ${index}` },
  sentAt: "2026-11-20T17:00:00.000+00:00"
}))

export const log = FakeService.json({ items: messages, next: null })

/** A customer's receiver, which verifies each request and answers with these statuses, one after another. */
export const receiver = async (secret: string, statuses: ReadonlyArray<number>) => {
  const requests: Array<unknown> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
      const headers = request.headers as Record<string, string>
      const body = new Webhook(secret).verify(Buffer.concat(chunks), headers)
      requests.push([request.url, headers["webhook-id"], body])
      response.writeHead(statuses[requests.length - 1] ?? 200, { location: "/elsewhere" }).end("ok")
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { got: requests, url, [Symbol.asyncDispose]: async () => void server.close() }
}

export const listen = (
  service: string,
  url: string,
  environment: Record<string, string>,
  ...more: ReadonlyArray<string>
) =>
  runLine(["listen", "acme", "--forward-to", url, "--after", "0", "--limit", "3", ...more], {
    env: { ...env(service), ...environment }
  })

export const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
