/**
 * The messages of one subscription: the source that the schema's field gives to whichever server runs it.
 *
 * Guarantee: it is an async iterable like any other source of events, so that any GraphQL server can run it; ours
 * takes the follower inside instead, which asks for no promise a message.
 */
import type { Follower, FollowError, ReplayPage } from "@dockline/core/Follower"
import type { Message } from "@dockline/core/Message"
import type { MessageQuery } from "@dockline/core/MessageQuery"
import { Effect, Exit, Schedule, Scope, Stream } from "effect"
import { ofCatalogue } from "../engine/GraphqlErrors.ts"
import type { GraphqlContext } from "../engine/Run.ts"
import type { SchemaServices } from "../schema/SchemaServices.ts"
import type { PageRead } from "./Sessions.ts"

/** How long a replay waits before it asks a storage again that was away, in milliseconds. */
const retryMillis = 500

/** What a subscription replays at once: about what a socket takes before it is congested. */
const page: ReplayPage = { messages: 100, text: 256 * 1024 }

/** Why a subscription cannot go on. */
type StreamError = Exclude<FollowError, { _tag: "StorageUnavailable" }>

/** Messages as they come, until it is closed. To be consumed once, by one consumer. */
export class MessageStream implements AsyncIterable<Message> {
  /** Which messages. */
  readonly query: MessageQuery
  /** Where they come from. */
  readonly follower: Follower
  readonly #scope: Scope.Closeable

  /** Takes over the scope in which the follower was made. */
  constructor(query: MessageQuery, follower: Follower, scope: Scope.Closeable) {
    this.query = query
    this.follower = follower
    this.#scope = scope
  }

  /** The messages that come next, one at least. A storage that is away is waited for: nothing is lost meanwhile. */
  get next(): Effect.Effect<ReadonlyArray<Message>, StreamError> {
    return patiently(this.follower.next)
  }

  /**
   * The next page of history, possibly an empty one, once `read` lets it be read; until the follower is live. Waits for
   * a storage that is away outside of `read`.
   */
  replay(read: PageRead): Effect.Effect<ReadonlyArray<Message>, StreamError> {
    return patiently(read(this.follower.replay))
  }

  /** Ends it. */
  close(): void {
    Effect.runFork(Scope.close(this.#scope, Exit.void))
  }

  /** Ends with an error of GraphQL when the consumer cannot go on. */
  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return Stream.toAsyncIterable(
      Stream.fromIterableEffectRepeat(this.next).pipe(
        Stream.mapError(ofCatalogue),
        Stream.ensuring(Effect.sync(() => this.close()))
      )
    )[Symbol.asyncIterator]()
  }
}

const patiently = <A>(effect: Effect.Effect<A, FollowError>): Effect.Effect<A, StreamError> =>
  effect.pipe(
    Effect.retry({
      while: ({ _tag }) => _tag === "StorageUnavailable",
      schedule: Schedule.spaced(retryMillis)
    }),
    Effect.catchTag("StorageUnavailable", Effect.die)
  )

/** Follows what a query names on behalf of a client; rejected with an error of GraphQL when the client may not. */
export const follow = async (
  services: SchemaServices,
  query: MessageQuery,
  afterId: number | undefined,
  context: GraphqlContext
): Promise<MessageStream> => {
  const { messages, log, config, run } = services
  const scope = Scope.makeUnsafe()
  const opening = messages.authorize(query, context.session.principal).pipe(
    Effect.andThen(log.follow(query, { afterId, buffer: config.subscriptionBuffer, page })),
    Effect.onError(() => Scope.close(scope, Exit.void)),
    Scope.provide(scope)
  )
  return new MessageStream(query, await run(opening, context), scope)
}
