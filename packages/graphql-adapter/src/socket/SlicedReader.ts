/**
 * Reads the connection of a socket in slices, each when it is the socket's turn: the parser of frames gets a slice
 * only after all frames of the slice before it were handled.
 */
import type { Socket } from "node:net"

export const sliceBytes = 4096

export class SlicedReader {
  readonly #transport: Socket
  readonly #wait: (read: () => void) => void
  #isWaiting = false
  #isPaused = false
  #isStopped = false

  /** `wait` runs its argument when it is the socket's turn. */
  constructor(transport: Socket, wait: (read: () => void) => void) {
    this.#transport = transport
    this.#wait = wait
    // With this listener, listeners of `data` get only what is read here.
    transport.on("readable", this.#next)
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#next()
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    const drop = () => void this.#transport.read()
    this.#transport.removeAllListeners("data")
    // As the connection closes, `ws` would take the rest.
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
    // The connection ends when a read finds nothing.
    else transport.read()
  }
}
