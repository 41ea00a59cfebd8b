/**
 * A JSON body, from bytes to an untyped value (D2.6).
 *
 * Guarantee: what is accepted is JSON (RFC 8259) in valid UTF-8, without a duplicate key at any level and not nested
 * deeper than the limit, and the value is exactly what `JSON.parse` makes of it: a `__proto__` key is an own property
 * like any other, numbers beyond a double's range are `Infinity`, lone surrogates from escapes are kept; the schema
 * judges those. Everything else is refused with line and column. Time and memory are linear in the size of the body.
 */
import { formatPath, maxFaults } from "@dockline/core/DocumentCheck"
import { Result } from "effect"
import { defaultLimits } from "./BodyLimits.ts"
import type { BodyLimits } from "./BodyLimits.ts"
import * as Charset from "./Charset.ts"
import * as JsonSyntax from "./JsonSyntax.ts"
import { malformed, positionAt, positions } from "./MalformedBody.ts"
import type { MalformedBody } from "./MalformedBody.ts"

/** Reads a JSON body. */
export const parse = (
  bytes: Uint8Array,
  limits: BodyLimits = defaultLimits
): Result.Result<unknown, MalformedBody> => {
  const decoded = Charset.decode(bytes, "utf-8")
  if (Result.isFailure(decoded)) return looksLikeUtf16(bytes) ? Result.fail(utf16) : decoded
  const text = decoded.success
  const { colons, tooDeepAt } = scan(text, limits.maxDepth)
  if (tooDeepAt !== undefined) {
    return Result.fail(
      malformed(positionAt(text, tooDeepAt), `the body is nested over ${limits.maxDepth} levels deep`)
    )
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // V8's message often has no position and echoes the input; the slow reader says it better.
    const { fault } = JsonSyntax.examine(text)
    return Result.fail(
      malformed(positionAt(text, fault?.offset ?? 0), fault?.detail ?? "the body is not JSON")
    )
  }
  // Every colon outside strings belongs to a key; where the tree has fewer keys, some key replaced another.
  return colons === countKeys(value) ? Result.succeed(value) : Result.fail(duplicates(text))
}

interface Scan {
  readonly colons: number
  readonly tooDeepAt: number | undefined
}

/** Counts nesting and colons outside strings; needs no valid JSON, so that depth is bounded before any parser. */
const scan = (text: string, maxDepth: number): Scan => {
  let depth = 0
  let colons = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = closingQuote(text, at)
        break
      case 0x3a: // :
        colons++
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth) return { colons, tooDeepAt: at }
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
    }
  }
  return { colons, tooDeepAt: undefined }
}

/** The offset of the quote that closes the string opened at `open`, or of the end of the text. */
const closingQuote = (text: string, open: number): number => {
  let close = open
  for (;;) {
    close = text.indexOf("\"", close + 1)
    if (close < 0) return text.length
    let backslashes = 0
    while (text.charCodeAt(close - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return close
  }
}

/** The number of keys in a tree; with a stack of its own rather than the call stack. */
const countKeys = (root: unknown): number => {
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

const duplicates = (text: string): MalformedBody => {
  const position = positions(text)
  // More are not listed: an answer must not outgrow the body that it answers.
  const found = JsonSyntax.examine(text).duplicates.slice(0, maxFaults).map(({ offset, path }) => ({
    position: position(offset),
    path: formatPath(path)
  }))
  const [first] = found
  if (first === undefined) return malformed({ line: 1, column: 1 }, "a key is given twice")
  return malformed(
    first.position,
    `the key ${first.path} is given twice`,
    found.map(({ path, position: { line, column } }) => ({
      path,
      detail: `is given twice in the same object; the second is at line ${line}, column ${column}`
    }))
  )
}

const utf16 = malformed({ line: 1, column: 1 }, "the body is UTF-16; JSON must be UTF-8")

const looksLikeUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
