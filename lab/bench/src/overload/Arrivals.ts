/**
 * The times at which requests become due: at random, like those of independent customers, with a fixed average rate, independent of
 * earlier requests. The same seed gives the same times.
 */
import type { Random } from "../../../Random.ts"

/** The times at which requests become due, in milliseconds from `start` on. */
export class Arrivals {
  readonly #perSecond: number
  readonly #random: Random
  #next: number

  constructor(perSecond: number, start: number, random: Random) {
    this.#perSecond = perSecond
    this.#random = random
    this.#next = start + this.#gap()
  }

  /** The next time that has passed by now; `undefined` if there is none. */
  due(now: number): number | undefined {
    if (this.#next > now) return undefined
    const at = this.#next
    this.#next = at + this.#gap()
    return at
  }

  /** The time until the next one, in milliseconds. */
  wait(now: number): number {
    return this.#next - now
  }

  #gap(): number {
    return -Math.log(1 - this.#random.next()) * 1000 / this.#perSecond
  }
}
