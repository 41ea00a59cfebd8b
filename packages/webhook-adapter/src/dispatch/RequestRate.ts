/**
 * Limits how many requests to one endpoint begin in a second, over all its lanes (D15.3).
 *
 * Guarantee: in no second does a process begin more requests than the limit says, wherever the second begins. The holder of a lease
 * counts as many for the second before its lease, as an earlier holder may have begun them. So the limit holds over instances, but for
 * an earlier holder that is cut off: it may go on until it learns of its successor, for `leaseMillis` at most.
 */

const second = 1000

export class RequestRate {
  #perSecond: number
  /** When requests of the last second began, the oldest first. */
  readonly #begun: Array<number> = []
  #restsUntil: number

  /** `perSecond` is 0 for no limit. All times are milliseconds of a monotonic clock. */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#restsUntil = now + second
  }

  get perSecond(): number {
    return this.#perSecond
  }

  /** Sets another limit. Without a limit nothing was counted, so the first limit begins as that of a new lease. */
  set(perSecond: number, now: number): void {
    if (this.#perSecond === 0) this.#restsUntil = now + second
    this.#perSecond = perSecond
  }

  /** How many milliseconds to wait before the next request may begin; 0 when it may begin now. */
  wait(now: number): number {
    if (this.#perSecond === 0) return 0
    if (now < this.#restsUntil) return Math.ceil(this.#restsUntil - now)
    while (this.#begun[0] !== undefined && this.#begun[0] + second <= now) this.#begun.shift()
    const last = this.#begun.at(-this.#perSecond)
    return last === undefined ? 0 : Math.ceil(last + second - now)
  }

  begin(now: number): void {
    if (this.#perSecond > 0) this.#begun.push(now)
  }
}
