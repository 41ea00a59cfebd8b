/**
 * The ids that have come, each a bit: hundreds of thousands of them for a dozen receivers stay small.
 */

/** A set of ids. */
export class Ids {
  #bits = new Uint8Array(1024)
  #count = 0
  #first = 0
  #last = 0

  /** How many different ids there are. */
  get count(): number {
    return this.#count
  }

  /** The lowest; 0 without any. */
  get first(): number {
    return this.#first
  }

  /** The highest; 0 without any. */
  get last(): number {
    return this.#last
  }

  /** Whether the id is new. */
  add(id: number): boolean {
    const at = id >>> 3
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, this.#bits.length * 2))
      grown.set(this.#bits)
      this.#bits = grown
    }
    const bit = 1 << (id & 7)
    if ((this.#bits[at]! & bit) !== 0) return false
    this.#bits[at]! |= bit
    this.#count += 1
    this.#first = this.#first === 0 ? id : Math.min(this.#first, id)
    this.#last = Math.max(this.#last, id)
    return true
  }
}
