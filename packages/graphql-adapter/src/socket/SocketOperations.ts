/**
 * Runs the operations of a socket. An operation counts as a request of its client (D10.5). Its id is free once the
 * client has completed it; the operation counts until it is over.
 */
import * as JsonWriter from "@dockline/core/internal/input/JsonWriter"
import * as Slices from "@dockline/core/internal/input/Slices"
import { AnswerRoom, AnswerRooms, Capacity, RequestLimits } from "@dockline/core/RequestLimits"
import { Effect } from "effect"
import { GraphQLError } from "graphql"
import { CloseCode, MessageType } from "graphql-ws"
import type { SubscribePayload } from "graphql-ws"
import { GraphqlEngine } from "../engine/Engine.ts"
import type { Prepared } from "../engine/Prepared.ts"
import { partsOf, roomFor } from "../engine/Results.ts"
import type { LiveSession } from "../live/Sessions.ts"
import { Subscriptions } from "../live/Subscriptions.ts"
import { ofCatalogue } from "../resolvers/GraphqlErrors.ts"
import type { Connection, Operation } from "./Connection.ts"
import { startPush } from "./SocketPush.ts"

type Errors = ReadonlyArray<GraphQLError>

/** The longest id of an operation: each of its frames repeats it. */
const idLimit = 256

/** Makes the running of an operation, unless its message is against the protocol; `fail` takes what nobody foresaw. */
export const make = Effect.fnUntraced(function*(fail: (connection: Connection, cause: unknown) => void) {
  const engine = yield* GraphqlEngine
  const subscriptions = yield* Subscriptions
  const limits = yield* RequestLimits
  const takeOn = yield* Capacity
  const openRoom = yield* AnswerRooms
  const services = yield* Effect.context<never>()

  const contextOf = ({ correlationId }: Connection, { session }: LiveSession) => ({ session, correlationId })

  const deliver = Effect.fnUntraced(function*(
    connection: Connection,
    live: LiveSession,
    operation: Operation,
    prepared: Prepared
  ) {
    const subscription = yield* Effect.promise(() =>
      subscriptions.open(prepared, contextOf(connection, live))
    )
    if (!("messages" in subscription)) return yield* Effect.fail<Errors>(subscription)
    // The client may have completed it meanwhile, or be gone.
    if (!operation.isWanted) return subscription.close()
    const unwatch = live.watch(subscription.messages.query)
    yield* Effect.callback<void, Errors>((resume) => {
      operation.stop = startPush(operation.id, subscription, connection.outbox, {
        onPage: connection.page,
        onRead: live.read,
        onTooSlow: () => connection.close(4429, "Consumer too slow; resume with afterId"),
        onDefect: (cause) => fail(connection, cause),
        onEnd: (error) => {
          unwatch()
          resume(error === undefined ? Effect.void : Effect.fail([error]))
        }
      }, services)
      if (!operation.isWanted) operation.stop()
    })
  })

  /** Executes a query or a mutation in its turn among all work of the process. */
  const execute = Effect.fnUntraced(function*(
    connection: Connection,
    live: LiveSession,
    operation: Operation,
    prepared: Prepared
  ) {
    const { principal } = live.session
    const { release, room } = openRoom(principal)
    const executed = Effect.contextWith((fiber: typeof services) =>
      Effect.promise(() => engine.execute(prepared, { ...contextOf(connection, live), fiber }))
    )
    yield* takeOn(principal, executed).pipe(
      Effect.catchTag("Overloaded", (error) => Effect.succeed({ errors: [ofCatalogue(error)] })),
      Effect.flatMap((result) => Slices.run(JsonWriter.joined(partsOf(result)))),
      Effect.provideService(AnswerRoom, roomFor(room)),
      Effect.flatMap((payload) =>
        connection.answer(
          operation,
          `{"id":${JSON.stringify(operation.id)},"type":"${MessageType.Next}","payload":${payload}}`
        )
      ),
      Effect.ensuring(Effect.sync(release))
    )
    yield* connection.finish(operation, JSON.stringify({ id: operation.id, type: MessageType.Complete }))
  })

  const run = Effect.fnUntraced(function*(
    connection: Connection,
    live: LiveSession,
    operation: Operation,
    payload: SubscribePayload
  ) {
    yield* Effect.mapError(
      limits.take(live.session.principal.clientId),
      (error): Errors => [ofCatalogue(error)]
    )
    const prepared = engine.prepare(payload, connection.path)
    if (!("document" in prepared)) return yield* Effect.fail<Errors>(prepared)
    if (prepared.operation.operation === "subscription") {
      return yield* deliver(connection, live, operation, prepared)
    }
    yield* connection.execute(operation, execute(connection, live, operation, prepared))
  })

  return (connection: Connection, id: string, payload: SubscribePayload, size: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { live } = connection
      const refused = (errors: Errors) => JSON.stringify({ id, type: MessageType.Error, payload: errors })
      const close = (code: number, reason: string) => Effect.sync(() => connection.close(code, reason))
      if (live === undefined) return close(CloseCode.Unauthorized, "Unauthorized")
      if (id.length > idLimit) {
        return close(CloseCode.BadRequest, `The id of an operation has at most ${idLimit} characters`)
      }
      if (connection.isInUse(id)) {
        return close(
          CloseCode.SubscriberAlreadyExists,
          "The id of an operation that is running was used again"
        )
      }
      const operation = connection.begin(id, size)
      if (operation instanceof GraphQLError) return connection.send(refused([operation]))
      return run(connection, live, operation, payload).pipe(
        Effect.catch((errors) => connection.finish(operation, refused(errors))),
        Effect.ensuring(Effect.sync(() => connection.end(operation)))
      )
    })
})
