/**
 * When sockets are read and their frames handled: each socket in its turn, a slice or a frame at a time.
 *
 * Guarantee: in each turn of the event loop, frames of all sockets together are handled for at most {@link turnMillis} and
 * one frame more, what follows from a frame without waiting included. Everything else that the process does is held up no
 * longer, however many sockets send however much. The frames of one socket are handled in the order in which they came;
 * a socket that sends much holds up its own frames, and those of another one by a frame.
 */

/** How long frames are handled in one turn of the event loop, in milliseconds. */
export const turnMillis = 5

/** The most frames that are handled in one turn. */
const framesPerTurn = 64

/** Handles one frame, or reads one slice; never throws. */
type Handle = () => void

/** The frames of all sockets that wait to be handled. */
export class FrameTurns {
  readonly #now: () => number
  /** The frames of each socket that has any; the socket whose turn it is comes first. */
  readonly #lines: Array<Array<Handle>> = []
  #waiting = 0
  #isRunning = false

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Takes the frames of one more socket. */
  line(): (handle: Handle) => void {
    const line: Array<Handle> = []
    return (handle) => {
      this.#waiting++
      if (line.push(handle) === 1) this.#lines.push(line)
      if (!this.#isRunning) this.#begin()
    }
  }

  /** An immediate for each frame: promises that a frame has resolved run on before the time is looked at again. */
  #begin(): void {
    this.#isRunning = true
    let left = Math.min(framesPerTurn, this.#waiting)
    let endsAt: number | undefined
    const step = () => {
      endsAt ??= this.#now() + turnMillis
      if (this.#now() < endsAt) this.#handleNext()
      if (--left > 0) return
      this.#isRunning = false
      if (this.#waiting > 0) this.#begin()
    }
    for (let count = left; count > 0; count--) setImmediate(step)
  }

  #handleNext(): void {
    const line = this.#lines.shift()!
    this.#waiting--
    line[0]!()
    line.shift()
    if (line.length > 0) this.#lines.push(line)
  }
}
