/**
 * When requests fall due: at random like customers who do not know of each other, at a fixed rate on average, and
 * whatever becomes of those before. The same seed gives the same times.
 */

/** A generator of numbers from 0 to 1: Mulberry32. */
export const random = (seed: number): () => number => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The times at which requests fall due, in milliseconds from `start` on. */
export class Arrivals {
  readonly #perSecond: number
  readonly #random: () => number
  #next: number

  constructor(perSecond: number, start: number, next: () => number) {
    this.#perSecond = perSecond
    this.#random = next
    this.#next = start + this.#gap()
  }

  /** The next time that has come by now; `undefined` when none has. */
  due(now: number): number | undefined {
    if (this.#next > now) return undefined
    const at = this.#next
    this.#next = at + this.#gap()
    return at
  }

  /** How long until the next one, in milliseconds. */
  wait(now: number): number {
    return this.#next - now
  }

  #gap(): number {
    return -Math.log(1 - this.#random()) * 1000 / this.#perSecond
  }
}
