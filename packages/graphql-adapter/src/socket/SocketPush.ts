/**
 * Sends the messages of a subscription to a socket, each once and in order: history as fast as the socket allows, one page at a
 * time, and then live messages in the turn of the event loop in which they are published, without a promise or an effect for
 * each. Publishing never waits: if its buffer overflows, a consumer is too slow.
 */
import type { FollowError } from "@dockline/core/messages/Follower"
import type { Message } from "@dockline/core/messages/Message"
import { Effect } from "effect"
import type { Context, Fiber } from "effect"
import type { GraphQLError } from "graphql"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { bytesOf } from "../live/Subscriptions.ts"
import type { Subscription } from "../live/Subscriptions.ts"
import { ofCatalogue } from "../resolvers/Run.ts"
import type { PageRead } from "../schema/SchemaMessages.ts"
import type { Outbox } from "./Frames.ts"

export interface PushHandlers {
  /** Runs the reading and sending of a page of history, one page of a socket at a time. */
  readonly onPage: PageRead
  /** Runs the read of a page, within the limits on concurrent reads. */
  readonly onRead: PageRead
  /** Called when the consumer does not keep up; closes its socket. */
  readonly onTooSlow: () => void
  readonly onDefect: (cause: unknown) => void
  /** Called at the end, with the error that ended it, if any. */
  readonly onEnd: (error?: GraphQLError) => void
}

const count = GraphqlMetrics.sentCount.of("websocket")
const tooSlow = GraphqlMetrics.tooSlow.of("websocket")

const suffix = Buffer.from("}")

/** Starts sending; the returned function stops it. */
export const startPush = (
  id: string,
  { close, messages, render, watchUnsent }: Subscription,
  outbox: Outbox,
  handlers: PushHandlers,
  services: Context.Context<never>
): () => void => {
  const { follower } = messages
  const prefix = bytesOf(`{"id":${JSON.stringify(id)},"type":"next","payload":`)
  let replaying: Fiber.Fiber<void> | undefined
  let isStopped = false
  let pending: ReadonlyArray<Message> = []
  let at = 0
  /** The oldest pending live message. */
  let oldest: Message | undefined
  watchUnsent(() => pending[at])

  const stop = (error?: GraphQLError): void => {
    if (isStopped) return
    isStopped = true
    replaying?.interruptUnsafe()
    pending = []
    close()
    handlers.onEnd(error)
  }

  const fail = (error: FollowError): void => {
    if (error._tag !== "ConsumerTooSlow") return stop(ofCatalogue(error))
    tooSlow.updateUnsafe(1, services)
    stop()
    handlers.onTooSlow()
  }

  const sendEach = (): void => {
    const start = at
    for (let message = pending[at]; message !== undefined && !outbox.isCongested; message = pending[++at]) {
      outbox.sendAround(prefix, render(message), suffix)
    }
    if (at > start) count.updateUnsafe(at - start, services)
  }

  /** Sends pending messages until the socket is congested; `true` when all are sent. */
  const flush = (): boolean => {
    if (pending.length - at > 1) outbox.together(sendEach)
    else sendEach()
    if (at < pending.length) return false
    pending = []
    at = 0
    return true
  }

  const sendAll = (page: ReadonlyArray<Message>): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      pending = page
      const send = () => {
        if (isStopped) return
        try {
          if (flush()) resume(Effect.void)
          else outbox.onDrained(send)
        } catch (cause) {
          resume(Effect.die(cause))
        }
      }
      send()
    })

  /** Measures the delay of live messages after all are sent, because a congested socket delays them. */
  const measure = (): void => {
    if (oldest !== undefined) GraphqlMetrics.measureDelay(services, "websocket", oldest)
    oldest = undefined
  }

  /** Sends live messages until the socket is congested or none are left, and continues when this changes. */
  const pump = (): void => {
    // The feed calls this function too: a failure must not keep the feed from notifying others.
    try {
      for (;;) {
        if (isStopped) return
        if (!flush()) return outbox.onDrained(pump)
        measure()
        const live = follower.takeNow()
        if (live === undefined) return follower.onReady(pump)
        pending = live
        oldest = live[0]
      }
    } catch (cause) {
      handlers.onDefect(cause)
    }
  }

  const replay = Effect.whileLoop({
    while: () => !follower.isLive,
    body: () =>
      Effect.andThen(
        handlers.onPage(Effect.flatMap(messages.replay(handlers.onRead), sendAll)),
        Effect.yieldNow
      ),
    step: () => undefined
  })

  follower.onFailure(fail)
  if (follower.isLive) pump()
  else if (!isStopped) {
    replaying = Effect.runForkWith(services)(
      Effect.andThen(replay, Effect.sync(pump)).pipe(
        Effect.catch((error) => Effect.sync(() => fail(error))),
        Effect.catchDefect((cause) => Effect.sync(() => handlers.onDefect(cause)))
      )
    )
  }
  return stop
}
