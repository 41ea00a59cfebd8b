/**
 * A keep-alive connection that sends requests one after another and counts the bytes of the answers: no more of HTTP
 * than the benchmarks need, because what the generator computes is taken from the server on a small machine.
 */
import { connect } from "node:net"
import type { Socket } from "node:net"

/** What is kept of an answer; the body only where it is no success. */
export interface Answer {
  readonly status: number
  readonly bytes: number
  readonly body: string
}

/** All connections read into one buffer: what is in it is used up before the next one reads. */
const shared = Buffer.allocUnsafeSlow(256 * 1024)
const headEnd = Buffer.from("\r\n\r\n")
const lengthPattern = /\r\ncontent-length: *(\d+)/i
const nothing = Buffer.alloc(0)

/** A connection to 127.0.0.1. */
export class Connection {
  #socket: Socket | undefined
  #head: Buffer = nothing
  #status = 0
  #bytes = 0
  #left = 0
  #body = ""
  #waiting: PromiseWithResolvers<Answer> | undefined

  /** Connects. */
  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = new Connection()
      const fail = (error: Error) => {
        reject(error)
        connection.#waiting?.reject(error)
      }
      const callback = (length: number) => {
        connection.#receive(shared.subarray(0, length))
        return true
      }
      connection.#socket = connect(
        { port, host: "127.0.0.1", noDelay: true, onread: { buffer: shared, callback } },
        () => resolve(connection)
      )
      connection.#socket.on("error", fail)
      connection.#socket.on("close", () => fail(new Error("The server closed the connection")))
    })
  }

  /** Sends a whole request and waits for the whole answer. */
  send(request: Buffer): Promise<Answer> {
    this.#waiting = Promise.withResolvers()
    this.#socket!.write(request)
    return this.#waiting.promise
  }

  /** Closes the connection. */
  close(): void {
    this.#waiting = undefined
    this.#socket!.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#left > 0) return this.#take(chunk)
    this.#head = Buffer.concat([this.#head, chunk])
    const end = this.#head.indexOf(headEnd)
    if (end < 0) return
    const head = this.#head.toString("latin1", 0, end)
    const rest = this.#head.subarray(end + headEnd.length)
    this.#head = nothing
    const length = lengthPattern.exec(head)?.[1]
    if (length === undefined) {
      return this.#waiting?.reject(new Error(`An answer without Content-Length:\n${head}`))
    }
    this.#status = Number(head.slice(9, 12))
    this.#bytes = Number(length)
    this.#left = this.#bytes
    this.#body = ""
    this.#take(rest)
  }

  #take(part: Buffer): void {
    if (this.#status > 299) this.#body += part.toString()
    this.#left -= part.length
    if (this.#left === 0) {
      this.#waiting?.resolve({ status: this.#status, bytes: this.#bytes, body: this.#body })
    }
  }
}

/** The bytes of a `POST` of JSON text. */
export const requestOf = (path: string, port: number, token: string, text: string): Buffer => {
  const body = Buffer.from(text)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "Content-Type: application/json",
    "Accept: application/json",
    `Authorization: Bearer ${token}`,
    `Content-Length: ${body.length}`,
    "Connection: keep-alive"
  ]
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body])
}
