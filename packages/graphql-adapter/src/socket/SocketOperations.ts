/**
 * Runs the operations of a socket. An operation counts as a request of its client (D10.5). Its id is free once the
 * client has completed it; the operation counts until it is over.
 */
import type { Authenticator } from "@dockline/core/Authenticator"
import * as Slices from "@dockline/core/internal/input/Slices"
import { AnswerRoom } from "@dockline/core/RequestLimits"
import type { OpenRoom, RequestLimits, Room, TakeOn } from "@dockline/core/RequestLimits"
import { Cause, Context, Effect } from "effect"
import type { ExecutionResult } from "graphql"
import { GraphQLError } from "graphql"
import { CloseCode } from "graphql-ws"
import type { SubscribePayload } from "graphql-ws"
import type { GraphqlEngine } from "../engine/Engine.ts"
import type { Prepared } from "../engine/Prepared.ts"
import * as ResultRoom from "../engine/ResultRoom.ts"
import type { LiveConfig } from "../GraphqlConfig.ts"
import type { Sessions } from "../live/Sessions.ts"
import type { Subscriptions } from "../live/Subscriptions.ts"
import { ofCatalogue } from "../resolvers/GraphqlErrors.ts"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { Connection, Operation } from "./Connection.ts"
import * as SocketMessages from "./SocketMessages.ts"
import { SocketPush } from "./SocketPush.ts"

export interface ProtocolServices {
  readonly engine: typeof GraphqlEngine.Service
  readonly subscriptions: typeof Subscriptions.Service
  readonly sessions: typeof Sessions.Service
  readonly authenticator: typeof Authenticator.Service
  readonly limits: typeof RequestLimits.Service
  readonly takeOn: TakeOn
  readonly openRoom: OpenRoom
  readonly services: Context.Context<never>
  readonly config: LiveConfig
}

/** The longest id of an operation: each of its frames repeats it. */
const idLimit = 256

/** Runs an operation, unless its message is against the protocol. */
export const subscribe = async (
  parts: ProtocolServices,
  connection: Connection,
  id: string,
  payload: SubscribePayload,
  size: number
): Promise<void> => {
  if (connection.live === undefined) return connection.close(CloseCode.Unauthorized, "Unauthorized")
  if (id.length > idLimit) {
    return connection.close(CloseCode.BadRequest, `The id of an operation has at most ${idLimit} characters`)
  }
  if (connection.isInUse(id)) {
    return connection.close(
      CloseCode.SubscriberAlreadyExists,
      "The id of an operation that is running was used again"
    )
  }
  const operation = connection.begin(id, size)
  if (operation instanceof GraphQLError) return connection.send(SocketMessages.error(id, [operation]))
  try {
    await run(parts, connection, operation, payload)
  } finally {
    connection.end(operation)
  }
}

const run = async (
  parts: ProtocolServices,
  connection: Connection,
  operation: Operation,
  payload: SubscribePayload
): Promise<void> => {
  const refuse = (errors: ReadonlyArray<GraphQLError>) =>
    connection.finish(operation, SocketMessages.error(operation.id, errors))
  const refusal = await admit(parts, connection)
  if (refusal !== undefined) return refuse([refusal])
  const prepared = parts.engine.prepare(payload)
  if (!("document" in prepared)) return refuse(prepared)
  if (prepared.operation.operation === "subscription") {
    const errors = await deliver(parts, connection, operation, prepared)
    return errors.length === 0 ? undefined : refuse(errors)
  }
  await connection.turn(operation)
  if (connection.isClosing) return
  const { release, room } = parts.openRoom(connection.live!.session.principal.clientId)
  try {
    await connection.answer(operation, await execute(parts, connection, operation, prepared, room))
  } finally {
    release()
  }
  await connection.finish(operation, SocketMessages.complete(operation.id))
}

/** The refusal of a client that may not run another operation now; the socket stays. */
const admit = (
  { limits, services }: ProtocolServices,
  connection: Connection
): Promise<GraphQLError | undefined> =>
  Effect.runPromiseWith(services)(
    limits.take(connection.live!.session.principal.clientId).pipe(
      Effect.match({ onFailure: ofCatalogue, onSuccess: () => undefined })
    )
  )

/** Sends a subscription until it is over; resolves to the errors that refused or ended it. */
const deliver = async (
  parts: ProtocolServices,
  connection: Connection,
  operation: Operation,
  prepared: Prepared
): Promise<ReadonlyArray<GraphQLError>> => {
  const subscription = await parts.subscriptions.open(prepared, contextOf(connection))
  if (!("messages" in subscription)) return subscription
  // The client may have completed it meanwhile, or be gone.
  if (!operation.isWanted) {
    subscription.close()
    return []
  }
  const unwatch = connection.live!.watch(subscription.messages.query)
  const error = await new Promise<GraphQLError | undefined>((resolve) => {
    operation.push = new SocketPush(operation.id, subscription, connection.outbox, {
      onPage: connection.page,
      onRead: connection.live!.read,
      onTooSlow: () => connection.close(4429, "Consumer too slow; resume with afterId"),
      onDefect: (cause) => fail(parts, connection, cause),
      onEnd: (error) => {
        unwatch()
        resolve(error)
      }
    }, parts.services)
    operation.push.start()
  })
  return error === undefined ? [] : [error]
}

/** Executes a query or a mutation in its turn among all work of the process; resolves to the frame of its result. */
const execute = (
  { engine, services, takeOn }: ProtocolServices,
  connection: Connection,
  { id }: Operation,
  prepared: Prepared,
  room: Room
): Promise<string> => {
  const context = {
    ...contextOf(connection),
    fiber: Context.add(services, AnswerRoom, ResultRoom.twice(room))
  }
  return Effect.runPromiseWith(services)(
    takeOn(
      context.session.principal.clientId,
      Effect.promise(() => engine.execute(prepared, context))
    ).pipe(
      Effect.catchTag(
        "Overloaded",
        (error): Effect.Effect<ExecutionResult> => Effect.succeed({ errors: [ofCatalogue(error)] })
      ),
      Effect.flatMap((result) => Slices.run(SocketMessages.next(id, result)))
    )
  )
}

const contextOf = (connection: Connection): GraphqlContext => ({
  session: connection.live!.session,
  correlationId: connection.correlationId
})

export const fail = ({ services }: ProtocolServices, connection: Connection, cause: unknown): void => {
  const { correlationId } = connection
  Effect.runForkWith(services)(
    Effect.logError("Socket failed", Cause.die(cause)).pipe(Effect.annotateLogs({ correlationId }))
  )
  connection.close(CloseCode.InternalServerError, "Internal server error")
}
