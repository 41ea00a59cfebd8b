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

  /** Sends a frame, congested or not; nothing once the socket is closing. */
  send(text: string): void {
    const socket = this.socket
    if (socket.readyState !== WebSocket.OPEN) return
    // A character takes up to three bytes: each frame that may make the socket congested has a callback.
    if (socket.bufferedAmount + 3 * text.length + 16 > this.limit) socket.send(text, this.#flushed)
    else socket.send(text)
  }

  /**
   * Sends a text frame of which the middle is shared with other sockets: `ws` would make a text of all of it for each,
   * encode that, and hand the system two buffers.
   */
  sendAround(before: Buffer, shared: Buffer, after: Buffer): void {
    const socket = this.socket
    if (socket.extensions !== "") return this.send(`${before}${shared}${after}`)
    if (socket.readyState !== WebSocket.OPEN) return
    const frame = textFrame([before, shared, after], socket.bufferedAmount > slowBytes)
    if (socket.bufferedAmount + frame.length > this.limit) this.transport.write(frame, this.#flushed)
    else this.transport.write(frame)
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

/**
 * An unfragmented text frame of a server (RFC 6455, 5.2). One that waits has memory of its own: it would keep the 64 KiB
 * that it shares with frames of other sockets.
 */
const textFrame = (parts: readonly [Buffer, Buffer, Buffer], waits: boolean): Buffer => {
  const length = parts[0].length + parts[1].length + parts[2].length
  let at = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = waits ? Buffer.allocUnsafeSlow(at + length) : Buffer.allocUnsafe(at + length)
  frame[0] = 0x81
  frame[1] = at === 2 ? length : at === 4 ? 126 : 127
  if (at === 4) frame.writeUInt16BE(length, 2)
  if (at === 10) frame.writeBigUInt64BE(BigInt(length), 2)
  for (const part of parts) {
    frame.set(part, at)
    at += part.length
  }
  return frame
}
