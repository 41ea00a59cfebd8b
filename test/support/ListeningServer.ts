/** An HTTP server of a test that records requests, and lets the test wait for them. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** The common part of such servers; each defines its handling of a request and its body. */
export abstract class ListeningServer {
  readonly #server: Server = createServer((request, response) => void this.#receive(request, response))
  readonly #waiting = new Set<() => void>()

  /** Records a request, and may answer it. */
  protected abstract take(
    request: IncomingMessage,
    body: string,
    response: ServerResponse
  ): Promise<void> | void

  /** Listens on a free port. */
  protected async listen(host = "127.0.0.1"): Promise<this> {
    this.#server.listen(0, host)
    await once(this.#server, "listening")
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Waits until the records contain the value that `find` returns. */
  until<A>(find: () => A | false | undefined): Promise<A> {
    return new Promise((resolve) => {
      const look = () => {
        const found = find()
        if (found === undefined || found === false) return
        this.#waiting.delete(look)
        resolve(found)
      }
      this.#waiting.add(look)
      look()
    })
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Buffer> = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      // The client died while it was sending, so there is no request.
      return
    }
    const taken = this.take(request, Buffer.concat(chunks).toString(), response)
    // A test may withhold the answer for ever, so the request is recorded before it.
    this.#look()
    await taken
    this.#look()
  }

  #look(): void {
    this.#waiting.forEach((look) => look())
  }
}
