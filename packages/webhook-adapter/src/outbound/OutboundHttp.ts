/**
 * Port: calling customers over HTTP. `UndiciHttp` is its implementation.
 *
 * Guarantee: only addresses that the outbound policy allows are called, for whatever URL (D9.7). A call ends within
 * its time limit, reads 64 KiB of the answer at most, follows no redirect, and puts its request on the wire once.
 */
import { Context, Data, Effect, Layer } from "effect"

/** The most bytes of an answer's body that are read (D9.7). */
export const bodyLimit = 64 * 1024

/** A POST. */
export interface OutboundRequest {
  /** Absolute; without user info. */
  readonly url: string
  /** Names and values as they go on the wire; `Host` and `Content-Length` are added. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** From the call to the end of the answer, in milliseconds; the configured limit unless given. */
  readonly timeoutMillis?: number
}

/** An answer, once its headers are complete. Whatever happens to the body then does not undo the status. */
export interface OutboundAnswer {
  /** From 200 to 599, say; interim answers are not told. */
  readonly status: number
  /** By lower-case name; several of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** What was read of the body, not decoded: at most {@link bodyLimit}. */
  readonly body: Uint8Array
  /** Why the body could not be read to its end; `""` when it was. */
  readonly error: string
}

/** There is no answer: not allowed, no connection, no complete headers within the time. */
export class OutboundFailure extends Data.TaggedError("OutboundFailure")<{
  /** Why, in words for operators. */
  readonly error: string
}> {
  override get message(): string {
    return this.error
  }
}

/** What calls customers. */
export class OutboundHttp extends Context.Service<OutboundHttp, {
  /** Sends a POST. Interrupting it aborts the request and its connection. */
  readonly post: (request: OutboundRequest) => Effect.Effect<OutboundAnswer, OutboundFailure>
}>()("@dockline/webhook-adapter/OutboundHttp") {
  /**
   * Calls by a plain function, such as one over a proxy of the embedding service. Which addresses may be called is then
   * that function's to judge; time and size are limited here all the same.
   *
   * ```ts
   * OutboundHttp.layerPromise(async ({ url, headers, body }, signal) => {
   *   const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" })
   *   return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.bytes() }
   * })
   * ```
   */
  static readonly layerPromise = (
    post: OwnPost,
    { timeoutMillis = defaultTimeoutMillis }: { readonly timeoutMillis?: number } = {}
  ): Layer.Layer<OutboundHttp> =>
    Layer.succeed(OutboundHttp, {
      post: (request) => {
        const millis = request.timeoutMillis ?? timeoutMillis
        return Effect.tryPromise({
          try: async (signal) => limited(await post({ ...request, timeoutMillis: millis }, signal)),
          catch: (error) =>
            new OutboundFailure({ error: error instanceof Error ? error.message : String(error) })
        }).pipe(
          Effect.timeoutOrElse({
            duration: millis,
            orElse: () => Effect.fail(new OutboundFailure({ error: `no answer within ${millis / 1000} s` }))
          })
        )
      }
    })
}

/** A function of one's own that sends a POST: it rejects when there is no answer, and gives up when the signal says so. */
export type OwnPost = (
  request: OutboundRequest & { readonly timeoutMillis: number },
  signal: AbortSignal
) => Promise<OwnAnswer>

/** An answer as {@link OwnPost} tells it. */
export interface OwnAnswer {
  /** From 200 to 599. */
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
}

const defaultTimeoutMillis = 15_000

const limited = ({ status, headers = {}, body = "" }: OwnAnswer): OutboundAnswer => {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new RangeError(`the status of an answer must be 200 to 599, not ${status}`)
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: bytes.subarray(0, bodyLimit),
    error: bytes.byteLength > bodyLimit
      ? `the answer is longer than ${bodyLimit / 1024} KiB; the rest was not read`
      : ""
  }
}
