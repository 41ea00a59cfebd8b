/**
 * Reads the connection of a socket a slice at a time, each when it is the socket's turn.
 *
 * Guarantee: the parser of frames is given a slice only after all frames of the slice before it were handled, so that it
 * has little to go on with once the socket is cut; from then on it is given nothing. What is not read is not taken from
 * the peer, beyond what the connection buffers.
 */
import type { Socket } from "node:net"

/** The most bytes that are read in one turn. */
export const sliceBytes = 4096

/** Reads a connection whose listeners of `data` parse at once what they are given. */
export class SlicedReader {
  readonly #transport: Socket
  readonly #wait: (read: () => void) => void
  #isWaiting = false
  #isPaused = false
  #isStopped = false

  /** `wait` runs what it is given when it is the socket's turn. */
  constructor(transport: Socket, wait: (read: () => void) => void) {
    this.#transport = transport
    this.#wait = wait
    // With this listener, the connection tells those of `data` of what is read here, and of nothing else.
    transport.on("readable", this.#next)
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Reads nothing for now. */
  pause(): void {
    this.#isPaused = true
  }

  /** Reads on. */
  resume(): void {
    this.#isPaused = false
    this.#next()
  }

  /** Reads nothing more; what the connection holds is nobody's. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    const drop = () => void this.#transport.read()
    this.#transport.removeAllListeners("data")
    // As the connection closes, `ws` takes what is left in it.
    this.#transport.prependListener("close", drop)
    drop()
  }

  readonly #next = (): void => {
    if (this.#isWaiting || this.#isPaused || this.#isStopped) return
    this.#isWaiting = true
    this.#wait(this.#read)
  }

  readonly #read = (): void => {
    this.#isWaiting = false
    if (this.#isPaused || this.#isStopped) return
    const transport = this.#transport
    if (transport.readableLength > 0) transport.read(Math.min(transport.readableLength, sliceBytes))
    if (transport.readableLength > 0) this.#next()
    // The connection tells of its end when it is read in vain.
    else transport.read()
  }
}
