/**
 * The sending half of a socket, with word of when it is worth sending more.
 *
 * Guarantee: whoever stops at {@link Outbox.isCongested} and goes on when told so leaves at most the limit and one
 * frame waiting in the socket.
 */
import type { Socket } from "node:net"
import { WebSocket } from "ws"

/** The sending half of a socket. */
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

  /** Whether so much waits in the socket that nothing should follow for now. */
  get isCongested(): boolean {
    return this.#socket.bufferedAmount > this.#limit && this.#socket.readyState === WebSocket.OPEN
  }

  /** Whether anything waits in the socket: until the peer has read it, no answer to a ping can be expected. */
  get isFlushing(): boolean {
    return this.#socket.bufferedAmount > 0
  }

  /** How many times what waited in the socket has gone out: a sign of life of a peer that is busy reading. */
  get flushes(): number {
    return this.#lastFlushed
  }

  /** Sends a frame, whether or not it is congested; nothing once the socket is closing. */
  send(text: string): void {
    const socket = this.#socket
    if (socket.readyState !== WebSocket.OPEN) return
    // A character takes up to three bytes: whatever frame makes the socket congested has its end told.
    if (socket.bufferedAmount + 3 * text.length + 16 > this.#limit) socket.send(text, this.#flushed)
    else socket.send(text)
  }

  /** Runs what sends several frames, which go out together. */
  together<A>(run: () => A): A {
    this.#transport.cork()
    try {
      return run()
    } finally {
      this.#transport.uncork()
    }
  }

  /** Calls back once the socket is not congested any more; at the latest when it is closed. */
  onDrained(callback: () => void): void {
    this.#waiters.push(callback)
  }

  /** The socket is closed: nobody waits for it any more. */
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
