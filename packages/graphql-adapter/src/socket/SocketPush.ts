/**
 * Sends a subscription into a socket, each message once and in order: history at the socket's pace, at most one page
 * at a time, then live messages in the turn in which they are published, without a promise or an effect for each.
 * Publishing never waits: a consumer whose buffer overflows is too slow.
 */
import type { FollowError } from "@dockline/core/internal/messages/Follower"
import type { Message } from "@dockline/core/Message"
import { Clock, Context, Effect, Fiber } from "effect"
import type { GraphQLError } from "graphql"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { keptBytes } from "../live/Rendering.ts"
import type { Subscription } from "../live/Subscriptions.ts"
import { ofCatalogue } from "../resolvers/GraphqlErrors.ts"
import type { PageRead } from "../schema/MessageStream.ts"
import type { Outbox } from "./Outbox.ts"

export interface PushHandlers {
  /** Runs the reading and sending of a page of history: one of the socket at a time, when there is room. */
  readonly onPage: PageRead
  readonly onRead: PageRead
  /** Called when the consumer does not keep up: its socket has to be closed. */
  readonly onTooSlow: () => void
  readonly onDefect: (cause: unknown) => void
  /** Called at the end, with the error that ended it, if any. */
  readonly onEnd: (error?: GraphQLError) => void
}

const sent = GraphqlMetrics.sent.of("websocket")
const tooSlow = GraphqlMetrics.tooSlow.of("websocket")
const delays = GraphqlMetrics.delays.of("websocket")

const suffix = Buffer.from("}")

export class SocketPush {
  readonly #subscription: Subscription
  readonly #outbox: Outbox
  readonly #handlers: PushHandlers
  readonly #services: Context.Context<never>
  readonly #clock: Clock.Clock
  readonly #prefix: Buffer
  #replay: Fiber.Fiber<void> | undefined
  #stopped = false
  #pending: ReadonlyArray<Message> = []
  #at = 0
  /** When the oldest pending live message was sent. */
  #oldest: Message["sentAt"] | undefined

  constructor(
    id: string,
    subscription: Subscription,
    outbox: Outbox,
    handlers: PushHandlers,
    services: Context.Context<never>
  ) {
    this.#prefix = keptBytes(`{"id":${JSON.stringify(id)},"type":"next","payload":`)
    this.#subscription = subscription
    this.#outbox = outbox
    this.#handlers = handlers
    this.#services = services
    this.#clock = Context.get(services, Clock.Clock)
    subscription.watchUnsent(() => this.#pending[this.#at])
  }

  start(): void {
    const { messages } = this.#subscription
    messages.follower.onFailure((error) => this.#fail(error))
    if (this.#stopped) return
    if (messages.follower.isLive) return this.#pump()
    this.#replay = Effect.runForkWith(this.#services)(
      this.#replayed.pipe(
        Effect.andThen(Effect.sync(() => this.#pump())),
        Effect.catch((error) => Effect.sync(() => this.#fail(error))),
        Effect.catchDefect((cause) => Effect.sync(() => this.#handlers.onDefect(cause)))
      )
    )
  }

  stop(error?: GraphQLError): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#replay?.interruptUnsafe()
    this.#pending = []
    this.#subscription.close()
    this.#handlers.onEnd(error)
  }

  readonly #replayed = Effect.suspend(() => {
    const { messages } = this.#subscription
    const { onPage, onRead } = this.#handlers
    return Effect.whileLoop({
      while: () => !messages.follower.isLive,
      body: () =>
        onPage(Effect.flatMap(messages.replay(onRead), (page) => this.#sendAll(page))).pipe(
          Effect.andThen(Effect.yieldNow)
        ),
      step: () => undefined
    })
  })

  #sendAll(messages: ReadonlyArray<Message>): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      this.#pending = messages
      const send = () => {
        if (this.#stopped) return
        try {
          if (this.#flush()) resume(Effect.void)
          else this.#outbox.onDrained(send)
        } catch (cause) {
          resume(Effect.die(cause))
        }
      }
      send()
    })
  }

  /** Sends live messages as far as the socket takes them, then waits for the socket or for messages. */
  readonly #pump = (): void => {
    // Called by the feed as well: what fails here must not stop it from telling others.
    try {
      const { follower } = this.#subscription.messages
      while (!this.#stopped) {
        if (!this.#flush()) return this.#outbox.onDrained(this.#pump)
        this.#measure()
        const messages = follower.takeNow()
        if (messages === undefined) return follower.onReady(this.#pump)
        this.#pending = messages
        this.#oldest = messages[0]!.sentAt
      }
    } catch (cause) {
      this.#handlers.onDefect(cause)
    }
  }

  /** Measures the delay of live messages once all are sent: the socket may have kept them waiting. */
  #measure(): void {
    if (this.#oldest === undefined) return
    const delay = (this.#clock.currentTimeMillisUnsafe() - Date.parse(this.#oldest)) / 1000
    delays.updateUnsafe(Math.max(0, delay), this.#services)
    this.#oldest = undefined
  }

  /** Sends pending messages until the socket is congested; `true` when all are sent. */
  #flush(): boolean {
    return this.#pending.length - this.#at > 1
      ? this.#outbox.together(() => this.#flushEach())
      : this.#flushEach()
  }

  #flushEach(): boolean {
    const begun = this.#at
    while (this.#at < this.#pending.length) {
      if (this.#outbox.isCongested) break
      this.#outbox.sendAround(this.#prefix, this.#subscription.render(this.#pending[this.#at++]!), suffix)
    }
    if (this.#at > begun) sent.updateUnsafe(this.#at - begun, this.#services)
    if (this.#at < this.#pending.length) return false
    this.#pending = []
    this.#at = 0
    return true
  }

  #fail(error: FollowError): void {
    if (error._tag === "ConsumerTooSlow") {
      tooSlow.updateUnsafe(1, this.#services)
      this.stop()
      this.#handlers.onTooSlow()
    } else {
      this.stop(ofCatalogue(error))
    }
  }
}
