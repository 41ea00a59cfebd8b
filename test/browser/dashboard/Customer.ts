/** A customer's server that accepts webhooks while it is open, and otherwise refuses them. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Webhook } from "standardwebhooks"
import { ListeningServer } from "../../support/ListeningServer.ts"

/** The server. */
export class Customer extends ListeningServer {
  isOpen = false
  /** The number of messages that it has accepted. */
  taken = 0
  /** The status of its answer while it is closed. */
  closedStatus = 500
  /** Its answer while it is closed. */
  says = "the warehouse is closed"
  /** With a secret it accepts only messages that are signed by it. */
  secret = ""

  static start(): Promise<Customer> {
    return new Customer().listen()
  }

  protected take({ headers }: IncomingMessage, body: string, response: ServerResponse): void {
    if (!this.isOpen) return void response.writeHead(this.closedStatus).end(this.says)
    if (!this.#isGenuine(headers as Record<string, string>, body)) return void response.writeHead(401).end()
    this.taken++
    response.writeHead(200).end()
  }

  #isGenuine(headers: Readonly<Record<string, string>>, body: string): boolean {
    if (this.secret === "") return true
    try {
      new Webhook(this.secret).verify(body, headers)
      return true
    } catch {
      return false
    }
  }
}
