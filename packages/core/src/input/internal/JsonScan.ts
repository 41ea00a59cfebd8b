/**
 * Scans the structure of a JSON text without parsing it: its depth and its number of keys. A scan is linear, accepts invalid JSON, and does
 * not recurse, so depth is bounded before any parser runs.
 */

interface Entries {
  readonly end: number
  readonly colons: number
}

interface Scan extends Entries {
  /** Whether the object or list is closed. If so, `end` is the offset after it; otherwise it is the end of the scan. */
  readonly isClosed: boolean
  readonly isTooDeep: boolean
  /** The complete entries of the outermost object or list, if it is not closed. */
  readonly entries: Entries | undefined
}

const entriesOf = (end: number, colons: number): Entries | undefined => end < 0 ? undefined : { end, colons }

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
          const entries = entriesOf(entriesEnd, entriesColons)
          return { colons, end: at, isClosed: false, isTooDeep: true, entries }
        }
        break
      case 0x5d: // ]
      case 0x7d: // }
        if (--level === 0) {
          const entries = entriesOf(entriesEnd, entriesColons)
          return { colons, end: at + 1, isClosed: true, isTooDeep: false, entries }
        }
    }
  }
  const entries = entriesOf(entriesEnd, entriesColons)
  return { colons, end: Math.min(to, text.length), isClosed: false, isTooDeep: false, entries }
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
