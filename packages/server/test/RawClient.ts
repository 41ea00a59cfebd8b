/** Connections whose bytes are the test's own, to a server on a free port. */
import { once } from "node:events"
import type { IncomingMessage, RequestListener, Server } from "node:http"
import { connect } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { afterEach, beforeEach } from "vitest"

/** A server that listens until it is disposed of; nothing of it is left then. */
const listen = async (server: Server, listener: RequestListener) => {
  server.on("request", listener)
  server.on("checkContinue", listener)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return
      const closed = once(server, "close")
      server.close()
      server.closeAllConnections()
      await closed
    }
  }
}

/** An answer, as far as it has come. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A connection. */
export class RawClient {
  readonly socket: Socket
  readonly #closed: Promise<unknown>
  #receivedText = ""
  #wake = (): void => undefined

  constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true })
    this.socket.on("error", () => undefined)
    this.#closed = new Promise((resolve) => this.socket.once("close", resolve))
    this.socket.once("close", () => this.#wake())
  }

  /** Everything that came. */
  get receivedText(): string {
    return this.#receivedText
  }

  /** Reads until the server has closed or cut the connection. */
  get closed(): Promise<unknown> {
    this.#read()
    return this.#closed
  }

  write(text: string): this {
    this.socket.write(text, "latin1")
    return this
  }

  /** Reads the next answer, which says how long it is. */
  async answer(): Promise<Answer> {
    this.#read()
    let end = -1
    for (;;) {
      // Looked for until it is found only: a search makes one text of all that came, each time.
      if (end < 0) end = this.#receivedText.indexOf("\r\n\r\n")
      if (end >= 0) {
        const [first = "", ...lines] = this.#receivedText.slice(0, end).split("\r\n")
        const headers = Object.fromEntries(lines.map((line) => {
          const colon = line.indexOf(":")
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
        }))
        const length = Number(headers["content-length"] ?? 0)
        if (this.#receivedText.length >= end + 4 + length) {
          const body = this.#receivedText.slice(end + 4, end + 4 + length)
          this.#receivedText = this.#receivedText.slice(end + 4 + length)
          return { status: Number(first.split(" ")[1]), headers, body }
        }
      }
      if (this.socket.destroyed) throw new Error(`The connection ended after: ${this.#receivedText}`)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  close(): void {
    this.socket.destroy()
  }

  #read(): void {
    if (this.socket.listenerCount("data") > 0) return
    this.socket.on("data", (chunk: Buffer) => {
      this.#receivedText += chunk.toString("latin1")
      this.#wake()
    })
  }
}

/** A request without a body, or the head of one with. */
export const head = (method: string, path: string, ...headers: ReadonlyArray<string>): string =>
  `${[`${method} ${path} HTTP/1.1`, "Host: x", ...headers].join("\r\n")}\r\n\r\n`

/** A request that is held until the test answers it. */
export interface HeldRequest {
  readonly request: IncomingMessage
  readonly answer: (body?: string, status?: number) => void
}

/** A listener that holds requests for the test, in the order of their coming. */
export class Holder {
  readonly requests: Array<HeldRequest> = []
  #wake = (): void => undefined

  readonly listener: RequestListener = (request, response) => {
    this.requests.push({
      request,
      answer: (body = "ok", status = 200) =>
        void response.writeHead(status, { "content-length": body.length }).end(body)
    })
    this.#wake()
  }

  /** Resolves when so many have come in all. */
  async until(count: number): Promise<void> {
    while (this.requests.length < count) await new Promise<void>((resolve) => (this.#wake = resolve))
  }
}

/** For the tests of a file: requests that are held, and clients that are closed, anew for each test. */
export const forEachTest = () => {
  let holder = new Holder()
  let clients: Array<RawClient> = []
  beforeEach(() => {
    holder = new Holder()
    clients = []
  })
  afterEach(() => clients.forEach((client) => client.close()))
  return {
    get holder() {
      return holder
    },
    /** Lets a server listen, for clients of the test; it holds requests unless a listener answers them. */
    open: async <S extends Server>(server: S, listener = holder.listener) => {
      const { port, [Symbol.asyncDispose]: dispose } = await listen(server, listener)
      const client = (): RawClient => {
        const client = new RawClient(port)
        clients.push(client)
        return client
      }
      /** A client that sends one or more requests, once so many more than before have come. */
      const begin = async (text: string, count = 1): Promise<RawClient> => {
        const expected = holder.requests.length + count
        const newClient = client().write(text)
        await holder.until(expected)
        return newClient
      }
      return { server, port, client, begin, [Symbol.asyncDispose]: dispose }
    }
  }
}
