/**
 * Counts events in windows of fixed length, one at a time for each key, in constant time. Beyond the capacity, the
 * keys whose windows began first are forgotten and count anew.
 */

export interface Window {
  readonly count: number
  readonly endsAt: number
}

export class FixedWindows {
  readonly #length: number
  readonly #capacity: number
  /** In the order in which the windows began. */
  readonly #windows = new Map<string, { count: number; readonly endsAt: number }>()

  constructor(lengthMillis: number, capacity: number) {
    this.#length = lengthMillis
    this.#capacity = capacity
  }

  get size(): number {
    return this.#windows.size
  }

  /** An empty window from now where none is open. */
  peek(key: string, now: number): Window {
    const found = this.#windows.get(key)
    return found !== undefined && this.#isOpen(found, now) ? found : { count: 0, endsAt: now + this.#length }
  }

  count(key: string, now: number): Window {
    this.#dropEnded(now)
    const found = this.#windows.get(key)
    if (found !== undefined && this.#isOpen(found, now)) {
      found.count++
      return found
    }
    const begun = { count: 1, endsAt: now + this.#length }
    this.#windows.delete(key)
    this.#windows.set(key, begun)
    for (const first of this.#windows.keys()) {
      if (this.#windows.size <= this.#capacity) break
      this.#windows.delete(first)
    }
    return begun
  }

  /** A clock that was set back must not extend a window. */
  #isOpen({ endsAt }: Window, now: number): boolean {
    return now < endsAt && endsAt - now <= this.#length
  }

  #dropEnded(now: number): void {
    for (const [key, window] of this.#windows) {
      if (this.#isOpen(window, now)) return
      this.#windows.delete(key)
    }
  }
}
