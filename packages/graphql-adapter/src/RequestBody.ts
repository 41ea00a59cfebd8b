/**
 * Reading a request body as text, up to limits of its size and, for JSON, its nesting.
 *
 * Guarantee: no more than the limit and one chunk is ever held, whatever a client announces or sends. Time is linear
 * in the text.
 */
import { MalformedRequest, PayloadTooLarge } from "@dockline/core/Errors"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** What is wrong with the body as such. */
export const malformed = (detail: string, path = ""): MalformedRequest =>
  new MalformedRequest({ errors: [{ path, detail }] })

/** The client went away midway, and nobody is left to read an answer; or its connection broke. */
export const aborted = malformed("ended before it was complete", "body")

/** The deepest nesting of objects and lists in JSON (D2.6); the outermost one is level 1. */
export const maxDepth = 64

/**
 * Whether JSON text nests deeper than is taken. Needs no valid JSON and no call stack: to be asked before a parser, and
 * whatever walks what it makes, looks at the text.
 */
export const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = closingQuote(text, at)
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
    }
  }
  return false
}

/** The offset of the quote that closes the string opened at `open`, or of the end of the text. */
const closingQuote = (text: string, open: number): number => {
  for (let close = text.indexOf("\"", open + 1); close >= 0; close = text.indexOf("\"", close + 1)) {
    let backslashes = 0
    while (text.charCodeAt(close - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return close
  }
  return text.length
}

/** The refusal of JSON that nests too deep; `path` is the part of the request that holds it. */
export const tooDeep = (path: string): MalformedRequest =>
  malformed(`nests over ${maxDepth} levels deep`, path)

/** Reads the whole body as UTF-8; `""` when the request has none. To be called once a request. */
export const readText = Effect.fnUntraced(function*(
  request: HttpServerRequest,
  limitBytes: number
): Effect.fn.Return<string, PayloadTooLarge | MalformedRequest> {
  // NaN, which exceeds no limit, when nothing sensible is announced: the bytes are counted anyway.
  if (Number(request.headers["content-length"] || Number.NaN) > limitBytes) {
    return yield* new PayloadTooLarge({ limit: limitBytes })
  }
  const { source } = request
  if ("body" in source && source.body === null) return ""
  const chunks: Array<Uint8Array> = []
  let size = 0
  yield* Stream.runForEachArray(request.stream, (batch) => {
    for (const chunk of batch) {
      size += chunk.byteLength
      if (size > limitBytes) return Effect.fail(new PayloadTooLarge({ limit: limitBytes }))
      chunks.push(chunk)
    }
    return Effect.void
  }).pipe(Effect.catchTag("HttpServerError", () => Effect.fail(aborted)))
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)),
    catch: () => malformed("is not UTF-8", "body")
  })
})
