/**
 * Port: calling customers over HTTP. `UndiciHttp` is its implementation.
 *
 * Guarantee: only addresses that the outbound policy allows are called, for whatever URL (D9.7). A call ends within
 * its time limit, reads 64 KiB of the answer at most, follows no redirect, and puts its request on the wire once.
 */
import { Context, Data } from "effect"
import type { Effect } from "effect"

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
}>()("@dockline/webhook-adapter/OutboundHttp") {}
