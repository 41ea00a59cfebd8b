/**
 * Reads a JSON text from bytes to an untyped value (D2.6), for all interfaces.
 *
 * Guarantee: a text that is read whole is JSON (RFC 8259), in valid UTF-8 if it comes as bytes, without a duplicate key at any level and
 * not nested deeper than {@link maxDepth}. Its value equals the result of `JSON.parse`, except that a long text with a shape may lose
 * fields that are `null`. Other text is refused with line and column, and so is an object with more than 16,384 keys in a long text. Time
 * and memory are linear in the size of the text. {@link read} reads a long text in slices, and only as far as it can fit its shape.
 */
import { Effect, Result } from "effect"
import type { FieldError } from "../values/CatalogueError.ts"
import { formatPath, maxFaults } from "./Faults.ts"
import { countKeys, scan } from "./internal/JsonSyntax.ts"
import * as JsonSyntax from "./internal/JsonSyntax.ts"
import type { Shape } from "./Shape.ts"
import * as Slices from "./Slices.ts"

/** A position in a text. Both numbers count from 1, columns in characters (code points). */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface MalformedBody extends Position {
  readonly _tag: "MalformedBody"
  /** A description of the fault, such as the expected and the actual text. */
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

/** The position of a UTF-16 offset in a text. Lines end with `\n`, `\r\n` or `\r`. Linear, so use it for errors only. */
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

type UnicodeCharset = "utf-8" | "utf-16le" | "utf-16be"

interface Decoder {
  readonly decode: (bytes?: Uint8Array, options?: { readonly stream: boolean }) => string
}

/** Core includes the types of no platform, so it declares the globals that it uses. */
declare const TextDecoder: new(label: string, options: { readonly fatal: boolean }) => Decoder

/** Decodes bytes and drops a byte order mark of the charset. */
export const decode = (
  bytes: Uint8Array,
  charset: UnicodeCharset = "utf-8"
): Result.Result<string, MalformedBody> => {
  const text = tryDecode(new TextDecoder(charset, { fatal: true }), bytes, false)
  return text === undefined ? Result.fail(locate(bytes, charset)) : Result.succeed(text)
}

const tryDecode = (decoder: Decoder, bytes: Uint8Array, partial: boolean): string | undefined => {
  try {
    return decoder.decode(bytes, { stream: partial })
  } catch {
    // `decode` with a known charset throws only for invalid bytes.
    return undefined
  }
}

/** The bytes that are decoded at a time while searching for a fault. */
const piece = 16 * 1024

/** Finds the first invalid byte: first the piece that does not decode, then the byte in it. */
const locate = (bytes: Uint8Array, charset: UnicodeCharset): MalformedBody => {
  const pieces = decodeUpTo(bytes, charset, bytes.length, piece)
  const { text, valid } = decodeUpTo(bytes, charset, pieces.valid, 1)
  const byte = bytes[valid]
  const detail = byte === undefined
    ? "the body ends within a character"
    : `the byte 0x${byte.toString(16).padStart(2, "0").toUpperCase()} is out of place`
  return malformed(positionAt(text, text.length), `the body is not valid ${charset.toUpperCase()}: ${detail}`)
}

/** Decodes up to the first fault: in pieces up to `from`, then `step` bytes at a time. */
const decodeUpTo = (bytes: Uint8Array, charset: UnicodeCharset, from: number, step: number) => {
  const decoder = new TextDecoder(charset, { fatal: true })
  let text = ""
  let valid = 0
  while (valid < bytes.length) {
    const end = Math.min(valid + (valid < from ? piece : step), bytes.length)
    const more = tryDecode(decoder, bytes.subarray(valid, end), true)
    if (more === undefined) break
    text += more
    valid = end
  }
  return { text, valid }
}

/** The deepest nesting of objects and lists, or of XML elements; the outermost is level 1 (D2.6). */
export const maxDepth = 64

/**
 * A text of at most this many characters is read completely and without interruption. At least this much of a longer text is read, even if
 * the text cannot fit its shape or has duplicate keys, so that faults that recur in a document are reported together.
 */
export const longText = 64 * 1024

/** The result of reading a text. */
export interface Read {
  readonly value: unknown
  /** Whether the text was read completely; reading ends early once the text cannot fit its shape. */
  readonly isWhole: boolean
}

/** Reads a text at once, to its end, however long it is. Use it where the length is bounded. */
export const parse = (json: Uint8Array | string): Result.Result<unknown, MalformedBody> =>
  Result.flatMap(toText(json), parseText)

/** Reads a text, in slices if it is long, and only as far as it can still fit the shape. */
export const read = (json: Uint8Array | string, shape?: Shape): Effect.Effect<Read, MalformedBody> =>
  Effect.flatMap(Effect.suspend(() => Slices.runInTurn(readInSteps(json, shape))), Effect.fromResult)

/** Like {@link read}, as steps of a longer computation (`input/Slices`). */
export function* readInSteps(
  json: Uint8Array | string,
  shape?: Shape
): Slices.Steps<Result.Result<Read, MalformedBody>> {
  const isLong = json.length > longText
  if (isLong) yield Slices.sliceCost
  const decoding = toText(json)
  if (Result.isFailure(decoding)) return Result.fail(decoding.failure)
  const text = decoding.success
  if (isLong) yield Slices.sliceCost
  if (text.length <= longText) return Result.map(parseText(text), (value) => ({ value, isWhole: true }))
  return judge(text, yield* JsonSyntax.read(text, { maxDepth, shape, futileUntil: longText }))
}

const toText = (json: Uint8Array | string): Result.Result<string, MalformedBody> => {
  if (typeof json === "string") return Result.succeed(json)
  const text = decode(json)
  return Result.isFailure(text) && looksLikeUtf16(json) ? Result.fail(utf16) : text
}

const parseText = (text: string): Result.Result<unknown, MalformedBody> => {
  const { colons, end, isTooDeep } = scan(text, maxDepth)
  if (isTooDeep) {
    return Result.fail(malformed(positionAt(text, end), JsonSyntax.tooDeep(maxDepth)))
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // V8's message often has no position and quotes the input; `JsonSyntax` reports the fault precisely.
    return Result.map(examine(text), ({ value }) => value)
  }
  // Every colon outside strings belongs to a key, so a tree with fewer keys has lost duplicates.
  return colons === countKeys(value)
    ? Result.succeed(value)
    : Result.map(examine(text), ({ value }) => value)
}

const examine = (text: string): Result.Result<Read, MalformedBody> =>
  judge(text, Slices.atOnce(JsonSyntax.read(text, { maxDepth })))

const judge = (
  text: string,
  { duplicates, fault, isWhole, value }: JsonSyntax.Reading
): Result.Result<Read, MalformedBody> => {
  if (fault !== undefined) return Result.fail(malformed(positionAt(text, fault.offset), fault.detail))
  return duplicates.length > 0
    ? Result.fail(givenTwice(text, duplicates))
    : Result.succeed({ value, isWhole })
}

const givenTwice = (text: string, duplicates: JsonSyntax.Reading["duplicates"]): MalformedBody => {
  const position = positions(text)
  // The list is limited, so that an answer stays small however many duplicates a body has.
  const faults = duplicates.slice(0, maxFaults).map(({ offset, path }) => ({
    position: position(offset),
    path: formatPath(path)
  }))
  const [first] = faults
  return malformed(
    first!.position,
    `the key ${first!.path} is given twice`,
    faults.map(({ path, position: { line, column } }) => ({
      path,
      detail: `is given twice in the same object; the second is at line ${line}, column ${column}`
    }))
  )
}

const utf16 = malformed({ line: 1, column: 1 }, "the body is UTF-16; JSON must be UTF-8")

const looksLikeUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
