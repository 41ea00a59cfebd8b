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

/** A word, here with `/` so that a media type is one; then `= word` or `= "quoted"`. */
const parameterPattern =
  /^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z/-]+)[ \t]*(?:=[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z/-]*)|"((?:[^"\\]|\\.)*)"))?[ \t]*$/s

const parseParameter = (text: string): HeaderParameter => {
  const match = parameterPattern.exec(text)
  if (match === null) return malformed
  const [, name = "", token, quoted] = match
  return { name: name.toLowerCase(), value: quoted?.replaceAll(/\\(.)/gs, "$1") ?? token ?? "" }
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
