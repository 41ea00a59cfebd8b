/**
 * Text from elsewhere (names, answers of customers) as a terminal can show it.
 *
 * Guarantee: one line, whatever it holds; nothing in it moves the cursor, changes colours or reorders what stands
 * around it.
 */

/** C0 and C1 controls, line and paragraph separators, and the marks that change the direction of what follows. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The text with what is no character to look at written as an escape. */
export const printable = (text: string): string =>
  text.replace(
    unprintable,
    (character) => short[character] ?? escaped(character)
  )

/** A value as JSON, in one line or indented, with the same characters escaped: they stand in its texts alone. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    unprintable,
    (character) => character === "\n" ? "\n" : escaped(character)
  )
