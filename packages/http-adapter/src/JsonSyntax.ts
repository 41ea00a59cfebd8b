/**
 * The slow reading of a JSON text, for what `JSON.parse` does not tell: where exactly the text stops being JSON and
 * what was expected there, or which keys are given twice.
 *
 * Guarantee: finds a fault exactly when `JSON.parse` throws; linear, iterative (no input overflows the stack).
 */
import { clip } from "@dockline/core/Clip"

/** The first place where a text is not JSON. */
export interface Fault {
  /** Offset in UTF-16 units. */
  readonly offset: number
  readonly detail: string
}

/** The second occurrence of a key in one object; reported once per key and object. */
export interface Duplicate {
  /** Offset of the second occurrence, in UTF-16 units. */
  readonly offset: number
  readonly path: ReadonlyArray<string | number>
}

/** What {@link examine} found: with a `fault`, `duplicates` holds those before it. */
export interface Examination {
  readonly fault: Fault | undefined
  readonly duplicates: ReadonlyArray<Duplicate>
}

interface Frame {
  /** How often each key of an object was seen; `undefined` in a list. */
  readonly seen: Map<string, number> | undefined
  /** The key or index that is being read. */
  at: string | number
}

interface Reader {
  readonly text: string
  /** The objects and lists that are open, outermost first. */
  readonly frames: Array<Frame>
  readonly duplicates: Array<Duplicate>
  at: number
  expected: "value" | "value or ]" | "key" | "key or }" | "separator" | "end"
}

/** Reads a whole text. */
export const examine = (text: string): Examination => {
  const reader: Reader = { text, frames: [], duplicates: [], at: 0, expected: "value" }
  for (;;) {
    reader.at = skipWhitespace(text, reader.at)
    if (reader.expected === "end" && reader.at === text.length) {
      return { fault: undefined, duplicates: reader.duplicates }
    }
    const fault = step(reader)
    if (fault !== undefined) return { fault, duplicates: reader.duplicates }
  }
}

const step = (reader: Reader): Fault | undefined => {
  switch (reader.expected) {
    case "key":
    case "key or }":
      return readKey(reader)
    case "value":
    case "value or ]":
      return readValue(reader)
    case "separator":
      return readSeparator(reader)
    case "end":
      return unexpected(reader, "nothing after the JSON value")
  }
}

const readKey = (reader: Reader): Fault | undefined => {
  const { frames, text } = reader
  if (text[reader.at] === "}" && reader.expected === "key or }") return close(reader)
  if (text[reader.at] !== "\"") return unexpected(reader, "a key in double quotes")
  const open = reader.at
  const string = readString(text, open)
  if ("fault" in string) return string.fault
  const frame = frames.at(-1)
  if (frame?.seen !== undefined) {
    const key: string = JSON.parse(text.slice(open, string.end))
    const times = (frame.seen.get(key) ?? 0) + 1
    frame.seen.set(key, times)
    frame.at = key
    if (times === 2) reader.duplicates.push({ offset: open, path: frames.map(({ at }) => at) })
  }
  reader.at = skipWhitespace(text, string.end)
  if (text[reader.at] !== ":") return unexpected(reader, "\":\" after the key")
  reader.at++
  reader.expected = "value"
  return undefined
}

const readValue = (reader: Reader): Fault | undefined => {
  const { frames, text } = reader
  const character = text[reader.at]
  if (character === "]" && reader.expected === "value or ]") return close(reader)
  if (character === "{" || character === "[") {
    const isObject = character === "{"
    frames.push({ seen: isObject ? new Map() : undefined, at: isObject ? "" : 0 })
    reader.at++
    reader.expected = isObject ? "key or }" : "value or ]"
    return undefined
  }
  const scalar = character === "\"" ? readString(text, reader.at) : readLiteral(reader)
  if ("fault" in scalar) return scalar.fault
  reader.at = scalar.end
  reader.expected = frames.length === 0 ? "end" : "separator"
  return undefined
}

const readSeparator = (reader: Reader): Fault | undefined => {
  const frame = reader.frames.at(-1)
  const isObject = frame?.seen !== undefined
  const character = reader.text[reader.at]
  if (character === (isObject ? "}" : "]")) return close(reader)
  if (character !== ",") return unexpected(reader, isObject ? "\",\" or \"}\"" : "\",\" or \"]\"")
  if (!isObject && frame !== undefined) frame.at = Number(frame.at) + 1
  reader.at++
  reader.expected = isObject ? "key" : "value"
  return undefined
}

const close = (reader: Reader): undefined => {
  reader.frames.pop()
  reader.at++
  reader.expected = reader.frames.length === 0 ? "end" : "separator"
}

const unexpected = ({ at, expected, text }: Reader, what: string): Fault => {
  const afterComma = (expected === "key" || expected === "value") && (text[at] === "}" || text[at] === "]")
  const hint = afterComma && text.slice(0, at).trimEnd().endsWith(",") ? "; JSON takes no trailing comma" : ""
  return { offset: at, detail: `expected ${what}, found ${describe(text, at)}${hint}` }
}

const skipWhitespace = (text: string, offset: number): number => {
  let at = offset
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
    at++
  }
}

type Lexeme = { readonly end: number } | { readonly fault: Fault }

const faultAt = (offset: number, detail: string): Lexeme => ({ fault: { offset, detail } })

const escapePattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

const readString = (text: string, open: number): Lexeme => {
  let at = open + 1
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return { end: at + 1 }
    if (Number.isNaN(code)) return faultAt(at, "the body ends within a string")
    if (code < 0x20) {
      return faultAt(at, `a control character in a string must be escaped, found ${describe(text, at)}`)
    }
    if (code === 0x5c) {
      escapePattern.lastIndex = at
      if (!escapePattern.test(text)) {
        const length = text[at + 1] === "u" ? 6 : 2
        return faultAt(at, `"${clip(text.slice(at, at + length))}" is not an escape of JSON`)
      }
      at = escapePattern.lastIndex
    } else {
      at++
    }
  }
}

const literalPattern = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/y
/** A run of what could be meant as one value; longer than is echoed, so that the echo shows the cut. */
const wordPattern = /[^\s,:{}[\]"]{1,101}/y

const readLiteral = (reader: Reader): Lexeme => {
  const { at, text } = reader
  wordPattern.lastIndex = at
  const word = wordPattern.exec(text)?.[0]
  if (word === undefined) return { fault: unexpected(reader, "a value") }
  literalPattern.lastIndex = at
  const end = literalPattern.test(text) ? literalPattern.lastIndex : at
  wordPattern.lastIndex = end
  // What follows must end the word: `01` is the number 0 and then a stray 1, but the integrator wrote 01.
  return end > at && !wordPattern.test(text) ? { end } : faultAt(at, `"${clip(word)}" is not a value of JSON`)
}

const describe = (text: string, offset: number): string => {
  const code = text.codePointAt(offset)
  return code === undefined ? "the end of the body" : `"${clip(String.fromCodePoint(code))}"`
}
