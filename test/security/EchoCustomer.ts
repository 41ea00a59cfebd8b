/**
 * A customer's server that repeats whatever it is sent, headers and all, as a careless one does when it fails; and keeps
 * what it was sent.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingMessage, Server } from "node:http"
import type { AddressInfo } from "node:net"

/** A request as it came. */
export interface Got {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** How a path is answered: its status, further headers, and a body in place of the echo. */
export interface Answering {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The server. */
export class EchoCustomer {
  readonly got: Array<Got> = []
  readonly #server: Server

  private constructor(answering: (got: Got) => Answering) {
    this.#server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("error", () => {})
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const got = {
          path: request.url ?? "",
          headers: request.headers,
          body: Buffer.concat(chunks).toString("utf8")
        }
        this.got.push(got)
        const { status, headers, body = JSON.stringify(got) } = answering(got)
        response.writeHead(status, headers).end(body)
      })
    })
  }

  /** Opens it on a free port of an address. */
  static async open(answering: (got: Got) => Answering, host = "127.0.0.1"): Promise<EchoCustomer> {
    const customer = new EchoCustomer(answering)
    customer.#server.listen(0, host)
    await once(customer.#server, "listening")
    return customer
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, "close")
  }
}
