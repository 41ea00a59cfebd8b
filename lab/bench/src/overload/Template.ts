/**
 * Bytes of a request with a number in many places, made once: for each request they are copied and the digits written
 * over, which costs the generator next to nothing.
 */

/** Digits of a number in a template. */
export const digits = 8

/** Stands for the number in the text of a template. */
export const mark = "#".repeat(digits)

const markBytes = Buffer.from(mark)

/** A request with gaps for a number. */
export class Template {
  readonly #bytes: Buffer
  readonly #gaps: ReadonlyArray<number>

  constructor(text: string) {
    this.#bytes = Buffer.from(text)
    const gaps: Array<number> = []
    for (let at = this.#bytes.indexOf(markBytes); at >= 0; at = this.#bytes.indexOf(markBytes, at + digits)) {
      gaps.push(at)
    }
    this.#gaps = gaps
  }

  /** The request with the number in its gaps, zeros before it. */
  with(number: number): Buffer {
    const bytes = Buffer.from(this.#bytes)
    let rest = number
    for (let place = digits - 1; place >= 0; place--) {
      const digit = 48 + rest % 10
      rest = Math.floor(rest / 10)
      for (const gap of this.#gaps) bytes[gap + place] = digit
    }
    return bytes
  }
}
