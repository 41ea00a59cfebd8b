/**
 * The messages of one subscription, as an async iterable; our transports take the follower inside, which needs no
 * promise for each message.
 */
import type { Follower, FollowError, ReplayPage } from "@dockline/core/messages/Follower"
import type { Message } from "@dockline/core/messages/Message"
import type { MessageQuery } from "@dockline/core/messages/MessageQuery"
import { Effect, Exit, Schedule, Scope, Stream } from "effect"
import { ofCatalogue } from "../resolvers/Run.ts"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"

export type PageRead = <A, E>(read: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** The wait before a replay asks an unavailable storage again, in milliseconds. */
const retryMillis = 500

/** A page of a replay: about what a socket takes before it is congested. */
const page: ReplayPage = { messages: 100, text: 256 * 1024 }

type StreamError = Exclude<FollowError, { _tag: "StorageUnavailable" }>

/** The messages of a subscription. Consume it once, by one consumer. */
export class MessageStream implements AsyncIterable<Message> {
  readonly query: MessageQuery
  readonly follower: Follower
  readonly scope: Scope.Closeable

  /** Takes over the scope of the follower. */
  constructor(query: MessageQuery, follower: Follower, scope: Scope.Closeable) {
    this.query = query
    this.follower = follower
    this.scope = scope
  }

  /** The next messages, at least one. Waits for an unavailable storage; no message is lost meanwhile. */
  get next(): Effect.Effect<ReadonlyArray<Message>, StreamError> {
    return patiently(this.follower.next)
  }

  /** The next page of history, maybe empty, while the follower is not live. Waits for the storage outside of `read`. */
  replay(read: PageRead): Effect.Effect<ReadonlyArray<Message>, StreamError> {
    return patiently(read(this.follower.replay))
  }

  close(): void {
    Effect.runFork(Scope.close(this.scope, Exit.void))
  }

  /** Ends with a GraphQL error when the subscription cannot go on. */
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

/** Follows the messages of a query for a client; rejects with a GraphQL error when the client may not read them. */
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
