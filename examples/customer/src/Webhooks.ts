/**
 * The webhook receiver of a customer: `POST /api/palletEvent` and `POST /api/shipmentComplete`.
 *
 * Guarantee: it answers 204 only when the message is in the books, and the service sends it again after any other answer. It
 * keeps no body of a caller who does not sign in, and none above the limit.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"
import type { Books, Entry } from "./Books.ts"

/** Who may call, and where messages go. */
export interface WebhookOptions {
  /** 0 for one that is free. */
  readonly port: number
  readonly books: Books
  /** `whsec_…`; two while one takes the place of the other. */
  readonly secrets: ReadonlyArray<string>
  /** Whom HTTP Basic lets in, on top of the signature; nobody signs in when absent. */
  readonly account?: { readonly username: string; readonly password: string } | undefined
  readonly onEntry: (entry: Entry) => void
}

/** A receiver that listens. */
export interface Receiver {
  readonly url: string
  readonly close: () => Promise<void>
}

const types = new Map([["/api/palletEvent", "PALLET_EVENT"], ["/api/shipmentComplete", "SHIPMENT_COMPLETE"]])

/** The completion of a large truck has several MiB. */
const bodyLimit = 64 * 1024 * 1024

/** Listens on this machine alone: put a proxy with TLS before it. */
export const listen = async (options: WebhookOptions): Promise<Receiver> => {
  const verifiers = options.secrets.map((secret) => new Webhook(secret))
  const server = createServer((request, response) => {
    receive(request, verifiers, options).catch((error: unknown) => {
      console.error(error)
      return 500
    }).then((status) => response.writeHead(status).end(), console.error)
  })
  server.listen(options.port, "127.0.0.1")
  await once(server, "listening")
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close()
      server.closeIdleConnections()
      await once(server, "close")
    }
  }
}

/** The status to answer. */
const receive = async (
  request: IncomingMessage,
  verifiers: ReadonlyArray<Webhook>,
  { account, books, onEntry }: WebhookOptions
): Promise<number> => {
  const { headers, method, url = "" } = request
  const messageType = types.get(url)
  if (messageType === undefined) return 404
  if (method !== "POST") return 405
  if (account !== undefined && !isSame(headers.authorization ?? "", basicOf(account))) return 401
  const body = await bodyOf(request)
  if (body === undefined) return 413
  if (!verifiers.some((verifier) => isSigned(verifier, body, headers))) return 401
  const webhookId = String(headers["webhook-id"])
  // A test is about nothing that exists, and in no log.
  if (webhookId.startsWith("test_")) return 204
  const id = Number(/^msg_(\d+)$/.exec(webhookId)?.[1])
  if (!Number.isSafeInteger(id)) return 400
  // The service signed it.
  const message = JSON.parse(body) as Readonly<Record<string, unknown>>
  onEntry(books.record({ id, messageType, message }, "webhook"))
  return 204
}

/** The body as it came, which is what the signature covers. */
const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength
    if (size > bodyLimit) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const isSigned = (verifier: Webhook, body: string, headers: IncomingMessage["headers"]): boolean => {
  try {
    verifier.verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

const basicOf = ({ password, username }: NonNullable<WebhookOptions["account"]>): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`

/** Compares in a time that says nothing about either text. */
const isSame = (left: string, right: string): boolean => {
  const [one, other] = [left, right].map((text) => createHash("sha256").update(text).digest())
  return timingSafeEqual(one!, other!)
}
