/**
 * A customer who takes webhooks over HTTP, and lets a test act before it answers and after it has.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A delivery as the customer got it. */
export interface Received {
  /** The header `webhook-id`. */
  readonly webhookId: string
  /** Where it was posted to. */
  readonly path: string
  readonly payload: Readonly<Record<string, unknown>>
  /** The header `user-agent`. */
  readonly sender: string
}

/** A customer's server. */
export class WebhookCustomer {
  /** Everything that came, in its order. */
  readonly received: Array<Received> = []
  /** What happens before an answer; `"silence"` breaks the connection instead of answering. */
  beforeAnswer: (received: Received) => Promise<"answer" | "silence"> = () => Promise.resolve("answer")
  /** What happens when an answer has been handed to the network. */
  afterAnswer: (received: Received) => void = () => {}
  readonly #server: Server
  readonly #waiting = new Set<() => void>()

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response))
  }

  /** Opens a server on a free port. */
  static async open(): Promise<WebhookCustomer> {
    const customer = new WebhookCustomer()
    customer.#server.listen(0, "127.0.0.1")
    await once(customer.#server, "listening")
    return customer
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Waits until what came is as said. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Buffer> = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      // The sender died while it was sending: nothing came.
      return
    }
    const received = {
      webhookId: String(request.headers["webhook-id"]),
      path: request.url ?? "",
      payload: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
      sender: String(request.headers["user-agent"])
    }
    this.received.push(received)
    const decision = await this.beforeAnswer(received)
    if (decision === "silence") request.socket.destroy()
    else response.on("finish", () => this.afterAnswer(received)).writeHead(200).end()
    this.#waiting.forEach((look) => look())
  }
}
