/**
 * Decodes bytes into text strictly and in linear time: bytes that are invalid in their charset are refused with the place
 * of the first fault, never replaced. The text contains no lone surrogate and no byte order mark.
 */
import { Result } from "effect"
import { malformed, positionAt } from "./MalformedBody.ts"
import type { MalformedBody } from "./MalformedBody.ts"

type UnicodeCharset = "utf-8" | "utf-16le" | "utf-16be"

interface Decoder {
  readonly decode: (bytes?: Uint8Array, options?: { readonly stream: boolean }) => string
}

/** Core names no platform, so it declares the globals that it uses. */
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
