/**
 * One keep-alive connection that sends requests one after another: no more of HTTP than the benchmark needs, because
 * what the generator computes is taken from the server on a small machine.
 */
import { connect } from "node:net"
import type { Socket } from "node:net"

/** What is kept of a response. */
export interface Response {
  readonly status: number
  readonly body: Buffer
}

const headEnd = Buffer.from("\r\n\r\n")
const lengthPattern = /\r\ncontent-length: *(\d+)/i

/** A connection to 127.0.0.1. */
export class Connection {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #bodyStart = 0
  #total = 0
  #waiting:
    | { readonly resolve: (response: Response) => void; readonly reject: (error: Error) => void }
    | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on("data", (chunk) => this.#receive(chunk))
    socket.on("error", (error) => this.#waiting?.reject(error))
    socket.on("close", () => this.#waiting?.reject(new Error("The server closed the connection")))
  }

  /** Connects. */
  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => resolve(new Connection(socket)))
      socket.once("error", reject)
    })
  }

  /** Sends a whole request and waits for the whole response. */
  send(request: Buffer): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  /** Closes the connection. */
  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    if (this.#total === 0) this.#readHead()
    if (this.#total === 0 || this.#received.length < this.#total) return
    const response = {
      status: Number(this.#received.toString("latin1", 9, 12)),
      body: this.#received.subarray(this.#bodyStart, this.#total)
    }
    this.#received = this.#received.subarray(this.#total)
    this.#total = 0
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(response)
  }

  #readHead(): void {
    const end = this.#received.indexOf(headEnd)
    if (end < 0) return
    const length = lengthPattern.exec(this.#received.toString("latin1", 0, end))?.[1]
    if (length === undefined) {
      this.#waiting?.reject(new Error("A response without Content-Length is not supported"))
      return
    }
    this.#bodyStart = end + headEnd.length
    this.#total = this.#bodyStart + Number(length)
  }
}

/** The bytes of a `POST`. */
export const requestOf = (path: string, port: number, token: string, content: unknown): Buffer => {
  const body = Buffer.from(JSON.stringify(content))
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "Content-Type: application/json",
    `Authorization: Bearer ${token}`,
    `Content-Length: ${body.length}`,
    "Connection: keep-alive"
  ]
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body])
}
