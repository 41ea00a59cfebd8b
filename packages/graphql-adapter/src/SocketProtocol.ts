/**
 * `graphql-ws` with our parts put in: authentication, the engine's documents and limits, deliveries.
 */
import type { Authenticator } from "@dockline/core/Authenticator"
import type { TakeOn } from "@dockline/core/Capacity"
import type { RequestLimits } from "@dockline/core/RequestLimits"
import { Cause, Effect, Semaphore } from "effect"
import type { Context } from "effect"
import type { ExecutionArgs, ExecutionResult } from "graphql"
import { GraphQLError } from "graphql"
import { makeServer } from "graphql-ws"
import type { SubscribePayload } from "graphql-ws"
import type { IncomingMessage } from "node:http"
import type { RawData, WebSocket } from "ws"
import type { Connection, Operation } from "./Connection.ts"
import { Delivery } from "./Delivery.ts"
import type { GraphqlContext, GraphqlEngine, Prepared } from "./Engine.ts"
import { FrameTurns } from "./FrameTurns.ts"
import type { LiveConfig } from "./GraphqlConfig.ts"
import { badInput, ofCatalogue } from "./GraphqlErrors.ts"
import * as GraphqlMetrics from "./GraphqlMetrics.ts"
import { isTooDeep } from "./RequestBody.ts"
import type { EndReason, Sessions } from "./Sessions.ts"
import type { Subscriptions } from "./Subscriptions.ts"

/** What the protocol is run with. */
export interface ProtocolServices {
  readonly engine: typeof GraphqlEngine.Service
  readonly subscriptions: typeof Subscriptions.Service
  readonly sessions: typeof Sessions.Service
  readonly authenticator: typeof Authenticator.Service
  readonly limits: typeof RequestLimits.Service
  readonly takeOn: TakeOn
  readonly services: Context.Context<never>
  readonly config: LiveConfig
}

/** Runs the protocol on a socket until it closes. */
export interface Protocol {
  readonly open: (socket: WebSocket, connection: Connection, request: IncomingMessage) => void
}

interface Extra {
  readonly connection: Connection
  readonly authorization: string | undefined
}

/** What our `onSubscribe` hands to our `execute` and `subscribe`, by way of the root value. */
type Started =
  | { readonly _tag: "Delivery"; readonly delivery: Delivery }
  | {
    readonly _tag: "Execution"
    readonly prepared: Prepared
    readonly connection: Connection
    readonly operation: Operation
  }

const endings: Readonly<Record<EndReason, readonly [code: number, reason: string]>> = {
  expired: [4403, "The token has expired"],
  disabled: [4403, "The client is disabled"],
  withdrawn: [4403, "The permission was withdrawn"],
  stopping: [1001, "The service stops"]
}

/** How many tokens of sockets are checked at once; all others wait, however many connect again at the same time. */
const loginsAtOnce = 64

/** Makes the protocol. */
export const makeProtocol = (parts: ProtocolServices): Protocol => {
  const runPromise = Effect.runPromiseWith(parts.services)
  const turns = new FrameTurns()
  const logins = Semaphore.makeUnsafe(loginsAtOnce)
  const server = makeServer<Record<string, unknown> | undefined, Extra>({
    connectionInitWaitTimeout: parts.config.initTimeoutMillis,
    onConnect: ({ connectionParams, extra: { connection, authorization } }) =>
      runPromise(
        logins.withPermit(
          authenticate(parts, connection, authorizationOf(connectionParams) ?? authorization)
        )
      ),
    onSubscribe: ({ extra }, id, payload) => start(parts, extra.connection, id, payload),
    execute: ({ rootValue }) => execute(parts, rootValue as Started),
    subscribe: ({ rootValue }) => {
      const started = rootValue as Started
      return started._tag === "Delivery"
        ? started.delivery
        : { errors: [badInput("The operation is no subscription")] }
    },
    onError: (_context, _id, _payload, errors) => errors.map((error) => ownError(error).toJSON())
  })

  return {
    open: (socket, connection, request) => {
      let receive: (text: string) => Promise<void> = () => Promise.resolve()
      const closed = server.opened({
        protocol: socket.protocol,
        send: (text) => connection.send(text),
        close: (code = 1000, reason = "") => connection.close(code, reason),
        onMessage: (handle) => void (receive = handle)
      }, { connection, authorization: request.headers.authorization })
      const onError = (cause: unknown) =>
        isUnexpectedType(cause)
          ? connection.close(4400, "Invalid message received")
          : fail(parts, connection, cause)
      const wait = turns.line()
      socket.on("message", (data: RawData, isBinary: boolean) => {
        if (!takes(parts, connection, sizeOf(data))) return
        connection.waits()
        wait(() => {
          connection.handled()
          if (connection.isClosing) return
          const text = isBinary ? undefined : textOf(connection, data)
          if (text === undefined) connection.close(4400, "Invalid message received")
          else connection.receive(text, receive, onError)
        })
      })
      socket.on("ping", (data: Buffer) => void takes(parts, connection, data.length))
      socket.on("pong", (data: Buffer) => void takes(parts, connection, data.length))
      // A frame that is no WebSocket's: `ws` closes with the code that fits.
      socket.on("error", () => connection.cut(1002, "No frame of a WebSocket"))
      socket.once("close", (code, reason) => {
        connection.closed()
        closed(code, String(reason)).catch((cause) => logDefect(parts, connection, cause))
      })
    }
  }
}

/** Counts a frame that has arrived, and cuts a socket that sends too much; says whether the frame is to be handled. */
const takes = ({ services }: ProtocolServices, connection: Connection, bytes: number): boolean => {
  // What was read before it was cut.
  if (connection.isCut) return false
  if (connection.arrived(bytes)) return !connection.isClosing
  if (!connection.isClosing) {
    GraphqlMetrics.floods.of(connection.live === undefined ? "no" : "yes").updateUnsafe(1, services)
  }
  connection.cut(1008, "Too many frames; send fewer a second")
  return false
}

const sizeOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((size, part) => size + part.length, 0) : data.byteLength

/** The longest frame of a client that is not authenticated, in bytes: a token is shorter. */
const initLimit = 64 * 1024

/** The text of a frame; `undefined` when it is nested too deep, which is judged before anything parses it. */
const textOf = (connection: Connection, data: RawData): string | undefined => {
  if (connection.live === undefined && sizeOf(data) > initLimit) return undefined
  const text = String(data)
  return isTooDeep(text) ? undefined : text
}

/** Takes in an operation: what graphql-ws is to execute, or why not. Each one counts as a request (D10.5). */
const start = async (
  parts: ProtocolServices,
  connection: Connection,
  id: string,
  payload: SubscribePayload
): Promise<ExecutionArgs | ReadonlyArray<GraphQLError>> => {
  const operation = connection.enter(id)
  if (operation instanceof GraphQLError) return [operation]
  const refusal = await admit(parts, connection)
  if (refusal !== undefined) return [refusal]
  const prepared = parts.engine.prepare(payload)
  if (!("document" in prepared)) return prepared
  const { document, operationName } = prepared
  let started: Started = { _tag: "Execution", prepared, connection, operation }
  if (prepared.operation.operation === "subscription") {
    const delivery = await deliver(parts, connection, id, prepared)
    if (!(delivery instanceof Delivery)) return delivery
    started = { _tag: "Delivery", delivery }
  }
  return { schema: parts.engine.schema, document, operationName, rootValue: started }
}

/** Why the client may not run another operation now; the socket stays. */
const admit = (
  { limits, services }: ProtocolServices,
  connection: Connection
): Promise<GraphQLError | undefined> =>
  Effect.runPromiseWith(services)(
    limits.take(connection.live!.session.principal.clientId).pipe(
      Effect.match({ onFailure: ofCatalogue, onSuccess: () => undefined })
    )
  )

const deliver = async (
  parts: ProtocolServices,
  connection: Connection,
  id: string,
  prepared: Prepared
): Promise<Delivery | ReadonlyArray<GraphQLError>> => {
  const subscription = await parts.subscriptions.open(prepared, contextOf(connection))
  if (!("messages" in subscription)) return subscription
  const unwatch = connection.live!.watch(subscription.messages.query)
  const delivery: Delivery = new Delivery(connection.clientId(id), subscription, connection.outbox, {
    onPage: connection.page,
    onRead: connection.live!.read,
    onTooSlow: () => connection.close(4429, "Consumer too slow; resume with afterId"),
    onDefect: (cause) => fail(parts, connection, cause),
    onEnd: () => {
      unwatch()
      connection.release(delivery)
    }
  }, parts.services)
  connection.adopt(delivery)
  // The socket may have closed while the subscription was opened.
  if (connection.isClosing) delivery.stop()
  return delivery
}

const execute = async (
  { engine, services, takeOn }: ProtocolServices,
  started: Started
): Promise<ExecutionResult> => {
  if (started._tag !== "Execution") return { errors: [badInput("The operation is a subscription")] }
  const { prepared, connection, operation } = started
  await connection.turn(operation)
  if (connection.isClosing) return { errors: [badInput("The socket is closed")] }
  const context = contextOf(connection)
  return Effect.runPromiseWith(services)(
    takeOn(
      context.session.principal.clientId,
      Effect.promise(() => engine.execute(prepared, context))
    ).pipe(Effect.catchTag("Overloaded", (error) => Effect.succeed({ errors: [ofCatalogue(error)] })))
  )
}

const contextOf = (connection: Connection): GraphqlContext => ({
  session: connection.live!.session,
  correlationId: connection.correlationId
})

const logDefect = ({ services }: ProtocolServices, { correlationId }: Connection, cause: unknown): void => {
  Effect.runForkWith(services)(
    Effect.logError("Socket failed", Cause.die(cause)).pipe(Effect.annotateLogs({ correlationId }))
  )
}

const fail = (parts: ProtocolServices, connection: Connection, cause: unknown): void => {
  logDefect(parts, connection, cause)
  connection.close(4500, "Internal server error")
}

/** Whether the client may connect; where that cannot be judged, or it has too many connections, the socket is closed. */
const authenticate = (
  { authenticator, sessions }: ProtocolServices,
  connection: Connection,
  authorization: string | undefined
): Effect.Effect<boolean> =>
  authenticator.authenticate(authorization).pipe(
    Effect.map((session) => {
      if (connection.isClosing) return false
      const live = sessions.open(session, (reason) => connection.close(...endings[reason]))
      if (live === undefined) connection.close(1013, "The client has too many connections; close some")
      else connection.authenticated(live)
      return live !== undefined
    }),
    Effect.catchTags({
      Unauthenticated: () => Effect.succeed(false),
      StorageUnavailable: () =>
        Effect.as(Effect.sync(() => connection.close(1013, "Try again later")), false),
      IssuerUnavailable: () => Effect.as(Effect.sync(() => connection.close(1013, "Try again later")), false)
    })
  )

/** The `Authorization` of the init message, under whatever case of its name. */
const authorizationOf = (params: Record<string, unknown> | undefined): string | undefined => {
  const [, value] = Object.entries(params ?? {}).find(([name]) => name.toLowerCase() === "authorization") ??
    []
  return typeof value === "string" ? value : undefined
}

/** An operation that fails on its way is given to us within an error of the library's own. */
const ownError = (error: GraphQLError): GraphQLError =>
  error.extensions["code"] === undefined && error.cause instanceof GraphQLError ? error.cause : error

/** A message that is well-formed and that only a server sends. */
const isUnexpectedType = (cause: unknown): boolean =>
  cause instanceof Error && cause.message.startsWith("Unexpected message of type")
