/**
 * Reads the tokens of a JSON text. A token is accepted exactly when `JSON.parse` accepts it; otherwise the fault says
 * where and why.
 */
import { clip } from "../../values/Clip.ts"
import { closingQuote } from "./JsonScan.ts"

/** The first place where a text is not JSON. */
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

/** Whether a short string, as most keys are, holds nothing that is escaped or has to be. */
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
/** A run of characters that was probably meant as one value: one more than is echoed, so that the echo shows the cut. */
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

/** Whether it is what mostly follows a value: `,`, `}`, `]` or a space. */
const isWordEnd = (code: number): boolean => code === 0x2c || code === 0x7d || code === 0x5d || code === 0x20

/** The character at an offset, for fault texts. */
export const describe = (text: string, offset: number): string => {
  const code = text.codePointAt(offset)
  return code === undefined ? "the end of the body" : `"${clip(String.fromCodePoint(code))}"`
}
