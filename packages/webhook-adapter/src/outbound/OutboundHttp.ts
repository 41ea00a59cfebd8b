/**
 * Port: calls customers over HTTP. `UndiciHttp` implements it.
 *
 * Guarantee: only addresses that the outbound policy permits are called, whatever the URL (D9.7). A call ends within its
 * time limit, reads at most 64 KiB of the answer's body and decodes no more than that, and follows no redirect. It sends its request once, and
 * once more where a kept connection turns out to be closed: then nothing of an answer has come (RFC 9112, 9.3.1).
 */
import { Context, Data, Effect, Layer } from "effect"
import { defaultWebhookConfig } from "../WebhookConfig.ts"

/** The most bytes of an answer's body that are read (D9.7). */
export const bodyLimit = 64 * 1024

/** The error of an answer whose body is longer. */
export const tooLong = `the answer is longer than ${bodyLimit / 1024} KiB; the rest was not read`

/** A POST request to a customer. */
export interface OutboundRequest {
  /** An absolute URL without user info. */
  readonly url: string
  /** Header fields as they are sent; `Host` and `Content-Length` are added. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The time limit from the call to the end of the answer, in milliseconds; the configured limit unless given. */
  readonly timeoutMillis?: number
}

/** An answer whose headers are complete. A failure in its body does not change its status. */
export interface OutboundAnswer {
  /** The final status, from 200 to 599; interim answers are not reported. */
  readonly status: number
  /** By lower-case name; repeated fields are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as far as it was read, without its content encodings: at most {@link bodyLimit} bytes. */
  readonly body: Uint8Array
  /** Why the body could not be read to its end, or not be decoded; `""` when it was. */
  readonly error: string
}

/** There is no answer: the address is not permitted, or no connection or no complete headers came within the time. */
export class OutboundFailure extends Data.TaggedError("OutboundFailure")<{
  /** The reason, for operators. */
  readonly error: string
}> {
  override get message(): string {
    return this.error
  }
}

/** Calls customers. */
export class OutboundHttp extends Context.Service<OutboundHttp, {
  /** Sends a POST. Interrupting it aborts the request and its connection. */
  readonly post: (request: OutboundRequest) => Effect.Effect<OutboundAnswer, OutboundFailure>
}>()("@dockline/webhook-adapter/outbound/OutboundHttp") {
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
    post: PostFunction,
    { timeoutMillis = defaultWebhookConfig.timeoutMillis }: { readonly timeoutMillis?: number } = {}
  ): Layer.Layer<OutboundHttp> =>
    Layer.succeed(OutboundHttp, {
      post: (request) => {
        const millis = request.timeoutMillis ?? timeoutMillis
        return Effect.tryPromise({
          try: async (signal) => clipAnswer(await post({ ...request, timeoutMillis: millis }, signal)),
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

/** Sends a POST: rejects when there is no answer, and gives up when `signal` aborts. */
export type PostFunction = (
  request: OutboundRequest & { readonly timeoutMillis: number },
  signal: AbortSignal
) => Promise<PostAnswer>

/** An answer as {@link PostFunction} tells it. */
export interface PostAnswer {
  /** From 200 to 599. */
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Without its content encodings, as `fetch` has it. */
  readonly body?: Uint8Array | string
}

const clipAnswer = ({ status, headers = {}, body = "" }: PostAnswer): OutboundAnswer => {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new RangeError(`the status of an answer must be 200 to 599, not ${status}`)
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: bytes.subarray(0, bodyLimit),
    error: bytes.byteLength > bodyLimit ? tooLong : ""
  }
}
