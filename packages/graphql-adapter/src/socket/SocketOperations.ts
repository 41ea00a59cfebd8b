/**
 * Runs the operations of a socket. An operation counts as a request of its client (D10.5). Its id is free once the
 * client has completed it; the operation counts until it is over.
 *
 * `graphql-ws` iterates over an operation, and would serialize each result at once, for each subscriber anew. What it iterates
 * over here yields nothing: messages are sent as bytes that subscribers share, answers as texts that were made in slices.
 */
import { AnswerRoom, AnswerRooms, Capacity, RequestLimits } from "@dockline/core/access/RequestLimits"
import * as JsonWriter from "@dockline/core/input/JsonWriter"
import * as Slices from "@dockline/core/input/Slices"
import { Cause, Effect, Exit, Option } from "effect"
import type { ExecutionResult, GraphQLError } from "graphql"
import { MessageType } from "graphql-ws"
import type { ConnectionInitMessage, ServerOptions, SubscribePayload } from "graphql-ws"
import { GraphqlEngine } from "../engine/Engine.ts"
import type { Prepared } from "../engine/GraphqlOperation.ts"
import { partsOf, roomFor } from "../engine/GraphqlOperation.ts"
import type { LiveSession } from "../live/Sessions.ts"
import { Subscriptions } from "../live/Subscriptions.ts"
import { ofCatalogue } from "../resolvers/Run.ts"
import { dismiss } from "./Connection.ts"
import type { Connection, Operation } from "./Connection.ts"
import { startPush } from "./SocketPush.ts"

type Options = ServerOptions<ConnectionInitMessage["payload"], Connection>

/** The errors of an operation that was refused, thrown where it is iterated over. */
class Refused extends Error {
  readonly errors: ReadonlyArray<GraphQLError>

  constructor(errors: ReadonlyArray<GraphQLError>) {
    super("refused")
    this.errors = errors
  }
}

/** Makes the running of operations as `graphql-ws` asks for it; `fail` takes what nobody foresaw. */
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
    if (!("messages" in subscription)) return yield* Effect.fail(new Refused(subscription))
    // The client may have completed it meanwhile, or be gone.
    if (!operation.isWanted) return subscription.close()
    const unwatch = live.watch(subscription.messages.query)
    yield* Effect.callback<void, Refused>((resume) => {
      operation.stop = startPush(operation.id, subscription, connection.outbox, {
        onPage: connection.page,
        onRead: live.read,
        onTooSlow: () => connection.close(4429, "Consumer too slow; resume with afterId"),
        onDefect: (cause) => fail(connection, cause),
        onEnd: (error) => {
          unwatch()
          resume(error === undefined ? Effect.void : Effect.fail(new Refused([error])))
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
    const written = (result: ExecutionResult) => Slices.run(JsonWriter.joined(partsOf(result)))
    yield* takeOn(principal, Effect.flatMap(executed, written)).pipe(
      Effect.catchTag("Overloaded", (error) => written({ errors: [ofCatalogue(error)] })),
      Effect.provideService(AnswerRoom, roomFor(room)),
      Effect.flatMap((payload) =>
        connection.answer(
          operation,
          `{"id":${JSON.stringify(operation.id)},"type":"${MessageType.Next}","payload":${payload}}`
        )
      ),
      Effect.ensuring(Effect.sync(release))
    )
  })

  const run = Effect.fnUntraced(function*(
    connection: Connection,
    live: LiveSession,
    operation: Operation,
    payload: SubscribePayload
  ) {
    const refusal = connection.begin(operation)
    if (refusal !== undefined) return yield* Effect.fail(new Refused([refusal]))
    yield* Effect.mapError(
      limits.take(live.session.principal.clientId),
      (error) => new Refused([ofCatalogue(error)])
    )
    const prepared = engine.prepare(payload, connection.path)
    if (!("document" in prepared)) return yield* Effect.fail(new Refused(prepared))
    if (prepared.operation.operation === "subscription") {
      return yield* deliver(connection, live, operation, prepared)
    }
    yield* connection.execute(operation, execute(connection, live, operation, prepared))
  })

  const start = (
    connection: Connection,
    operation: Operation,
    running: Effect.Effect<void, Refused>,
    over: PromiseWithResolvers<typeof done>
  ): void => {
    const ended = Effect.ensuring(running, Effect.sync(() => connection.end(operation)))
    Effect.runForkWith(services)(ended).addObserver((exit) => {
      const refused = Option.getOrUndefined(Exit.findErrorOption(exit))
      if (refused !== undefined) return over.reject(refused)
      if (Exit.isFailure(exit)) fail(connection, Cause.squash(exit.cause))
      over.resolve(done)
    })
  }

  const hooks: Pick<Options, "onOperation" | "onError"> = {
    onOperation: ({ extra: connection }, id, payload) => {
      const { isClosing, live, textLength: size } = connection
      if (live === undefined || isClosing) return
      const operation = { id, size, isWanted: true, isExecuting: false, stop: undefined }
      return iterationOf(
        (over) => start(connection, operation, run(connection, live, operation, payload), over),
        () => dismiss(operation)
      )
    },
    onError: (_context, _id, _payload, errors) =>
      errors.flatMap(({ cause }) => cause instanceof Refused ? cause.errors : []).map((error) =>
        error.toJSON()
      )
  }
  return hooks
})

const done = { done: true, value: undefined } as const

/**
 * An operation as something to iterate over: over once it is over, and at once when the client has completed it. Its id may name
 * another one then, and the library knows operations by their ids alone.
 */
const iterationOf = (
  start: (over: PromiseWithResolvers<typeof done>) => void,
  dismiss: () => void
): AsyncIterableIterator<never> => {
  const over = Promise.withResolvers<typeof done>()
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => {
      start(over)
      return over.promise
    },
    return: () => {
      dismiss()
      over.resolve(done)
      return Promise.resolve(done)
    }
  }
}
