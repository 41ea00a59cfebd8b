/**
 * The times at which requests become due: at random, with a fixed average rate and independent of earlier requests, as the requests of
 * independent customers are. The same seed gives the same times.
 */
import type { Random } from "../../../Random.ts"

/** Times in milliseconds, from `start` on. */
export class Arrivals {
  readonly #perSecond: number
  readonly #random: Random
  #next: number

  constructor(perSecond: number, start: number, random: Random) {
    this.#perSecond = perSecond
    this.#random = random
    this.#next = start + this.#gap()
  }

  /** Takes the next time if it has passed by `now`; returns `undefined` otherwise. */
  due(now: number): number | undefined {
    if (this.#next > now) return undefined
    const at = this.#next
    this.#next = at + this.#gap()
    return at
  }

  /** The duration until the next time, in milliseconds. */
  wait(now: number): number {
    return this.#next - now
  }

  #gap(): number {
    return -Math.log(1 - this.#random.next()) * 1000 / this.#perSecond
  }
}
