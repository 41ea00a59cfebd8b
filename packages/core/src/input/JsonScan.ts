/**
 * Scans the structure of a JSON text without parsing it: its depth and its number of keys. A scan is linear, accepts
 * invalid JSON, and uses no call stack, so depth is bounded before any parser runs.
 */

export interface Scan {
  readonly colons: number
  /** The end of the outermost object or list, or of the scan. */
  readonly end: number
  readonly isClosed: boolean
  readonly isTooDeep: boolean
}

/** Counts nesting and colons outside strings, from an offset to the end of the object or list there, or to `to`. */
export const scan = (text: string, maxDepth: number, from = 0, to = text.length): Scan => {
  let depth = 0
  let colons = 0
  for (let at = from; at < to; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = closingQuote(text, at)
        break
      case 0x3a: // :
        colons++
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth) return { colons, end: at, isClosed: false, isTooDeep: true }
        break
      case 0x5d: // ]
      case 0x7d: // }
        if (--depth === 0) return { colons, end: at + 1, isClosed: true, isTooDeep: false }
    }
  }
  return { colons, end: Math.min(to, text.length), isClosed: false, isTooDeep: false }
}

export interface Entries {
  readonly end: number
  readonly colons: number
}

/**
 * Finds the complete entries of a list from the beginning of an entry up to an offset; `undefined` when no entry ends
 * there.
 */
export const scanEntries = (
  text: string,
  maxDepth: number,
  from: number,
  to: number
): Entries | undefined => {
  let depth = 0
  let colons = 0
  let entries: Entries | undefined
  for (let at = from; at < to; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = closingQuote(text, at)
        break
      case 0x2c: // ,
        if (depth === 0) entries = { end: at, colons }
        break
      case 0x3a: // :
        colons++
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth) return entries
        break
      case 0x5d: // ]
      case 0x7d: // }
        if (--depth < 0) return { end: at, colons }
    }
  }
  return entries
}

/** The offset of the quote that closes the string opened at `open`, or the end of the text. */
export const closingQuote = (text: string, open: number): number => {
  for (let close = text.indexOf("\"", open + 1); close >= 0; close = text.indexOf("\"", close + 1)) {
    let backslashes = 0
    while (text.charCodeAt(close - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return close
  }
  return text.length
}

/** The number of keys in a tree; uses a stack of its own instead of the call stack. */
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
