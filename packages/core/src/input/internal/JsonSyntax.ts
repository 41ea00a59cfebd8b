/**
 * Reads a JSON text in steps, token by token. Unlike `JSON.parse`, it can stop midway, and reports where a text stops being JSON, what was
 * expected there, and which keys occur twice.
 *
 * Guarantee: unless reading ends early, a fault is found exactly when `JSON.parse` throws, a value nests too deep, or an object has too
 * many keys. After a duplicate key, the number of keys is no longer checked, because the text is refused anyway. Without a fault, a whole
 * value without duplicate keys equals the value of `JSON.parse`, except that with a shape it may lose fields that are `null`. Reading is
 * linear and iterative. A step takes at most as long as the longest string or run of whitespace. {@link scan} and {@link countKeys} find
 * the depth and the number of keys without parsing, so that both are bounded before any parser runs.
 */
import { clip } from "../../values/Clip.ts"
import { Fit } from "../Shape.ts"
import type { Shape } from "../Shape.ts"
import type { Steps } from "../Slices.ts"

/**
 * The most keys of one object. A text of up to `longText` characters (JsonText.ts) cannot hold so many, so only longer texts can have this
 * fault.
 */
const maxKeys = 16_384

/** The second occurrence of a key in one object; reported once for each key and object. */
export interface Duplicate {
  /** The offset of the second occurrence, in UTF-16 units. */
  readonly offset: number
  readonly path: ReadonlyArray<string | number>
}

/** The limits and the shape with which a text is read. */
export interface ReadOptions {
  /** The deepest nesting of objects and lists; the outermost is level 1. */
  readonly maxDepth: number
  readonly shape?: Shape | undefined
  /** The offset from which reading ends once the text cannot fit the shape or has duplicate keys. */
  readonly futileUntil?: number
}

/** The result of reading. With a `fault`, `duplicates` has the duplicates before the fault. */
export interface Reading {
  readonly fault: Fault | undefined
  readonly duplicates: ReadonlyArray<Duplicate>
  readonly value: unknown
  /** Whether the value is complete. If not, reading ended at a fault, or early because the rest could not make the value valid. */
  readonly isWhole: boolean
}

interface Frame {
  readonly value: Record<string, unknown> | Array<unknown>
  readonly shape: Shape | undefined
  /** The occurrences of each key of an object; `undefined` for a list. */
  readonly keys: Map<string, number> | undefined
  /** The key or index that is being read. */
  key: string | number
}

interface Reader {
  readonly text: string
  readonly options: ReadOptions
  readonly fit: Fit
  /** The open objects and lists, outermost first. */
  readonly frames: Array<Frame>
  readonly duplicates: Array<Duplicate>
  value: unknown
  isMisfit: boolean
  /** The offset of the character that is read next. */
  offset: number
  /** Cost in addition to the cost of the characters passed. */
  extraCost: number
  /** Before this offset, values are read one token at a time. */
  hardUntil: number
  expected: "value" | "value or ]" | "key" | "key or }" | "separator" | "end"
}

/** This many characters cost as much as one value. */
const charactersPerValue = 32

/** The most whitespace that is skipped at a time. */
const longestRun = 64 * 1024

/** The least cost between two steps. */
const stepCost = 256

export function* read(text: string, options: ReadOptions): Steps<Reading> {
  const reader: Reader = {
    text,
    options,
    fit: new Fit(),
    frames: [],
    duplicates: [],
    value: undefined,
    isMisfit: false,
    offset: 0,
    extraCost: 0,
    hardUntil: 0,
    expected: "value"
  }
  const ended = (isWhole: boolean, fault?: Fault): Reading => ({
    fault,
    duplicates: reader.duplicates,
    value: reader.value,
    isWhole
  })
  let cost = 0
  for (;;) {
    const before = reader.offset
    reader.offset = skipWhitespace(text, before, before + longestRun)
    if (reader.offset < before + longestRun) {
      if (reader.expected === "end" && reader.offset === text.length) return ended(true)
      const fault = step(reader)
      if (fault !== undefined) return ended(false, fault)
    }
    cost += 1 + reader.extraCost + (reader.offset - before) / charactersPerValue
    reader.extraCost = 0
    if (cost < stepCost) continue
    yield cost
    cost = 0
    const isFutile = reader.isMisfit || reader.duplicates.length > 0
    if (isFutile && reader.offset > (options.futileUntil ?? Infinity)) return ended(false)
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
  if (text[reader.offset] === "}" && reader.expected === "key or }") return close(reader)
  if (text[reader.offset] !== "\"") return unexpected(reader, "a key in double quotes")
  const open = reader.offset
  const string = readString(text, open)
  if ("fault" in string) return string.fault
  const frame = frames.at(-1)
  if (frame?.keys !== undefined) {
    if (frame.keys.size >= maxKeys && reader.duplicates.length === 0) {
      return { offset: open, detail: `the object has over ${maxKeys} keys` }
    }
    const key = String(string.value)
    const times = (frame.keys.get(key) ?? 0) + 1
    frame.keys.set(key, times)
    frame.key = key
    if (times === 2) reader.duplicates.push({ offset: open, path: frames.map((each) => each.key) })
  }
  reader.offset = skipWhitespace(text, string.end)
  if (text[reader.offset] !== ":") return unexpected(reader, "\":\" after the key")
  reader.offset++
  reader.expected = "value"
  return undefined
}

export const tooDeep = (maxDepth: number): string => `the body is nested over ${maxDepth} levels deep`

const readValue = (reader: Reader): Fault | undefined => {
  const { frames, text } = reader
  const character = text[reader.offset]
  if (character === "]" && reader.expected === "value or ]") return close(reader)
  const isContainer = character === "{" || character === "["
  if ((isContainer || Array.isArray(frames.at(-1)?.value)) && readPieces(reader)) return undefined
  if (isContainer) {
    if (frames.length >= reader.options.maxDepth) {
      return { offset: reader.offset, detail: tooDeep(reader.options.maxDepth) }
    }
    open(reader, character === "{")
    return undefined
  }
  const scalar = character === "\"" ? readString(text, reader.offset) : readLiteral(text, reader.offset)
  if (scalar === undefined) return unexpected(reader, "a value")
  if ("fault" in scalar) return scalar.fault
  take(reader, scalar.value, scalar.end)
  return undefined
}

/** Values that end within this many characters are left to `JSON.parse`. */
const pieceLength = 4096

/** Reads several entries of a list, or one object or list, with `JSON.parse`, if they are small and valid. */
const readPieces = (reader: Reader): boolean => {
  const { frames, offset: at, text, options } = reader
  if (at < reader.hardUntil) return false
  const to = Math.min(at + pieceLength, text.length)
  const isList = Array.isArray(frames.at(-1)?.value)
  const { colons, completeEntries, end, isClosed } = isList
    ? scan(text, options.maxDepth - frames.length + 1, at, to, 1)
    : scan(text, options.maxDepth - frames.length, at, to)
  const rest = isList ? completeEntries : undefined
  const range = isClosed ? { colons, end: isList ? end - 1 : end } : rest
  const json = range && text.slice(at, range.end)
  const piece = json === undefined ? undefined : parse(isList ? `[${json}]` : json)
  // Every colon outside strings belongs to a key, so a tree with fewer keys has lost duplicates.
  if (range === undefined || piece === undefined || range.colons !== countKeys(piece.value)) {
    reader.hardUntil = to
    reader.extraCost += (to - at) / charactersPerValue
    return false
  }
  const values: ReadonlyArray<unknown> = isList && Array.isArray(piece.value) ? piece.value : [piece.value]
  for (const value of values) take(reader, value, range.end)
  reader.extraCost += values.length
  return values.length > 0
}

const take = (reader: Reader, value: unknown, end: number): void => {
  const shape = place(reader, value)
  if (shape !== undefined && !reader.isMisfit && !reader.fit.fits(value, shape)) reader.isMisfit = true
  reader.offset = end
  reader.expected = reader.frames.length === 0 ? "end" : "separator"
}

const open = (reader: Reader, isObject: boolean): void => {
  const value = isObject ? {} : []
  const shape = place(reader, value)
  if (shape !== undefined && shape.kind !== "any" && shape.kind !== (isObject ? "object" : "list")) {
    reader.isMisfit = true
  }
  reader.frames.push({ value, shape, keys: isObject ? new Map() : undefined, key: isObject ? "" : 0 })
  reader.offset++
  reader.expected = isObject ? "key or }" : "value or ]"
}

/** Adds a value to the open object or list, and returns its expected shape, if known. */
const place = (reader: Reader, value: unknown): Shape | undefined => {
  const frame = reader.frames.at(-1)
  if (frame === undefined) {
    reader.value = value
    return reader.options.shape
  }
  const { shape } = frame
  if (Array.isArray(frame.value)) {
    frame.value.push(value)
    frame.key = frame.value.length - 1
    if (shape === undefined) return undefined
    if (!reader.fit.hasRoom(shape)) reader.isMisfit = true
    return Fit.within(shape, undefined)
  }
  const key = String(frame.key)
  // A field with the value `null` counts as absent, even if its name is unknown (D2.3).
  if (shape !== undefined && value === null) return undefined
  // An assignment to `__proto__` would set the prototype.
  if (key === "__proto__") Object.defineProperty(frame.value, key, { ...property, value })
  else frame.value[key] = value
  if (shape === undefined) return undefined
  const field = Fit.within(shape, key)
  if (field === undefined) reader.isMisfit = true
  else if (Fit.isAbsent(value, field)) return undefined
  return field
}

const property = { configurable: true, enumerable: true, writable: true }

const readSeparator = (reader: Reader): Fault | undefined => {
  const frame = reader.frames.at(-1)
  const isObject = frame?.keys !== undefined
  const character = reader.text[reader.offset]
  if (character === (isObject ? "}" : "]")) return close(reader)
  if (character !== ",") return unexpected(reader, isObject ? "\",\" or \"}\"" : "\",\" or \"]\"")
  reader.offset++
  reader.expected = isObject ? "key" : "value"
  return undefined
}

const close = (reader: Reader): undefined => {
  reader.frames.pop()
  reader.offset++
  reader.expected = reader.frames.length === 0 ? "end" : "separator"
}

const unexpected = ({ expected, offset: at, text }: Reader, what: string): Fault => {
  const afterComma = (expected === "key" || expected === "value") && (text[at] === "}" || text[at] === "]")
  const hint = afterComma && text.slice(0, at).trimEnd().endsWith(",")
    ? "; JSON allows no trailing comma"
    : ""
  return { offset: at, detail: `expected ${what}, found ${describe(text, at)}${hint}` }
}

/** The first offset at which a text is refused, and the reason. */
export interface Fault {
  readonly offset: number
  readonly detail: string
}

/** The result of `JSON.parse`; `undefined` when it throws. */
export const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The offset of the first character after whitespace, or `to`. */
export const skipWhitespace = (text: string, from: number, to = Infinity): number => {
  let at = from
  while (at < to && isWhitespace(text.charCodeAt(at))) at++
  return at
}

const isWhitespace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

export type Token = { readonly value: unknown; readonly end: number } | { readonly fault: Fault }

const faultAt = (offset: number, detail: string): Token => ({ fault: { offset, detail } })

const escapePattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Reads the string whose opening quote is at `open`. */
export const readString = (text: string, open: number): Token => {
  const end = closingQuote(text, open) + 1
  if (text[end - 1] === "\"" && isPlain(text, open + 1, end - 1)) {
    return { value: text.slice(open + 1, end - 1), end }
  }
  const string = parse(text.slice(open, end))
  return string === undefined ? stringFault(text, open) : { value: string.value, end }
}

/** Whether a string is short, as most keys are, and has no escape and no character that needs an escape. */
const isPlain = (text: string, from: number, to: number): boolean => {
  if (to < from || to - from > 64) return false
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code === 0x5c) return false
  }
  return true
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const specialPattern = /["\\\u0000-\u001f]/g

const stringFault = (text: string, open: number): Token => {
  specialPattern.lastIndex = open + 1
  for (;;) {
    const at = specialPattern.exec(text)?.index
    if (at === undefined) return faultAt(text.length, "the body ends within a string")
    if (text[at] !== "\\") {
      return faultAt(at, `a control character in a string must be escaped, found ${describe(text, at)}`)
    }
    escapePattern.lastIndex = at
    if (!escapePattern.test(text)) {
      const length = text[at + 1] === "u" ? 6 : 2
      return faultAt(at, `"${clip(text.slice(at, at + length))}" is not a JSON escape`)
    }
    specialPattern.lastIndex = escapePattern.lastIndex
  }
}

const literalPattern = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/y
/** Characters that were probably meant as one value: one more than `clip` keeps, so that the fault text shows the cut. */
const wordPattern = /[^\s,:{}[\]"]{1,101}/y

/** Reads a literal; `undefined` when no literal begins here. */
export const readLiteral = (text: string, at: number): Token | undefined => {
  literalPattern.lastIndex = at
  const end = literalPattern.test(text) ? literalPattern.lastIndex : at
  // The literal must end the word: `01` would parse as the number 0 and a stray 1, but the sender wrote 01.
  if (end > at && (isWordEnd(text.charCodeAt(end)) || wordAt(text, end) === undefined)) {
    return { value: JSON.parse(text.slice(at, end)), end }
  }
  const word = wordAt(text, at)
  return word === undefined ? undefined : faultAt(at, `"${clip(word)}" is not a JSON value`)
}

const wordAt = (text: string, at: number): string | undefined => {
  wordPattern.lastIndex = at
  return wordPattern.exec(text)?.[0]
}

/** Whether a character is one of those that usually follow a value: `,`, `}`, `]` or a space. */
const isWordEnd = (code: number): boolean => code === 0x2c || code === 0x7d || code === 0x5d || code === 0x20

/** The character at an offset, for fault texts. */
export const describe = (text: string, offset: number): string => {
  const code = text.codePointAt(offset)
  return code === undefined ? "the end of the body" : `"${clip(String.fromCodePoint(code))}"`
}

interface Extent {
  readonly end: number
  readonly colons: number
}

interface Scan extends Extent {
  /** Whether the object or list is closed. If so, `end` is the offset after it; otherwise it is the end of the scan. */
  readonly isClosed: boolean
  readonly isTooDeep: boolean
  /** The complete entries of the outermost object or list, if it is not closed. */
  readonly completeEntries: Extent | undefined
}

const extentOf = (end: number, colons: number): Extent | undefined => end < 0 ? undefined : { end, colons }

/**
 * Counts nesting and colons outside strings, from an offset to the end of the object or list that begins there; with `depth` 1, to the end
 * of the object or list around the offset.
 */
export const scan = (text: string, maxDepth: number, from = 0, to = text.length, depth = 0): Scan => {
  let colons = 0
  // Two numbers, because creating an object for each comma is slow.
  let entriesEnd = -1
  let entriesColons = 0
  let level = depth
  for (let at = from; at < to; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = closingQuote(text, at)
        break
      case 0x2c: // ,
        if (level === 1) {
          entriesEnd = at
          entriesColons = colons
        }
        break
      case 0x3a: // :
        colons++
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++level > maxDepth) {
          const completeEntries = extentOf(entriesEnd, entriesColons)
          return { colons, end: at, isClosed: false, isTooDeep: true, completeEntries }
        }
        break
      case 0x5d: // ]
      case 0x7d: // }
        if (--level === 0) {
          const completeEntries = extentOf(entriesEnd, entriesColons)
          return { colons, end: at + 1, isClosed: true, isTooDeep: false, completeEntries }
        }
    }
  }
  const completeEntries = extentOf(entriesEnd, entriesColons)
  return { colons, end: Math.min(to, text.length), isClosed: false, isTooDeep: false, completeEntries }
}

/** The offset of the quote that closes the string opened at `open`, or the end of the text. */
const closingQuote = (text: string, open: number): number => {
  for (let close = text.indexOf("\"", open + 1); close >= 0; close = text.indexOf("\"", close + 1)) {
    let backslashes = 0
    while (text.charCodeAt(close - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return close
  }
  return text.length
}

/** The number of keys in a tree. It does not recurse, so a deep tree cannot overflow the call stack. */
export const countKeys = (root: unknown): number => {
  let keys = 0
  const pending: Array<unknown> = [root]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value !== "object" || value === null) continue
    const members: ReadonlyArray<unknown> = Array.isArray(value) ? value : Object.values(value)
    if (!Array.isArray(value)) keys += members.length
    for (const member of members) if (typeof member === "object") pending.push(member)
  }
  return keys
}
