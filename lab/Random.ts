/**
 * Numbers that look random and are the same for the same seed. A generator can be split by name: the numbers of one name do not depend on
 * how many others are drawn, so that an additional client does not change which faults happen when.
 */

const mask = 0xffff_ffff

/** FNV-1a over a text, with a last mix so that texts which differ in one character differ everywhere. */
const hash = (text: string): number => {
  let value = 0x811c_9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x0100_0193)
  value = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2_ae35)
  return (value ^ (value >>> 16)) >>> 0
}

/** A generator of numbers. */
export class Random {
  readonly #path: string
  #state: number

  private constructor(path: string) {
    this.#path = path
    this.#state = hash(path)
  }

  /** The generator of a seed. */
  static of(seed: number): Random {
    return new Random(String(seed))
  }

  /** Another generator: the same for the same name, whatever has been drawn from this one. */
  split(name: string): Random {
    return new Random(`${this.#path}/${name}`)
  }

  /** At least 0 and below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) & mask
    let value = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** A whole number, both ends included. */
  int(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.next() * (maximum - minimum + 1))
  }

  /** Whether an event with this probability happens. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** One of several. */
  pick<A>(from: ReadonlyArray<A>): A {
    if (from.length === 0) throw new RangeError("there is nothing to pick from")
    return from[this.int(0, from.length - 1)]!
  }

  /** All of them, in another order. */
  shuffle<A>(from: ReadonlyArray<A>): ReadonlyArray<A> {
    const all = [...from]
    for (let at = all.length - 1; at > 0; at--) {
      const other = this.int(0, at)
      const kept = all[at]!
      all[at] = all[other]!
      all[other] = kept
    }
    return all
  }
}
