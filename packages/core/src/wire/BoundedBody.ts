/**
 * Reads the whole body of a request up to a limit: at most the limit and one chunk are held, whatever a client announces
 * or sends. A body that is announced larger is refused unread.
 */
import { Effect, Stream } from "effect"
import { PayloadTooLarge } from "../values/RequestErrors.ts"

/** The parts of a request that concern its body; header names are in lower case. */
export interface BodyRequest<E> {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The request of the platform: a web `Request` without a body has no stream to read. */
  readonly source: object
  readonly stream: Stream.Stream<Uint8Array, E>
}

/** Reads at most `limit` bytes; none when the request has no body. Call it once for each request. */
export const read = Effect.fnUntraced(function*<E>(
  { headers, source, stream }: BodyRequest<E>,
  limit: number
): Effect.fn.Return<Uint8Array, PayloadTooLarge | E> {
  // A missing or malformed length gives NaN, which exceeds no limit; the bytes are counted anyway.
  if (Number(headers["content-length"] || Number.NaN) > limit) return yield* new PayloadTooLarge({ limit })
  if ("body" in source && source.body === null) return new Uint8Array(0)
  const chunks: Array<Uint8Array> = []
  let size = 0
  yield* Stream.runForEachArray(stream, (batch) => {
    for (const chunk of batch) {
      size += chunk.byteLength
      if (size > limit) return Effect.fail(new PayloadTooLarge({ limit }))
      chunks.push(chunk)
    }
    return Effect.void
  })
  return joined(chunks, size)
})

const joined = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}
