/**
 * Random secrets and hashes, from the Web Crypto API that every runtime has.
 */
import { Effect } from "effect"

/** Core names no platform, so it declares the globals that it uses. */
declare const crypto: {
  readonly randomUUID: () => string
  readonly getRandomValues: (bytes: Uint8Array) => Uint8Array
  readonly subtle: { readonly digest: (algorithm: string, data: Uint8Array) => Promise<ArrayBuffer> }
}
declare const btoa: (binary: string) => string
declare const TextEncoder: new() => { readonly encode: (text: string) => Uint8Array }

/** A random UUID (version 4), in lower case. */
export const randomId: Effect.Effect<string> = Effect.sync(() => crypto.randomUUID())

/** This many random bytes in base64, with padding. */
export const randomBase64 = (bytes: number): Effect.Effect<string> =>
  Effect.sync(() => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes)))))

/** Base64 as base64url (RFC 4648, section 5), without padding. */
export const base64Url = (base64: string): string =>
  base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

/** This many random bytes in base64url, without padding. */
export const randomBase64Url = (bytes: number): Effect.Effect<string> =>
  Effect.map(randomBase64(bytes), base64Url)

/** A text in UTF-8. */
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Bytes in lower-case hexadecimal. */
export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** The digest of bytes. */
export const digest = (algorithm: "SHA-1" | "SHA-256", bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.map(Effect.promise(() => crypto.subtle.digest(algorithm, bytes)), (digest) => new Uint8Array(digest))

/** The SHA-256 of a text in UTF-8, in lower-case hexadecimal. */
export const sha256 = (text: string): Effect.Effect<string> => Effect.map(digest("SHA-256", utf8(text)), hex)
