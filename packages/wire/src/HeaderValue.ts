/**
 * Parses the grammar that `Content-Type`, `Accept` and `Prefer` share: a comma-separated list of elements, each a word with an optional
 * value, followed by parameters (RFC 9110 section 5.6, RFC 7240 section 2).
 *
 * Guarantee: parsing is linear in the length of the header and never throws. An element that violates the grammar is marked, and the
 * elements after it are still read.
 */

/** A parameter or preference: its name in lower case, and its value without quotes, in its original case (`""` if absent). */
export interface HeaderParameter {
  readonly name: string
  readonly value: string
}

export interface HeaderElement extends HeaderParameter {
  /** Whether the element follows the grammar; otherwise `parameters` has the parameters before the fault. */
  readonly wellFormed: boolean
  readonly parameters: ReadonlyArray<HeaderParameter>
}

/** Reads a header value. The caller joins several header lines with `, `, as Node does. */
export const parse = (header: string): ReadonlyArray<HeaderElement> =>
  splitAt(header, ",").filter((text) => text.trim() !== "").map(parseElement)

const parseElement = (text: string): HeaderElement => {
  // An empty parameter (`text/xml;` or `;;`) is allowed by RFC 9110.
  const [first = "", ...rest] = splitAt(text, ";")
  const parts = [first, ...rest.filter((part) => part.trim() !== "")].map(parseParameter)
  const [head = malformed, ...parameters] = parts
  return {
    ...(head === malformed ? { name: "", value: "" } : head),
    wellFormed: !parts.includes(malformed),
    parameters: parameters.filter((parameter) => parameter !== malformed)
  }
}

const malformed: HeaderParameter = { name: "", value: "" }

/** A word; it may contain `/`, so that a media type is a word. */
const wordPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z/-]*$/

const quotedPattern = /^"((?:[^"\\]|\\.)*)"$/s

/**
 * Reads a word, then `= word` or `= "quoted"`. Blanks are removed first, because a pattern with optional blanks on both sides of an
 * optional part backtracks quadratically.
 */
const parseParameter = (text: string): HeaderParameter => {
  const end = text.indexOf("=")
  const name = withoutBlanks(end < 0 ? text : text.slice(0, end))
  const value = end < 0 ? "" : withoutBlanks(text.slice(end + 1))
  if (name === "" || !wordPattern.test(name)) return malformed
  if (wordPattern.test(value)) return { name: name.toLowerCase(), value }
  const string = quotedPattern.exec(value)?.[1]
  return string === undefined
    ? malformed
    : { name: name.toLowerCase(), value: string.replaceAll(/\\(.)/gs, "$1") }
}

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t"

const withoutBlanks = (text: string): string => {
  let [start, end] = [0, text.length]
  while (isBlank(text[start])) start++
  while (end > start && isBlank(text[end - 1])) end--
  return text.slice(start, end)
}

/** Splits at separators outside quoted strings. */
const splitAt = (text: string, separator: string): Array<string> => {
  const parts: Array<string> = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isQuoted && character === "\\") at++
    else if (character === "\"") isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}
