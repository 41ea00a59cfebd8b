/**
 * Reads the whole body of a request up to a limit. At most the limit and one chunk are read, whatever a client announces or sends. A
 * body whose announced length exceeds the limit is refused unread. While a request waits for its body, it does not count as work
 * (`RequestLimits.Aside`), so slow bodies do not block other work, and requests whose bodies end together continue in turn.
 */
import { Aside, overloaded, waitAside } from "@dockline/core/access/RequestLimits"
import { BodyAlreadyRead, PayloadTooLarge } from "@dockline/core/values/RequestErrors"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { Effect, Stream } from "effect"

/** The parts of a request that concern its body; header names are in lower case. */
export interface BodyRequest<E> {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The request of the platform. A web `Request` without a body has no stream to read. */
  readonly source: object
  readonly stream: Stream.Stream<Uint8Array, E>
}

/** Reads at most `limit` bytes; none when the request has no body. Call it once for each request. */
export const read = <E>(
  request: BodyRequest<E>,
  limit: number
): Effect.Effect<Uint8Array, BodyAlreadyRead | Overloaded | PayloadTooLarge | E> =>
  Effect.suspend(() => {
    // A missing or malformed length gives NaN, which exceeds no limit; the bytes are counted anyway.
    const length = Number(request.headers["content-length"] || Number.NaN)
    if (length > limit) return Effect.fail(new PayloadTooLarge({ limit }))
    if ("bodyUsed" in request.source && request.source.bodyUsed === true) return alreadyRead
    // A body that breaks off fails. So if a body was announced and is empty, other code has already read it.
    return Effect.flatMap(
      readWhole(request, limit),
      (whole) => whole.byteLength === 0 && length > 0 ? alreadyRead : Effect.succeed(whole)
    )
  })

const alreadyRead = Effect.fail(new BodyAlreadyRead())

const readWhole = <E>(
  request: BodyRequest<E>,
  limit: number
): Effect.Effect<Uint8Array, Overloaded | PayloadTooLarge | E> => {
  const { headers, source } = request
  if ("body" in source && source.body === null) return Effect.succeed(new Uint8Array(0))
  const readInChunks = () => waitAside(source, readStream(request, limit))
  if (!isPlainNodeRequest(source, headers)) return readInChunks()
  return Effect.flatMap(
    readEvents(source),
    (whole) => whole === undefined ? readInChunks() : Effect.succeed(whole)
  )
}

const readStream = Effect.fnUntraced(function*<E>(
  { stream }: BodyRequest<E>,
  limit: number
): Effect.fn.Return<Uint8Array, PayloadTooLarge | E> {
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
  return concat(chunks)
})

/** A request of Node. This package depends on no platform, so it declares the members that it uses. */
interface NodeRequest {
  readonly destroyed: boolean
  readonly on: (event: string, listener: (chunk: Uint8Array) => void) => NodeRequest
  readonly off: (event: string, listener: (chunk: Uint8Array) => void) => NodeRequest
}

/**
 * Whether the body can be read from the events of a request of Node: Node itself checks the announced length of a body. Only the stream
 * sends `100 Continue` to a client that expects it.
 */
const isPlainNodeRequest = (source: object, headers: BodyRequest<never>["headers"]): source is NodeRequest =>
  "readableFlowing" in source && "destroyed" in source && source.destroyed === false &&
  headers["content-length"] !== undefined && headers["expect"] === undefined &&
  headers["upgrade"] === undefined

/**
 * Reads the body with some 40 µs less CPU time than the stream; a whole request takes 50 to 90 µs (with a body of 2 KB). `undefined` if the
 * body breaks off, which the stream then reports.
 */
const readEvents = (source: NodeRequest): Effect.Effect<Uint8Array | undefined, Overloaded> =>
  Effect.flatMap(Aside, (beginAside) =>
    Effect.callback((resume) => {
      const chunks: Array<Uint8Array> = []
      const take = (chunk: Uint8Array): void => void chunks.push(chunk)
      const stop = (): void => {
        source.off("data", take).off("end", end).off("error", fail).off("close", fail)
      }
      const giveUp = (): void => {
        stop()
        wait.giveUp()
      }
      const end = (): void => {
        stop()
        wait.end(() => resume(Effect.succeed(concat(chunks))))
      }
      const fail = (): void => {
        giveUp()
        resume(Effect.succeed(undefined))
      }
      const wait = beginAside(source, () => {
        giveUp()
        resume(Effect.fail(overloaded()))
      })
      source.on("end", end).on("error", fail).on("close", fail).on("data", take)
      return Effect.sync(giveUp)
    }))

const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0))
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}
