/**
 * A customer who receives webhooks over HTTP; tests can act before and after its answer.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { ListeningServer } from "../support/ListeningServer.ts"

/** A received delivery. */
export interface Received {
  /** The header `webhook-id`. */
  readonly webhookId: string
  /** The path to which it was posted. */
  readonly path: string
  readonly payload: Readonly<Record<string, unknown>>
  /** The header `user-agent`. */
  readonly sender: string
}

/** A customer's server. */
export class WebhookCustomer extends ListeningServer {
  /** All deliveries, in their order. */
  readonly received: Array<Received> = []
  /** Runs before an answer; `"silence"` breaks the connection instead of answering. */
  beforeAnswer: (received: Received) => Promise<"answer" | "silence"> = () => Promise.resolve("answer")
  /** Runs when an answer has been handed to the network. */
  afterAnswer: (received: Received) => void = () => {}

  /** Opens a server on a free port. */
  static open(): Promise<WebhookCustomer> {
    return new WebhookCustomer().listen()
  }

  protected async take(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const received = {
      webhookId: String(request.headers["webhook-id"]),
      path: request.url ?? "",
      payload: JSON.parse(body) as Record<string, unknown>,
      sender: String(request.headers["user-agent"])
    }
    this.received.push(received)
    const decision = await this.beforeAnswer(received)
    if (decision === "silence") request.socket.destroy()
    else response.on("finish", () => this.afterAnswer(received)).writeHead(200).end()
  }
}
