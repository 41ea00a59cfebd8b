/**
 * Makes text from elsewhere safe to show on a terminal: one line, without characters that move the cursor, change
 * colours or reorder text.
 */

/** C0 and C1 controls, line and paragraph separators, and marks that change the direction of text. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Text on one line. */
export const printable = (text: string): string =>
  text.replace(unprintable, (character) => short[character] ?? escape(character))

/** Text of several lines, whose ends stay. */
export const printableLines = (text: string): string =>
  text.replace(
    unprintable,
    (character) => /[\r\n]/.test(character) ? character : short[character] ?? escape(character)
  )

/** A value as JSON, on one line or indented, with the same characters escaped; they occur only in its strings. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    unprintable,
    (character) => character === "\n" ? "\n" : escape(character)
  )
