/** The ids that have come, each a bit: hundreds of thousands of them stay small. */
export class Ids {
  #bits = new Uint8Array(1024)

  /** Whether the id is new. */
  add(id: number): boolean {
    const at = id >>> 3
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, this.#bits.length * 2))
      grown.set(this.#bits)
      this.#bits = grown
    }
    const bit = 1 << (id & 7)
    const isNew = (this.#bits[at]! & bit) === 0
    this.#bits[at]! |= bit
    return isNew
  }
}
