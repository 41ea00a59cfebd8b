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
  /** Of an answer that is no success; `undefined` while the head is read. */
  #body: string | undefined
  #isChunked = false
  #isWhole = false
  /** The beginning of a line between chunks, and whether the last of them has come. */
  #line = ""
  #isLast = false
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

  #receive(part: Buffer): void {
    if (this.#body === undefined) return this.#readHead(part)
    if (this.#isChunked) this.#takeChunks(part)
    else this.#take(part)
    if (this.#isWhole) this.#end()
  }

  #readHead(part: Buffer): void {
    this.#head = Buffer.concat([this.#head, part])
    const end = this.#head.indexOf(headEnd)
    if (end < 0) return
    const head = this.#head.toString("latin1", 0, end)
    const rest = this.#head.subarray(end + headEnd.length)
    this.#head = nothing
    const length = lengthPattern.exec(head)?.[1]
    this.#isChunked = length === undefined
    this.#status = Number(head.slice(9, 12))
    this.#left = Number(length ?? 0)
    this.#bytes = 0
    this.#body = ""
    this.#isWhole = length === "0"
    this.#receive(rest)
  }

  #take(part: Buffer): void {
    if (this.#status > 299) this.#body += part.toString()
    this.#bytes += part.length
    this.#left -= part.length
    this.#isWhole = !this.#isChunked && this.#left === 0
  }

  /** Takes what has come of chunks: a line with the size before each, and an empty line at the end. */
  #takeChunks(part: Buffer): void {
    for (let at = 0; at < part.length && !this.#isWhole;) {
      if (this.#left > 0) {
        const data = part.subarray(at, at + this.#left)
        this.#take(data)
        at += data.length
        continue
      }
      const end = part.indexOf(10, at)
      this.#line += part.toString("latin1", at, end < 0 ? part.length : end)
      if (end < 0) return
      at = end + 1
      const line = this.#line.trim()
      this.#line = ""
      if (line !== "") {
        this.#left = Number.parseInt(line, 16)
        this.#isLast = this.#left === 0
      } else this.#isWhole = this.#isLast
    }
  }

  #end(): void {
    const body = this.#body!
    this.#body = undefined
    this.#isLast = false
    this.#waiting?.resolve({ status: this.#status, bytes: this.#bytes, body })
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
