/**
 * The grammar that `Content-Type`, `Accept` and `Prefer` share: a comma-separated list of elements, each a word with
 * an optional value, followed by parameters (RFC 9110 section 5.6, RFC 7240 section 2).
 *
 * Guarantee: linear in the length of the header, never throws; commas and semicolons inside quoted strings do not
 * separate; an element that breaks the grammar is marked, and the elements after it are still read.
 */

/** One parameter or preference: its name in lower case, its value unquoted and as written (`""` when absent). */
export interface HeaderParameter {
  readonly name: string
  readonly value: string
}

/** One element of a list header. */
export interface HeaderElement extends HeaderParameter {
  /** Whether the element follows the grammar; when not, `parameters` holds what was read before the fault. */
  readonly wellFormed: boolean
  readonly parameters: ReadonlyArray<HeaderParameter>
}

/** Reads a header value; several header lines are joined with `, ` before (as Node does). */
export const parse = (header: string): ReadonlyArray<HeaderElement> =>
  split(header, ",").filter((text) => text.trim() !== "").map(parseElement)

const parseElement = (text: string): HeaderElement => {
  // An empty parameter (`text/xml;` or `;;`) is allowed by RFC 9110.
  const [first = "", ...rest] = split(text, ";")
  const parts = [first, ...rest.filter((part) => part.trim() !== "")].map(parseParameter)
  const [head = malformed, ...parameters] = parts
  return {
    ...(head === malformed ? { name: "", value: "" } : head),
    wellFormed: !parts.includes(malformed),
    parameters: parameters.filter((parameter) => parameter !== malformed)
  }
}

const malformed: HeaderParameter = { name: "", value: "" }

/** A word, here with `/` so that a media type is one. */
const wordPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z/-]*$/

const quotedPattern = /^"((?:[^"\\]|\\.)*)"$/s

/**
 * A word, then `= word` or `= "quoted"`. Blanks are cut off beforehand: a pattern that allows them on both sides of what
 * may be absent tries every way to share them.
 */
const parseParameter = (text: string): HeaderParameter => {
  const end = text.indexOf("=")
  const name = withoutBlanks(end < 0 ? text : text.slice(0, end))
  const given = end < 0 ? "" : withoutBlanks(text.slice(end + 1))
  if (name === "" || !wordPattern.test(name)) return malformed
  if (wordPattern.test(given)) return { name: name.toLowerCase(), value: given }
  const quoted = quotedPattern.exec(given)?.[1]
  return quoted === undefined
    ? malformed
    : { name: name.toLowerCase(), value: quoted.replaceAll(/\\(.)/gs, "$1") }
}

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t"

const withoutBlanks = (text: string): string => {
  let [start, end] = [0, text.length]
  while (isBlank(text[start])) start++
  while (end > start && isBlank(text[end - 1])) end--
  return text.slice(start, end)
}

/** Splits at a separator that stands outside quoted strings. */
const split = (text: string, separator: string): Array<string> => {
  const parts: Array<string> = []
  let start = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (quoted && character === "\\") at++
    else if (character === "\"") quoted = !quoted
    else if (character === separator && !quoted) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}
