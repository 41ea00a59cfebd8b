/**
 * The protocol `graphql-transport-ws` on a socket, by the server of `graphql-ws`. The server gets the frames of all sockets in turns, one
 * at a time, and finishes its synchronous work before the next frame. Before its acknowledgement, a client can only have its token checked.
 * A socket that sends too much is cut.
 *
 * An operation counts as a request of its client (D10.5). Once the client has completed it, its id is free for another operation, but it
 * counts as running until it ends. `graphql-ws` iterates over an operation, and would serialize each result at once, and separately for
 * each subscriber. Here its iterator yields nothing: messages are sent as bytes that subscribers share, and answers as texts made in
 * slices.
 */
import { Authenticator } from "@dockline/core/access/Authenticator"
import { AnswerMemory, Capacity, OpenAnswerMemory, RequestLimits } from "@dockline/core/access/RequestLimits"
import * as JsonText from "@dockline/core/input/JsonText"
import * as JsonWriter from "@dockline/core/input/JsonWriter"
import * as Slices from "@dockline/core/input/Slices"
import { Cause, Effect, Exit, Option, Predicate, Result, Semaphore } from "effect"
import { parse } from "graphql"
import type { ExecutionResult, GraphQLError } from "graphql"
import { CloseCode, makeServer, MessageType } from "graphql-ws"
import type { ConnectionInitMessage, SubscribePayload } from "graphql-ws"
import type { RawData, WebSocket } from "ws"
import { GraphqlEngine } from "../engine/Engine.ts"
import { memoryFor, partsOf } from "../engine/GraphqlOperation.ts"
import type { GraphqlOperation } from "../engine/GraphqlOperation.ts"
import type { LiveConfig } from "../GraphqlConfig.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { endTexts, Sessions, tooManyText } from "../live/Sessions.ts"
import type { LiveSession } from "../live/Sessions.ts"
import { Subscriptions } from "../live/Subscriptions.ts"
import { ofCatalogue } from "../resolvers/Run.ts"
import { dismiss } from "./Connection.ts"
import type { Connection, SocketOperation } from "./Connection.ts"
import { makeFrameTurns } from "./Frames.ts"
import { startPush } from "./SocketPush.ts"

/** The longest frame of a client that is not authenticated, in bytes; tokens are shorter. */
const initLimit = 64 * 1024

/** The longest id of an operation. Each frame of the operation repeats the id. */
const idLimit = 256

/** The most sockets whose tokens are checked at once after `connection_init`; the others wait. */
const loginsAtOnce = 64

/** The library requires a document before it executes an operation. The real document is parsed after the rate limit. */
const placeholder = parse("{ __typename }")

/** Types of messages that only servers send. */
const serverTypes: ReadonlySet<unknown> = new Set([
  MessageType.ConnectionAck,
  MessageType.Next,
  MessageType.Error
])

/** Whether a text may be a message of a client. `graphql-ws` checks the members, but does not refuse duplicate keys, as this does. */
const isMessage = (text: string): boolean => {
  const json = JsonText.parse(text)
  return Result.isSuccess(json) && Predicate.isObject(json.success) &&
    !serverTypes.has(Reflect.get(json.success, "type"))
}

/**
 * Makes the function that runs the protocol on a socket until it closes; `isOwn` if the adapter made the socket, and reads it in slices.
 */
export const make = Effect.fnUntraced(function*({ initTimeoutMillis }: LiveConfig) {
  const { schema } = yield* GraphqlEngine
  const services = yield* Effect.context<never>()
  const signIn = yield* makeSignIn
  const addLine = makeFrameTurns()

  const fail = (connection: Connection, cause: unknown): void => {
    const { correlationId } = connection.upgrade
    Effect.runForkWith(services)(
      Effect.annotateLogs(Effect.logError("Socket failed", Cause.die(cause)), { correlationId })
    )
    connection.close(CloseCode.InternalServerError, "Internal server error")
  }
  const run = yield* makeRun(fail)

  const server = makeServer<ConnectionInitMessage["payload"], Connection>({
    connectionInitWaitTimeout: initTimeoutMillis,
    onConnect: ({ connectionParams = {}, extra: connection }) =>
      Effect.runPromiseWith(services)(
        signIn(connection, authorizationOf(connectionParams) ?? connection.upgrade.authorization)
      ),
    onSubscribe: ({ extra: connection }, id) => {
      if (id.length > idLimit) {
        connection.close(CloseCode.BadRequest, `The id of an operation has at most ${idLimit} characters`)
      }
      return { schema, document: placeholder }
    },
    execute: () => ({}),
    onOperation: ({ extra: connection }, id, payload) => {
      const { isClosing, live, textLength: size } = connection
      if (live === undefined || isClosing) return
      const operation = { id, size, isWanted: true, isExecuting: false, stop: undefined }
      const running = Effect.ensuring(
        run(connection, live, operation, payload),
        Effect.sync(() => connection.end(operation))
      )
      return iterationOf(
        (end) =>
          Effect.runForkWith(services)(running).addObserver((exit) => {
            const refusal = Option.getOrUndefined(Exit.findErrorOption(exit))
            if (refusal !== undefined) return end.reject(refusal)
            if (Exit.isFailure(exit)) fail(connection, Cause.squash(exit.cause))
            end.resolve(done)
          }),
        () => dismiss(operation)
      )
    },
    onError: (_context, _id, _payload, errors) =>
      errors.flatMap(({ cause }) => cause instanceof Refusal ? cause.errors : []).map((error) =>
        error.toJSON()
      )
  })

  /** Counts a frame, and cuts a socket that sends too much. Returns whether to handle the frame. */
  const takes = (connection: Connection, bytes: number): boolean => {
    // Ignores frames that were read before the socket was cut.
    if (connection.isCut) return false
    if (connection.arrived(bytes)) return !connection.isClosing
    if (!connection.isClosing) {
      GraphqlMetrics.floods.of(connection.live === undefined ? "no" : "yes").updateUnsafe(1, services)
    }
    connection.cutOff(1008, "Too many frames; send fewer a second")
    return false
  }

  return (socket: WebSocket, connection: Connection, isOwn: boolean): void => {
    let take: ((text: string) => Promise<void>) | undefined
    const closed = server.opened({
      protocol: socket.protocol,
      send: (text) => connection.outbox.send(text),
      close: (code = CloseCode.InternalServerError, reason = "") => connection.close(code, reason),
      onMessage: (handle) => {
        take = handle
      }
    }, connection)
    const wait = addLine()
    if (isOwn) connection.readInSlices(wait)

    const handle = (data: RawData, isBinary: boolean): void => {
      if (connection.isClosing) return
      const text = String(data)
      if (isBinary || (connection.live === undefined && sizeOf(data) > initLimit) || !isMessage(text)) {
        return connection.close(CloseCode.BadRequest, "Invalid message received")
      }
      connection.textLength = text.length
      take?.(text).catch((cause) => fail(connection, cause))
    }
    socket.on("message", (data: RawData, isBinary: boolean) => {
      if (takes(connection, sizeOf(data))) connection.inTurn(wait, () => handle(data, isBinary))
    })
    socket.on("ping", (data: Buffer) => void takes(connection, data.length))
    socket.on("pong", (data: Buffer) => void takes(connection, data.length))
    // An invalid frame: `ws` has already begun to close with the fitting code.
    socket.on("error", () => connection.cutOff(1002, "No frame of a WebSocket"))
    socket.once("close", () => {
      connection.release()
      void closed()
    })
  }
})

/** Makes the function that signs a client in; it returns whether the client may connect. */
const makeSignIn = Effect.gen(function*() {
  const authenticator = yield* Authenticator
  const sessions = yield* Sessions
  const logins = Semaphore.makeUnsafe(loginsAtOnce)
  return (connection: Connection, authorization: string | undefined): Effect.Effect<boolean> => {
    const refuse = (code: number, reason: string) =>
      Effect.sync(() => {
        connection.close(code, reason)
        return false
      })
    return logins.withPermit(authenticator.authenticate(authorization)).pipe(
      Effect.flatMap((session) => {
        if (connection.isClosing) return Effect.succeed(false)
        const live = sessions.open(
          session,
          (reason) => connection.close(reason === "stopping" ? 1001 : CloseCode.Forbidden, endTexts[reason])
        )
        if (live === undefined) return refuse(1013, tooManyText)
        connection.signedIn(live)
        return Effect.succeed(true)
      }),
      Effect.catch((error) =>
        error._tag === "Unauthenticated"
          ? refuse(CloseCode.Forbidden, "Forbidden")
          : refuse(1013, "Try again later")
      )
    )
  }
})

/** Carries the errors of a refused operation through the iterator of the library. */
class Refusal extends Error {
  readonly errors: ReadonlyArray<GraphQLError>

  constructor(errors: ReadonlyArray<GraphQLError>) {
    super("refused")
    this.errors = errors
  }
}

/** Makes the function that runs operations; `fail` receives defects. */
const makeRun = Effect.fnUntraced(function*(fail: (connection: Connection, cause: unknown) => void) {
  const engine = yield* GraphqlEngine
  const subscriptions = yield* Subscriptions
  const limits = yield* RequestLimits
  const admitWork = yield* Capacity
  const openMemory = yield* OpenAnswerMemory
  const services = yield* Effect.context<never>()

  const contextOf = ({ upgrade: { correlationId } }: Connection, { session }: LiveSession) => ({
    session,
    correlationId
  })

  const deliver = Effect.fnUntraced(function*(
    connection: Connection,
    live: LiveSession,
    operation: SocketOperation,
    document: GraphqlOperation
  ) {
    const subscription = yield* Effect.promise(() =>
      subscriptions.open(document, contextOf(connection, live))
    )
    if (!("messages" in subscription)) return yield* Effect.fail(new Refusal(subscription))
    // Meanwhile, the client may have completed the operation, or closed the socket.
    if (!operation.isWanted) return subscription.close()
    const unwatch = live.watch(subscription.messages.query)
    yield* Effect.callback<void, Refusal>((resume) => {
      operation.stop = startPush(operation.id, subscription, connection.outbox, {
        onPage: connection.page,
        onRead: live.read,
        onTooSlow: () => connection.close(4429, "Consumer too slow; resume with afterId"),
        onDefect: (cause) => fail(connection, cause),
        onEnd: (error) => {
          unwatch()
          resume(error === undefined ? Effect.void : Effect.fail(new Refusal([error])))
        }
      }, services)
      if (!operation.isWanted) operation.stop()
    })
  })

  /** Executes a query or a mutation once the process has capacity for it. */
  const execute = Effect.fnUntraced(function*(
    connection: Connection,
    live: LiveSession,
    operation: SocketOperation,
    document: GraphqlOperation
  ) {
    const { principal } = live.session
    const { memory, release } = openMemory(principal)
    const execution = Effect.contextWith((fiber: typeof services) =>
      Effect.promise(() => engine.execute(document, { ...contextOf(connection, live), fiber }))
    )
    const write = (result: ExecutionResult) => Slices.run(JsonWriter.join(partsOf(result)))
    yield* admitWork(principal, Effect.flatMap(execution, write)).pipe(
      Effect.catchTag("Overloaded", (error) => write({ errors: [ofCatalogue(error)] })),
      Effect.provideService(AnswerMemory, memoryFor(memory)),
      Effect.flatMap((payload) =>
        connection.answer(
          operation,
          `{"id":${JSON.stringify(operation.id)},"type":"${MessageType.Next}","payload":${payload}}`
        )
      ),
      Effect.ensuring(Effect.sync(release))
    )
  })

  return Effect.fnUntraced(function*(
    connection: Connection,
    live: LiveSession,
    operation: SocketOperation,
    payload: SubscribePayload
  ) {
    const refusal = connection.begin(operation)
    if (refusal !== undefined) return yield* Effect.fail(new Refusal([refusal]))
    yield* Effect.mapError(
      limits.count(live.session.principal.clientId),
      (error) => new Refusal([ofCatalogue(error)])
    )
    const document = engine.prepare(payload, connection.upgrade.path)
    if (!("document" in document)) return yield* Effect.fail(new Refusal(document))
    if (document.type === "subscription") return yield* deliver(connection, live, operation, document)
    yield* connection.execute(operation, execute(connection, live, operation, document))
  })
})

const done = { done: true, value: undefined } as const

/**
 * The iterator of an operation for the library. It ends with the operation, or as soon as the client completes the operation: its id may
 * then belong to another operation, and the library identifies operations only by id.
 */
const iterationOf = (
  start: (end: PromiseWithResolvers<typeof done>) => void,
  dismiss: () => void
): AsyncIterableIterator<never> => {
  const end = Promise.withResolvers<typeof done>()
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => {
      start(end)
      return end.promise
    },
    return: () => {
      dismiss()
      end.resolve(done)
      return Promise.resolve(done)
    }
  }
}

const sizeOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((size, part) => size + part.length, 0) : data.byteLength

/** The `Authorization` of the `connection_init` message, in upper or lower case. */
const authorizationOf = (params: Readonly<Record<string, unknown>>): string | undefined => {
  const value = Object.entries(params).find(([name]) => name.toLowerCase() === "authorization")?.[1]
  return typeof value === "string" ? value : undefined
}
