/**
 * GraphQL over server-sent events, in the distinct connections mode of the protocol of `graphql-sse`: each operation
 * has a response of its own, a stream of `next` events with results and one `complete` (D8.3).
 *
 * Guarantee: what holds for sockets holds here. History goes at the consumer's pace; a consumer that does not keep up
 * with live messages, or whose token expires or permission is withdrawn, gets a result that says so, and the end; one
 * that does not even read that is cut where there is a connection to cut.
 */
import { Capacity } from "@dockline/core/Capacity"
import { eventStream } from "@dockline/core/internal/Accept"
import type { Message } from "@dockline/core/Message"
import { Clock, Context, Deferred, Effect, Layer, Metric, Predicate, Stream } from "effect"
import type { Scope } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import type { ExecutionResult, FormattedExecutionResult } from "graphql"
import { GraphQLError } from "graphql"
import { GraphqlEngine, shown } from "../engine/Engine.ts"
import type { GraphqlContext, Prepared } from "../engine/Engine.ts"
import { ofCatalogue } from "../engine/GraphqlErrors.ts"
import type { Once } from "../engine/Idempotency.ts"
import { defaultLiveConfig } from "../GraphqlConfig.ts"
import type { LiveConfig } from "../GraphqlConfig.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { Sessions } from "../live/Sessions.ts"
import type { EndReason } from "../live/Sessions.ts"
import { Subscriptions } from "../live/Subscriptions.ts"

/** Answers with event streams. */
export class EventStreams extends Context.Service<EventStreams, {
  /**
   * The response to an operation of an authenticated client; what is wrong with an operation that could not be
   * prepared is told in the stream. A mutation with an `Idempotency-Key` is run by `once`; the stream has begun by
   * then, so that no header tells of a kept answer.
   */
  readonly respond: (
    operation: Prepared | ReadonlyArray<GraphQLError>,
    context: GraphqlContext,
    request: HttpServerRequest.HttpServerRequest,
    once: Once
  ) => HttpServerResponse.HttpServerResponse
}>()("@dockline/graphql-adapter/EventStreams") {
  /** Event streams of the engine's schema. */
  static readonly layer = (
    config: LiveConfig = defaultLiveConfig
  ): Layer.Layer<EventStreams, never, GraphqlEngine | Subscriptions | Sessions> =>
    Layer.effect(EventStreams, make(config))
}

/** How many messages are passed on at once, and of how many characters: a slow consumer holds little. */
const pieceSize = 16
const pieceText = 64 * 1024

const keepAlive = ":\n\n"

const make = Effect.fnUntraced(function*(config: LiveConfig) {
  const engine = yield* GraphqlEngine
  const subscriptions = yield* Subscriptions
  const sessions = yield* Sessions
  const takeOn = yield* Capacity
  const encoder = new TextEncoder()

  const follow = Effect.fnUntraced(function*(
    prepared: Prepared,
    context: GraphqlContext,
    request: HttpServerRequest.HttpServerRequest
  ): Effect.fn.Return<Stream.Stream<string>, never, Scope.Scope> {
    const ended = yield* Deferred.make<never, GraphQLError | typeof stopping>()
    const end = (error: GraphQLError | typeof stopping) => void Deferred.doneUnsafe(ended, Effect.fail(error))
    const live = yield* Effect.acquireRelease(
      Effect.sync(() => sessions.open(context.session, (reason) => end(endOf(reason)))),
      (opened) => Effect.sync(() => opened?.close())
    )
    if (live === undefined) return lastly({ errors: [tooMany] })
    const subscription = yield* Effect.acquireRelease(
      Effect.promise(() => subscriptions.open(prepared, { ...context, session: live.session })),
      (opened) => Effect.sync(() => "messages" in opened && opened.close())
    )
    if (!("messages" in subscription)) return lastly({ errors: subscription })
    const { messages, render } = subscription
    const { references } = engine.services
    live.watch(messages.query)
    // A consumer that does not read cannot be told: it is not asked for what comes next.
    messages.follower.onFailure((error) => {
      if (error._tag === "ConsumerTooSlow") GraphqlMetrics.tooSlow.of("sse").updateUnsafe(1, references)
      end(ofCatalogue(error))
    })
    yield* Effect.acquireRelease(
      Metric.modify(GraphqlMetrics.connections.of("sse"), 1),
      () => Metric.modify(GraphqlMetrics.connections.of("sse"), -1)
    )
    yield* Effect.forkScoped(
      Deferred.await(ended).pipe(
        Effect.catch(() => Effect.sleep(config.closeMillis)),
        Effect.andThen(Effect.sync(() => cut(request)))
      )
    )
    const delayed = (batch: ReadonlyArray<Message>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Metric.update(
          GraphqlMetrics.delays.of("sse"),
          Math.max(0, now - Date.parse(batch[0]!.sentAt)) / 1000
        ))
    const next = Effect.suspend(() =>
      messages.follower.isLive ? Effect.tap(messages.next, delayed) : messages.replay(live.read)
    )
    return Stream.fromEffectRepeat(next).pipe(
      Stream.flatMap((batch) => Stream.fromArrays(...piecesOf(batch))),
      Stream.mapError(ofCatalogue),
      Stream.interruptWhen(Deferred.await(ended)),
      Stream.merge(Stream.map(Stream.tick(config.keepAliveMillis), () => undefined), {
        haltStrategy: "left"
      }),
      Stream.map((message) => {
        if (message === undefined) return keepAlive
        GraphqlMetrics.sent.of("sse").updateUnsafe(1, references)
        return eventOf(render(message))
      }),
      // A stream that ends without being complete is what common clients connect again after.
      Stream.catch((error) => error === stopping ? Stream.empty : lastly({ errors: [error] }))
    )
  })

  const execute = async (
    prepared: Prepared,
    context: GraphqlContext,
    key: string | undefined,
    once: Once
  ): Promise<ExecutionResult | FormattedExecutionResult> => {
    if (key === undefined || prepared.operation.operation !== "mutation") {
      return engine.execute(prepared, context)
    }
    try {
      return (await once(key, prepared, context)).result
    } catch (error) {
      return { errors: [shown(error, context, engine.services)] }
    }
  }

  const run = (
    prepared: Prepared,
    context: GraphqlContext,
    request: HttpServerRequest.HttpServerRequest,
    once: Once
  ) =>
    prepared.operation.operation === "subscription"
      ? follow(prepared, context, request)
      : takeOn(
        context.session.principal.clientId,
        Effect.promise(() => execute(prepared, context, request.headers["idempotency-key"], once))
      ).pipe(
        Effect.catchTag("Overloaded", (error) => Effect.succeed({ errors: [ofCatalogue(error)] })),
        Effect.map(lastly)
      )

  return EventStreams.of({
    respond: (operation, context, request, once) =>
      HttpServerResponse.stream(
        Stream.make(keepAlive).pipe(
          Stream.concat(
            "document" in operation
              ? Stream.unwrap(run(operation, context, request, once))
              : lastly({ errors: operation })
          ),
          Stream.map((text) => encoder.encode(text))
        ),
        {
          contentType: `${eventStream}; charset=utf-8`,
          // Nothing on the way may keep events back, or for later.
          headers: { "cache-control": "no-cache", "x-accel-buffering": "no" }
        }
      )
  })
})

const eventOf = (text: string): string => `event: next\ndata: ${text}\n\n`

/** The last result, and the end. */
const lastly = (value: ExecutionResult | FormattedExecutionResult): Stream.Stream<string> =>
  Stream.make(eventOf(JSON.stringify(value)), "event: complete\ndata:\n\n")

const piecesOf = (messages: ReadonlyArray<Message>): ReadonlyArray<ReadonlyArray<Message>> => {
  const pieces: Array<Array<Message>> = []
  let piece: Array<Message> = []
  let text = 0
  for (const message of messages) {
    text += message.size
    if (piece.length === 0 || piece.length === pieceSize || text > pieceText) {
      pieces.push(piece = [])
      text = message.size
    }
    piece.push(message)
  }
  return pieces
}

const tooMany = new GraphQLError("The client has too many connections; close some", {
  extensions: { code: "BAD_USER_INPUT", reason: "TOO_MANY_CONNECTIONS" }
})

/** The service stops: the client is to connect again. */
const stopping = "stopping"

const endTexts: Readonly<Record<Exclude<EndReason, typeof stopping>, string>> = {
  expired: "The token has expired; get another, and resume with afterId",
  disabled: "The client is disabled",
  withdrawn: "The permission for what is followed was withdrawn"
}

const endOf = (reason: EndReason): GraphQLError | typeof stopping => {
  if (reason === stopping) return stopping
  const code = reason === "withdrawn" ? "FORBIDDEN" : "UNAUTHENTICATED"
  return new GraphQLError(endTexts[reason], { extensions: { code, reason: code } })
}

/** Cuts the connection of a request, where it has one: a web handler's has none. */
const cut = ({ source }: HttpServerRequest.HttpServerRequest): void => {
  if (!Predicate.hasProperty(source, "socket")) return
  const { socket } = source
  if (Predicate.hasProperty(socket, "destroy") && typeof socket.destroy === "function") socket.destroy()
}
