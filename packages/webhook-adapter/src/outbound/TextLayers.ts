/**
 * Decodes a text in every known way, once and twice. The work is bounded by the length of the text times a constant.
 */
import { Buffer } from "node:buffer"
import { characterReferences } from "./CharacterReferences.ts"

/** The fewest bytes in base64 or hexadecimal that are decoded. */
export const leastBytes = 4

/** `=`, the padding of base64. */
export const paddingByte = 0x3d

export interface TextLayer {
  readonly bytes: Buffer
  /** For each byte, the part of the text that it was read from. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** Whether the layer extends to the end of a text that was cut. */
  readonly isCut: boolean
}

const depth = 2

/** The text is in UTF-8 and may have been cut at its end. */
export function* layersOf(bytes: Buffer, isCut: boolean): Generator<TextLayer> {
  const starts = new Int32Array(bytes.length).map((_, at) => at)
  let layers: ReadonlyArray<TextLayer> = [{ bytes, starts, ends: starts.map((at) => at + 1), isCut }]
  yield* layers
  for (let level = 0; level < depth; level++) {
    layers = layers.flatMap((layer) => decoders.flatMap((decode) => decode(layer) ?? []))
    yield* layers
  }
}

/** `undefined` when nothing in the layer is encoded that way. */
type Decode = (layer: TextLayer) => TextLayer | undefined

/** No encoding is shorter than its bytes, so the capacity of the layer above suffices. */
class Decoded {
  readonly #bytes: Buffer
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  length = 0

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity)
    this.#starts = new Int32Array(capacity)
    this.#ends = new Int32Array(capacity)
  }

  add(byte: number, start: number, end: number): void {
    this.#bytes[this.length] = byte
    this.#starts[this.length] = start
    this.#ends[this.length++] = end
  }

  copy({ bytes, ends, starts }: TextLayer, from: number, to: number): void {
    this.#bytes.set(bytes.subarray(from, to), this.length)
    this.#starts.set(starts.subarray(from, to), this.length)
    this.#ends.set(ends.subarray(from, to), this.length)
    this.length += to - from
  }

  extend(end: number): void {
    if (this.length > 0) this.#ends[this.length - 1] = end
  }

  layer(isCut: boolean): TextLayer {
    const [bytes, starts, ends] = [this.#bytes, this.#starts, this.#ends].map((each) =>
      each.subarray(0, this.length)
    ) as [Buffer, Int32Array, Int32Array]
    return { bytes, starts, ends, isCut }
  }
}

/** Each match contains the byte `lead`; `unfinished` matches an escape whose end may have been cut off. */
const escapes = (
  lead: string,
  pattern: RegExp,
  unfinished: RegExp,
  read: (escape: string) => Uint8Array | undefined
): Decode =>
(layer) => {
  const { bytes, ends, isCut, starts } = layer
  if (!bytes.includes(lead)) return undefined
  const text = bytes.toString("latin1")
  const whole = isCut ? text.slice(0, unfinished.exec(text)?.index) : text
  const decoded = new Decoded(bytes.length)
  let from = 0
  for (const { 0: escape, index } of whole.matchAll(pattern)) {
    const decodedBytes = read(escape)
    if (decodedBytes === undefined) continue
    decoded.copy(layer, from, index)
    from = index + escape.length
    for (const byte of decodedBytes) decoded.add(byte, starts[index]!, ends[from - 1]!)
  }
  if (from === 0 && whole.length === text.length) return undefined
  decoded.copy(layer, from, whole.length)
  return decoded.layer(isCut)
}

const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8")

const codePoint = (code: number): Uint8Array | undefined =>
  code <= 0x10ffff ? utf8(String.fromCodePoint(code)) : undefined

const hexadecimal = (text: string): number => Number.parseInt(text, 16)

const controls: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }

const readBackslash = (escape: string): Uint8Array | undefined => {
  if (escape.length === 2) return Buffer.from(controls[escape[1]!] ?? escape[1]!, "latin1")
  if (escape[1] === "x") return Uint8Array.of(hexadecimal(escape.slice(2)))
  const [first, second] = escape.slice(2).split("\\u").map(hexadecimal)
  return codePoint(second === undefined ? first! : 0x10000 + ((first! & 0x3ff) << 10) + (second & 0x3ff))
}

const readPercent = (escape: string): Uint8Array =>
  Uint8Array.of(escape === "+" ? 0x20 : hexadecimal(escape.slice(1)))

const readReference = (reference: string): Uint8Array | undefined => {
  const name = reference.slice(1, -1)
  if (name[0] !== "#") {
    const character = characterReferences.get(name)
    return character === undefined ? undefined : utf8(character)
  }
  return codePoint(/^#x/i.test(name) ? hexadecimal(name.slice(2)) : Number(name.slice(1)))
}

const backslash = escapes(
  "\\",
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^])/g,
  /(?:\\u[dD][89abAB][0-9a-fA-F]{2})?(?:\\(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?)?$/,
  readBackslash
)

const percent = escapes("%", /%[0-9a-fA-F]{2}/g, /%[0-9a-fA-F]?$/, readPercent)

const form = escapes("+", /%[0-9a-fA-F]{2}|\+/g, /%[0-9a-fA-F]?$/, readPercent)

const references = escapes(
  "&",
  /&(?:#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});/g,
  /&#?[0-9A-Za-z]{0,31}$/,
  readReference
)

const [noDigit, lineBreak] = [-1, -2]

/** The value of each byte as a digit; a second alphabet writes the same digits in another way. */
const valuesOf = (...alphabets: ReadonlyArray<string>): Int8Array => {
  const values = new Int8Array(256).fill(noDigit)
  for (const alphabet of alphabets) {
    for (const [value, digit] of Buffer.from(alphabet).entries()) values[digit] = value
  }
  for (const byte of Buffer.from("\r\n")) values[byte] = lineBreak
  return values
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const common = `${letters}${letters.toLowerCase()}0123456789`
const base64 = valuesOf(`${common}+/`, `${common}-_`)
const base16 = valuesOf("0123456789abcdef", "0123456789ABCDEF")

/** Separates runs that were not adjacent; this byte never occurs in UTF-8. */
const gap = 0xff

/**
 * Decodes runs of digits of `bits` bits from the digit at `offset`. Line breaks within a run are skipped, and padding
 * belongs to the byte before it.
 */
const runs = (values: Int8Array, bits: number, offset: number): Decode => (layer) => {
  const { bytes, ends, isCut, starts } = layer
  const least = offset + Math.ceil(leastBytes * 8 / bits)
  const run: Array<number> = []
  let decoded: Decoded | undefined
  let [length, isOpen] = [0, false]
  for (let at = 0; at <= bytes.length; at++) {
    const value = at < bytes.length ? values[bytes[at]!]! : noDigit
    if (value >= 0) run[length++] = at
    if (value !== noDigit) continue
    isOpen = length > 0 && at === bytes.length
    if (length >= least) {
      decoded ??= new Decoded(bytes.length + 1)
      decodeRun(layer, run.slice(offset, length), values, bits, decoded)
      let past = at
      while (bytes[past] === paddingByte) past++
      if (past > at) decoded.extend(ends[past - 1]!)
      if (at < bytes.length) decoded.add(gap, starts[at]!, ends[at]!)
    }
    length = 0
  }
  return decoded?.layer(isCut && isOpen)
}

const decodeRun = (
  { bytes, ends, starts }: TextLayer,
  run: ReadonlyArray<number>,
  values: Int8Array,
  bits: number,
  decoded: Decoded
): void => {
  let [value, held, start] = [0, 0, 0]
  for (const at of run) {
    if (held === 0) start = starts[at]!
    value = (value << bits | values[bytes[at]!]!) & 0xffff
    held += bits
    if (held < 8) continue
    held -= 8
    decoded.add(value >> held & 0xff, start, ends[at]!)
    start = starts[at]!
  }
}

const decoders: ReadonlyArray<Decode> = [
  backslash,
  percent,
  form,
  references,
  ...[0, 1, 2, 3].map((offset) => runs(base64, 6, offset)),
  ...[0, 1].map((offset) => runs(base16, 4, offset))
]
