/** A customer's server that takes webhooks once it is open, and answers 500 before. */
import type { ServerResponse } from "node:http"
import { ListeningServer } from "../support/ListeningServer.ts"

/** The server. */
export class Customer extends ListeningServer {
  isOpen = false
  /** How many messages it has taken. */
  taken = 0

  static start(): Promise<Customer> {
    return new Customer().listen()
  }

  protected take(_request: unknown, _body: string, response: ServerResponse): void {
    if (this.isOpen) this.taken++
    response.writeHead(this.isOpen ? 200 : 500).end(this.isOpen ? "" : "the warehouse is closed")
  }
}
