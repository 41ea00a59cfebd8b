/**
 * A body that cannot be read, with the line and column of the fault (D2.5, D2.6; HTTP 400). Its texts quote at most 100
 * characters of the body at each place.
 */
import type { FieldError } from "../values/CatalogueError.ts"

/** A place in a text. Both numbers count from 1, columns in characters (code points). */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface MalformedBody extends Position {
  readonly _tag: "MalformedBody"
  /** The found and the expected text. */
  readonly detail: string
  /** The same as field errors, never empty: one for each duplicate key, otherwise one for the whole body (path `""`). */
  readonly errors: ReadonlyArray<FieldError>
}

/** Makes a {@link MalformedBody}; without `errors` the fault concerns the whole body. */
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

/** The place of a UTF-16 offset in a text. Lines end with `\n`, `\r\n` or `\r`. Linear, so use it for errors only. */
export const positionAt = (text: string, offset: number): Position => positions(text)(offset)

/** Like {@link positionAt} for ascending offsets, in one pass over the text. */
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
        // A low surrogate is the second half of a character that has been counted.
        column++
      }
    }
    return { line, column }
  }
}
