/**
 * Sends frames. A sender that stops while the outbox is congested, and goes on when it is called back, leaves at most the
 * limit and one frame waiting in the socket.
 */
import type { Socket } from "node:net"
import { WebSocket } from "ws"

/** A socket in which more bytes wait has a slow peer. */
const slowBytes = 8 * 1024

export class Outbox {
  /** When waiting bytes went out last: a sign of life of a reading peer. */
  flushedAt = 0
  readonly socket: WebSocket
  readonly transport: Socket
  readonly limit: number
  #waiters: Array<() => void> = []

  /** Congested once more than `limit` bytes wait in the socket; `transport` is what it writes to. */
  constructor(socket: WebSocket, transport: Socket, limit: number) {
    this.socket = socket
    this.transport = transport
    this.limit = limit
  }

  get isCongested(): boolean {
    return this.socket.bufferedAmount > this.limit && this.socket.readyState === WebSocket.OPEN
  }

  /** Whether bytes wait in the socket: until the peer has read them, it cannot answer a ping. */
  get isFlushing(): boolean {
    return this.socket.bufferedAmount > 0
  }

  /** Sends a text, congested or not; nothing once the socket is closing. */
  send(text: string | Buffer): void {
    const { bufferedAmount, readyState } = this.socket
    if (readyState !== WebSocket.OPEN) return
    // A character takes up to three bytes: each frame that may make the socket congested has a callback.
    const most = 16 + (typeof text === "string" ? 3 : 1) * text.length
    const flushed = bufferedAmount + most > this.limit ? this.#flushed : undefined
    this.socket.send(text, { binary: false }, flushed)
  }

  /** Sends a text of which the middle is shared with other sockets, so that it is encoded once for all of them. */
  sendAround(before: Buffer, shared: Buffer, after: Buffer): void {
    // One that waits has memory of its own: it would keep the 64 KiB that it shares with frames of other sockets.
    const make = this.socket.bufferedAmount > slowBytes ? Buffer.allocUnsafeSlow : Buffer.allocUnsafe
    const text = make(before.length + shared.length + after.length)
    text.set(before)
    text.set(shared, before.length)
    text.set(after, before.length + shared.length)
    this.send(text)
  }

  /** Hands what is sent meanwhile to the system at once. */
  together(run: () => void): void {
    this.transport.cork()
    try {
      run()
    } finally {
      this.transport.uncork()
    }
  }

  /** Calls back when the socket is no longer congested, or is closed. */
  onDrained(callback: () => void): void {
    this.#waiters.push(callback)
  }

  close(): void {
    for (const resume of this.#waiters.splice(0)) resume()
  }

  readonly #flushed = (): void => {
    this.flushedAt = performance.now()
    if (!this.isCongested) this.close()
  }
}
