/**
 * Counting events in windows of fixed length, one window at a time for each key.
 *
 * Guarantee: memory is bounded by the capacity, whatever keys come. Where there are more keys within a window than
 * that, the ones whose windows began first are forgotten, and count anew. Every operation takes constant time, but for
 * windows that have ended, each of which is dropped once.
 */

/** The window of a key. */
export interface Window {
  /** Events in it so far. */
  readonly count: number
  /** When it ends, in milliseconds. */
  readonly endsAt: number
}

/** Counters by key. */
export class FixedWindows {
  readonly #length: number
  readonly #capacity: number
  /** In the order in which the windows began, as a key moves to the end when its window does. */
  readonly #windows = new Map<string, { count: number; readonly endsAt: number }>()

  /** Windows of a length in milliseconds, for at most so many keys at a time. */
  constructor(lengthMillis: number, capacity: number) {
    this.#length = lengthMillis
    this.#capacity = capacity
  }

  /** How many keys are counted at the moment. */
  get size(): number {
    return this.#windows.size
  }

  /** The window of a key; one that would begin now where none is open. */
  peek(key: string, now: number): Window {
    const found = this.#windows.get(key)
    return found !== undefined && this.#isOpen(found, now) ? found : { count: 0, endsAt: now + this.#length }
  }

  /** Counts one event of a key, and gives its window with that. */
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

  /** A clock that was set back must not keep a window open for longer than it is long. */
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
