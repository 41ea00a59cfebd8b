/**
 * GraphQL over server-sent events, in the distinct connections mode of `graphql-sse` (D8.3). A consumer that does not keep up, or whose
 * token or permission ends, gets a result with the error. If the consumer does not read this result either, its connection is cut.
 */
import { Capacity } from "@dockline/core/access/RequestLimits"
import type { Message } from "@dockline/core/messages/Message"
import { eventStream } from "@dockline/wire/MediaType"
import * as Pieces from "@dockline/wire/Pieces"
import { Deferred, Effect, Metric, Predicate, Stream } from "effect"
import type { Scope } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { GraphQLError } from "graphql"
import { GraphqlEngine } from "../engine/Engine.ts"
import type { Once } from "../engine/Engine.ts"
import { partsOf } from "../engine/GraphqlOperation.ts"
import type { GraphqlOperation, OperationResult } from "../engine/GraphqlOperation.ts"
import type { LiveConfig } from "../GraphqlConfig.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { endTexts, Sessions, tooManyText } from "../live/Sessions.ts"
import type { EndReason } from "../live/Sessions.ts"
import { Subscriptions } from "../live/Subscriptions.ts"
import { ofCatalogue } from "../resolvers/Run.ts"
import type { GraphqlContext } from "../resolvers/Run.ts"

/** The most messages of one piece, and its most characters: only little text waits for a slow consumer. */
const pieceSize = 16
const pieceText = 64 * 1024

const keepAlive = ":\n\n"

const connections = GraphqlMetrics.connections.of("sse")

/**
 * Makes the answer with an event stream to an operation of an authenticated client, or to the errors of an operation that could not be
 * prepared. No header says that the answer repeats an earlier one, because the stream has already begun.
 */
export const make = Effect.fnUntraced(function*(config: LiveConfig, once: Once) {
  const { services: { references } } = yield* GraphqlEngine
  const subscriptions = yield* Subscriptions
  const sessions = yield* Sessions
  const admitWork = yield* Capacity
  const encoder = new TextEncoder()

  const follow = Effect.fnUntraced(function*(
    operation: GraphqlOperation,
    context: GraphqlContext,
    request: HttpServerRequest.HttpServerRequest
  ): Effect.fn.Return<Stream.Stream<string>, never, Scope.Scope> {
    const end = yield* Deferred.make<never, GraphQLError | typeof stopping>()
    const endWith = (error: GraphQLError | typeof stopping) =>
      void Deferred.doneUnsafe(end, Effect.fail(error))
    const live = yield* Effect.acquireRelease(
      Effect.sync(() => sessions.open(context.session, (reason) => endWith(endOf(reason)))),
      (live) => Effect.sync(() => live?.close())
    )
    if (live === undefined) return last({ errors: [tooMany] })
    const subscription = yield* Effect.acquireRelease(
      Effect.promise(() => subscriptions.open(operation, { ...context, session: live.session })),
      (subscription) => Effect.sync(() => "messages" in subscription && subscription.close())
    )
    if (!("messages" in subscription)) return last({ errors: subscription })
    const { messages, render } = subscription
    live.watch(messages.query)
    // The failure ends the stream directly: a consumer that does not read would never request the next messages, and get the failure.
    messages.follower.onFailure((error) => {
      if (error._tag === "ConsumerTooSlow") GraphqlMetrics.tooSlow.of("sse").updateUnsafe(1, references)
      endWith(ofCatalogue(error))
    })
    yield* Effect.acquireRelease(Metric.modify(connections, 1), () => Metric.modify(connections, -1))
    yield* Effect.forkScoped(
      Deferred.await(end).pipe(
        Effect.catch(() => Effect.sleep(config.closeMillis)),
        Effect.andThen(Effect.sync(() => disconnect(request)))
      )
    )
    const next = Effect.suspend(() => {
      if (!messages.follower.isLive) return messages.replay(live.read)
      return Effect.map(messages.next, (batch) => {
        const [oldest] = batch
        if (oldest !== undefined) GraphqlMetrics.measureDelay(references, "sse", oldest)
        return batch
      })
    })
    return Stream.fromEffectRepeat(next).pipe(
      Stream.flatMap((batch) => Stream.fromArrays(...piecesOf(batch))),
      Stream.mapError(ofCatalogue),
      Stream.interruptWhen(Deferred.await(end)),
      Stream.map((message) => {
        GraphqlMetrics.sentCount.of("sse").updateUnsafe(1, references)
        return eventOf(render(message))
      }),
      Stream.merge(Stream.map(Stream.tick(config.keepAliveMillis), () => keepAlive), {
        haltStrategy: "left"
      }),
      // Common clients connect again if a stream ends without `complete`, as it does when the service stops.
      Stream.catch((error) => error === stopping ? Stream.empty : last({ errors: [error] }))
    )
  })

  const run = (
    operation: GraphqlOperation,
    context: GraphqlContext,
    request: HttpServerRequest.HttpServerRequest
  ) =>
    operation.type === "subscription"
      ? follow(operation, context, request)
      : admitWork(
        context.session.principal,
        Effect.promise(() => once(request.headers["idempotency-key"], operation, context))
      ).pipe(
        Effect.match({
          onFailure: (error) => last({ errors: [ofCatalogue(error)] }),
          onSuccess: ({ result }) => last(result)
        })
      )

  return (
    operation: GraphqlOperation | ReadonlyArray<GraphQLError>,
    context: GraphqlContext,
    request: HttpServerRequest.HttpServerRequest
  ) =>
    HttpServerResponse.stream(
      Stream.make(keepAlive).pipe(
        Stream.concat(
          "document" in operation
            ? Stream.unwrap(run(operation, context, request))
            : last({ errors: operation })
        ),
        Stream.map((text) => encoder.encode(text))
      ),
      {
        contentType: `${eventStream}; charset=utf-8`,
        // Tells proxies not to buffer events.
        headers: { "x-accel-buffering": "no" }
      }
    )
})

const eventOf = (text: string | Buffer): string => `event: next\ndata: ${text}\n\n`

/** A result and the end of the stream. */
const last = (result: OperationResult): Stream.Stream<string> => {
  const body = Pieces.outputOf(partsOf(result))
  return Stream.make("event: next\ndata: ").pipe(
    Stream.concat(body._tag === "Whole" ? Stream.make(body.text) : body.pieces),
    Stream.concat(Stream.make("\n\n", "event: complete\ndata:\n\n"))
  )
}

const piecesOf = (messages: ReadonlyArray<Message>): ReadonlyArray<ReadonlyArray<Message>> => {
  const pieces: Array<Array<Message>> = []
  let text = 0
  for (const message of messages) {
    const piece = pieces.at(-1)
    text += message.json.length
    if (piece !== undefined && piece.length < pieceSize && text <= pieceText) piece.push(message)
    else {
      pieces.push([message])
      text = message.json.length
    }
  }
  return pieces
}

const tooMany = new GraphQLError(tooManyText, {
  extensions: { code: "BAD_USER_INPUT", reason: "TOO_MANY_CONNECTIONS" }
})

const stopping = "stopping"

const endOf = (reason: EndReason): GraphQLError | typeof stopping => {
  if (reason === stopping) return stopping
  const code = reason === "withdrawn" ? "FORBIDDEN" : "UNAUTHENTICATED"
  return new GraphQLError(endTexts[reason], { extensions: { code, reason: code } })
}

/** Cuts the connection of a request; requests to a fetch-style handler have no connection. */
const disconnect = ({ source }: HttpServerRequest.HttpServerRequest): void => {
  if (!Predicate.hasProperty(source, "socket")) return
  const { socket } = source
  if (Predicate.hasProperty(socket, "destroy") && typeof socket.destroy === "function") socket.destroy()
}
