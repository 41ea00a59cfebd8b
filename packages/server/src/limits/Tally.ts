/** Sums by key; a key whose sum is 0 takes no memory. */
export class Tally {
  readonly #sums = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  of(key: string): number {
    return this.#sums.get(key) ?? 0
  }

  /** Adds to the sum of a key; a negative amount takes away. */
  add(key: string, amount: number): void {
    const sum = this.of(key) + amount
    this.#total += amount
    if (sum === 0) this.#sums.delete(key)
    else this.#sums.set(key, sum)
  }
}
