/**
 * A subscription on its way into a socket: history at the socket's pace, then live messages as they are published.
 *
 * Guarantee: every message of the subscription is sent once and in order. Publishing never waits: what a socket
 * cannot take waits in the follower's buffer, and a consumer whose buffer overflows is told to be too slow. History is
 * read when the socket has room, a page at a time, so that of history no more than that waits for a socket. Live
 * messages go out in the turn in which they are published, without a promise or an effect of their own.
 *
 * The frames are written here, around the text that all subscriptions that read alike share.
 */
import type { FollowError } from "@dockline/core/Follower"
import type { Message } from "@dockline/core/Message"
import { Clock, Context, Effect, Fiber } from "effect"
import type { GraphQLError } from "graphql"
import { ofCatalogue } from "../engine/GraphqlErrors.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import type { PageRead } from "../live/Sessions.ts"
import type { Subscription } from "../live/Subscriptions.ts"
import type { Outbox } from "./Outbox.ts"

/** What a delivery tells its connection, and asks it. */
export interface DeliveryHandlers {
  /** Runs what reads a page of history and sends it: one of the socket at a time, when there is room. */
  readonly onPage: PageRead
  /** Runs what reads it. */
  readonly onRead: PageRead
  /** The consumer does not keep up: its socket has to be closed. */
  readonly onTooSlow: () => void
  /** Something of ours failed. */
  readonly onDefect: (cause: unknown) => void
  /** It is over, for whatever reason; with an error where it cannot go on. */
  readonly onEnd: (error?: GraphQLError) => void
}

const sent = GraphqlMetrics.sent.of("websocket")
const tooSlow = GraphqlMetrics.tooSlow.of("websocket")
const delays = GraphqlMetrics.delays.of("websocket")

/** Delivers a subscription into a socket. */
export class Delivery {
  readonly #subscription: Subscription
  readonly #outbox: Outbox
  readonly #handlers: DeliveryHandlers
  readonly #services: Context.Context<never>
  readonly #clock: Clock.Clock
  readonly #prefix: string
  #replay: Fiber.Fiber<void> | undefined
  #stopped = false
  #pending: ReadonlyArray<Message> = []
  #at = 0
  /** When the oldest of the live messages was sent that are pending. */
  #oldest: Message["sentAt"] | undefined

  constructor(
    id: string,
    subscription: Subscription,
    outbox: Outbox,
    handlers: DeliveryHandlers,
    services: Context.Context<never>
  ) {
    this.#prefix = `{"id":${JSON.stringify(id)},"type":"next","payload":`
    this.#subscription = subscription
    this.#outbox = outbox
    this.#handlers = handlers
    this.#services = services
    this.#clock = Context.get(services, Clock.Clock)
    subscription.watchUnsent(() => this.#pending[this.#at])
  }

  /** Starts the delivery. */
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

  /** Stops the delivery: nothing is sent from here on. */
  stop(error?: GraphQLError): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#replay?.interruptUnsafe()
    this.#pending = []
    this.#subscription.close()
    this.#handlers.onEnd(error)
  }

  /** Sends history until the consumer has all of it. */
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

  /** Sends live messages as far as the socket takes them, and waits for the socket or for more of them. */
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

  /** Measures how long live messages took that have all been sent by now: the socket may have kept them waiting. */
  #measure(): void {
    if (this.#oldest === undefined) return
    const delay = (this.#clock.currentTimeMillisUnsafe() - Date.parse(this.#oldest)) / 1000
    delays.updateUnsafe(Math.max(0, delay), this.#services)
    this.#oldest = undefined
  }

  /** Sends what is pending, until the socket is congested; says whether all of it was sent. */
  #flush(): boolean {
    return this.#pending.length - this.#at > 1
      ? this.#outbox.together(() => this.#flushEach())
      : this.#flushEach()
  }

  #flushEach(): boolean {
    const begun = this.#at
    while (this.#at < this.#pending.length) {
      if (this.#outbox.isCongested) break
      this.#outbox.send(`${this.#prefix}${this.#subscription.render(this.#pending[this.#at++]!)}}`)
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
