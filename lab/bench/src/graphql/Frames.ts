/**
 * A WebSocket client of no more than the benchmark needs: it counts frames and looks into them only when told to,
 * because what the generator computes is taken from the server on a small machine.
 */
import { connect } from "node:net"
import type { Socket } from "node:net"

/** What a connection tells. */
export interface Listener {
  /** A frame of text has come, whole. `text` is there while the connection looks into frames. */
  readonly onFrame: (size: number, text: string | undefined) => void
  /** The server did something else than sending frames of text. */
  readonly onFault: (what: string) => void
}

const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const

/** All connections read into one buffer: what is in it is used up before the next one reads. */
const shared = Buffer.allocUnsafeSlow(256 * 1024)

const headEnd = "\r\n\r\n"
const nothing = Buffer.alloc(0)

/** A frame as a client sends it, masked with zeros. */
const masked = (opcode: number, payload: Buffer): Buffer => {
  const head = payload.length < 126
    ? Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0])
    : Buffer.from([0x80 | opcode, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0])
  return Buffer.concat([head, payload])
}

/** A connection to 127.0.0.1. */
export class FrameConnection {
  readonly #socket: Socket
  readonly #listener: Listener
  readonly #upgraded: () => void
  /** Whether frames are decoded, or only counted. */
  looksInside = true
  #handshake: string | undefined = ""
  /** The beginning of a frame's head, when it came in parts. */
  #partial = nothing
  #opcode = 0
  #size = 0
  #left = 0
  #kept: Array<Buffer> = []

  private constructor(socket: Socket, listener: Listener, upgraded: () => void) {
    this.#socket = socket
    this.#listener = listener
    this.#upgraded = upgraded
  }

  /** Connects and upgrades. */
  static open(port: number, path: string, protocol: string, listener: Listener): Promise<FrameConnection> {
    return new Promise((resolve, reject) => {
      let connection: FrameConnection | undefined
      const socket = connect({
        port,
        host: "127.0.0.1",
        noDelay: true,
        onread: {
          buffer: shared,
          callback: (length) => {
            connection!.#receive(shared.subarray(0, length))
            return true
          }
        }
      }, () => {
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
            `Sec-WebSocket-Key: ZG9ja2xpbmUgYmVuY2gxMg==\r\nSec-WebSocket-Version: 13\r\n` +
            `Sec-WebSocket-Protocol: ${protocol}\r\n\r\n`
        )
      })
      connection = new FrameConnection(socket, listener, () => resolve(connection!))
      socket.on("error", reject)
      socket.on("close", () => {
        reject(new Error("The server closed the connection"))
        listener.onFault("the connection was closed")
      })
    })
  }

  /** Sends a frame of text. */
  send(text: string): void {
    this.#socket.write(masked(opcodes.text, Buffer.from(text)))
  }

  /** Closes the connection without a word. */
  close(): void {
    this.#socket.removeAllListeners("close")
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#handshake !== undefined) {
      this.#handshake += chunk.toString("latin1")
      const end = this.#handshake.indexOf(headEnd)
      if (end < 0) return
      const rest = Buffer.from(this.#handshake.slice(end + headEnd.length), "latin1")
      const status = this.#handshake.slice(9, 12)
      this.#handshake = undefined
      if (status !== "101") {
        this.#listener.onFault(`status ${status} instead of an upgrade`)
        this.#socket.destroy()
        return
      }
      this.#upgraded()
      this.#read(rest)
    } else if (this.#partial.length > 0) {
      const whole = Buffer.concat([this.#partial, chunk])
      this.#partial = nothing
      this.#read(whole)
    } else {
      this.#read(chunk)
    }
  }

  #read(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#left === 0) {
        const length = this.#head(chunk, at)
        if (length === 0) {
          this.#partial = Buffer.from(chunk.subarray(at))
          return
        }
        at += length
        if (this.#left === 0) {
          this.#finish()
          continue
        }
      }
      const end = Math.min(chunk.length, at + this.#left)
      if (this.looksInside || this.#opcode !== opcodes.text) {
        this.#kept.push(Buffer.from(chunk.subarray(at, end)))
      }
      this.#left -= end - at
      at = end
      if (this.#left === 0) this.#finish()
    }
  }

  /** Reads the head of a frame; returns its length, 0 when there is more to come. */
  #head(chunk: Buffer, at: number): number {
    const available = chunk.length - at
    if (available < 2) return 0
    const short = chunk[at + 1]! & 127
    const length = short < 126 ? 2 : short === 126 ? 4 : 10
    if (available < length) return 0
    this.#opcode = chunk[at]! & 15
    this.#size = short < 126
      ? short
      : short === 126
      ? chunk.readUInt16BE(at + 2)
      : chunk.readUInt32BE(at + 6)
    this.#left = this.#size
    if (chunk[at]! >> 4 !== 8) this.#listener.onFault("a fragmented or compressed frame")
    return length
  }

  #finish(): void {
    const kept = this.#kept
    if (kept.length > 0) this.#kept = []
    if (this.#opcode === opcodes.text) {
      const text = this.looksInside ? Buffer.concat(kept).toString() : undefined
      this.#listener.onFrame(this.#size, text)
    } else if (this.#opcode === opcodes.ping) {
      this.#socket.write(masked(opcodes.pong, Buffer.concat(kept)))
    } else if (this.#opcode === opcodes.close) {
      const payload = Buffer.concat(kept)
      const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005
      this.#listener.onFault(`closed with ${code} ${payload.toString("utf8", 2)}`)
    }
  }
}
