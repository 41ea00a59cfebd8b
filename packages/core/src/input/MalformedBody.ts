/**
 * A body that cannot be read: what is wrong, and at which line and column of it (D2.5, D2.6; HTTP 400).
 *
 * Guarantee: texts are for integrators, and echo at most 100 characters of what was sent at each place.
 */
import type { FieldError } from "../values/Errors.ts"

/** A place in a text: both count from 1, columns in characters (code points). */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A body that cannot be read. */
export interface MalformedBody extends Position {
  readonly _tag: "MalformedBody"
  /** What was found and what is expected. */
  readonly detail: string
  /** The same as field errors, never empty: one per duplicate key, else one for the body as a whole (path `""`). */
  readonly errors: ReadonlyArray<FieldError>
}

/** Makes a {@link MalformedBody}; without `errors` the fault is of the body as a whole. */
export const malformed = (
  { line, column }: Position,
  detail: string,
  errors?: ReadonlyArray<FieldError>
): MalformedBody => ({
  _tag: "MalformedBody",
  line,
  column,
  detail,
  errors: errors ?? [{ path: "", detail: `line ${line}, column ${column}: ${detail}` }]
})

/** The place of a UTF-16 offset in a text. Lines end with `\n`, `\r\n` or `\r`. Linear: for errors only. */
export const positionAt = (text: string, offset: number): Position => positions(text)(offset)

/** Like {@link positionAt} for many offsets in ascending order, in one pass over the text. */
export const positions = (text: string): (offset: number) => Position => {
  let line = 1
  let column = 1
  let at = 0
  return (offset) => {
    for (; at < offset; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) {
        line++
        column = 1
      } else if (code < 0xdc00 || code > 0xdfff) {
        // A low surrogate is the second half of a character that is already counted.
        column++
      }
    }
    return { line, column }
  }
}
