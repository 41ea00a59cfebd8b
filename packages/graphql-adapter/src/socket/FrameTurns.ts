/**
 * Lets sockets take turns. In each turn of the event loop, the frames of all sockets take at most {@link turnMillis}
 * and one frame more. A socket that sends much delays its own frames, and those of another by one frame.
 */

export const turnMillis = 5

const framesPerTurn = 64

/** Handles one frame, or reads one slice; never throws. */
type Handle = () => void

export class FrameTurns {
  readonly #now: () => number
  /** The frames of each socket that has any; the socket whose turn it is comes first. */
  readonly #lines: Array<Array<Handle>> = []
  #waiting = 0
  #isRunning = false

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Adds a socket, whose frames the returned function takes. */
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
