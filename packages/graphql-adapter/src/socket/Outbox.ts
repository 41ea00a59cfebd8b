/**
 * Sends frames. A sender that stops at {@link Outbox.isCongested} and goes on when called back leaves at most the
 * limit and one frame waiting in the socket.
 */
import type { Socket } from "node:net"
import { WebSocket } from "ws"

/** A socket in which more bytes wait has a slow peer. */
const slowBytes = 8 * 1024

export class Outbox {
  readonly #socket: WebSocket
  readonly #transport: Socket
  readonly #limit: number
  #waiters: Array<() => void> = []
  #lastFlushed = 0

  /** Congested once more than `limit` bytes wait in the socket; `transport` is what it writes to. */
  constructor(socket: WebSocket, transport: Socket, limit: number) {
    this.#socket = socket
    this.#transport = transport
    this.#limit = limit
  }

  /** Whether more than the limit waits in the socket. */
  get isCongested(): boolean {
    return this.#socket.bufferedAmount > this.#limit && this.#socket.readyState === WebSocket.OPEN
  }

  /** Whether bytes wait in the socket: until the peer has read them, it cannot answer a ping. */
  get isFlushing(): boolean {
    return this.#socket.bufferedAmount > 0
  }

  /** The number of times that waiting bytes went out: a sign of life of a reading peer. */
  get flushes(): number {
    return this.#lastFlushed
  }

  /** Sends a frame, congested or not; nothing once the socket is closing. */
  send(text: string): void {
    const socket = this.#socket
    if (socket.readyState !== WebSocket.OPEN) return
    // A character takes up to three bytes: each frame that may make the socket congested has a callback.
    if (socket.bufferedAmount + 3 * text.length + 16 > this.#limit) socket.send(text, this.#flushed)
    else socket.send(text)
  }

  /**
   * Sends a text frame of which the middle is shared with other sockets: `ws` would make a text of all of it for each,
   * encode that, and hand the system two buffers.
   */
  sendAround(before: Buffer, shared: Buffer, after: Buffer): void {
    const socket = this.#socket
    if (socket.extensions !== "") return this.send(`${before}${shared}${after}`)
    if (socket.readyState !== WebSocket.OPEN) return
    const frame = textFrame(before.length + shared.length + after.length, socket.bufferedAmount > slowBytes)
    const start = frame.length - before.length - shared.length - after.length
    frame.set(before, start)
    frame.set(shared, start + before.length)
    frame.set(after, start + before.length + shared.length)
    if (socket.bufferedAmount + frame.length > this.#limit) this.#transport.write(frame, this.#flushed)
    else this.#transport.write(frame)
  }

  together<A>(run: () => A): A {
    this.#transport.cork()
    try {
      return run()
    } finally {
      this.#transport.uncork()
    }
  }

  /** Calls back when the socket is no longer congested, or is closed. */
  onDrained(callback: () => void): void {
    this.#waiters.push(callback)
  }

  close(): void {
    this.#release()
  }

  readonly #flushed = (): void => {
    this.#lastFlushed++
    if (this.#waiters.length > 0 && !this.isCongested) this.#release()
  }

  #release(): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const resume of waiters) resume()
  }
}

/**
 * An unfragmented text frame of a server with room for its bytes (RFC 6455, 5.2). One that waits has memory of its own: it
 * would keep the 64 KiB that it shares with frames of other sockets.
 */
const textFrame = (length: number, waits: boolean): Buffer => {
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = waits ? Buffer.allocUnsafeSlow(head + length) : Buffer.allocUnsafe(head + length)
  frame[0] = 0x81
  if (head === 2) frame[1] = length
  else if (head === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  return frame
}
