/**
 * Writes a JSON text in parts, so that a long text need never be whole in memory. The parts together equal `JSON.stringify` for JSON
 * values.
 */
import type { Steps } from "./Slices.ts"

/** A value is written in parts if its lists together have more entries than this. */
const manyEntries = 200

/** A longer text is written in parts of this many characters. */
const longText = 64 * 1024

/** Whether a value is a text long enough to be written in parts. */
export const isLong = (value: unknown): value is string =>
  typeof value === "string" && value.length > longText

/** The pieces of a long text. No piece ends inside a character. */
export function* piecesOf(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length;) {
    const end = at + longText
    const isWithin = isHighSurrogate(text.charCodeAt(end - 1))
    yield text.slice(at, isWithin ? end - 1 : end)
    at = isWithin ? end - 1 : end
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** Writing this many characters costs as much as reading one value. */
export const charactersPerStep = 128

/** The parts of the text of a value. */
export function* parts(value: unknown): Generator<string, void, void> {
  if (isLong(value)) {
    yield "\""
    for (const piece of piecesOf(value)) yield JSON.stringify(piece).slice(1, -1)
    return yield "\""
  }
  if (!holdsMuch(value)) return yield JSON.stringify(value)
  let before: string
  if (Array.isArray(value)) {
    before = "["
    for (const entry of value) {
      yield before
      yield* parts(entry)
      before = ","
    }
    return yield before === "[" ? "[]" : "]"
  }
  before = "{"
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue
    yield `${before}${JSON.stringify(key)}:`
    yield* parts(member)
    before = ","
  }
  yield before === "{" ? "{}" : "}"
}

/** Writes the whole text of a value, in steps. */
export function* write(value: unknown): Steps<string> {
  return yield* join(parts(value))
}

/** Joins parts of a text, in steps. */
export function* join(parts: Iterable<string>): Steps<string> {
  const all: Array<string> = []
  for (const part of parts) {
    all.push(part)
    yield part.length / charactersPerStep
  }
  return all.join("")
}

/** Whether the lists of a value together have many entries, or a text in it is long. A value with its own JSON form is written whole. */
export const holdsMuch = (value: unknown): value is object => entriesOf(value, 0) > manyEntries

/** Adds the entries of the lists of a value to a count, until the count is large. */
const entriesOf = (value: unknown, before: number): number => {
  if (isLong(value)) return manyEntries + 1
  if (typeof value !== "object" || value === null) return before
  let size = before
  if (Array.isArray(value)) {
    size += value.length
    for (let at = 0; at < value.length && size <= manyEntries; at++) size = entriesOf(value[at], size)
    return size
  }
  if (hasOwnForm(value)) return before
  for (const key in value) {
    // JSON values have no inherited enumerable properties.
    size = entriesOf((value as Record<string, unknown>)[key], size)
    if (size > manyEntries) return size
  }
  return size
}

const hasOwnForm = (value: object): boolean => "toJSON" in value && typeof value.toJSON === "function"
