/**
 * Sockets and event streams of an engine over memory on a real server, with clients whose tokens and grants the tests
 * move as they like.
 */
import type { Grant } from "@dockline/core/access/Access"
import { Authenticator } from "@dockline/core/access/Authenticator"
import type { Session } from "@dockline/core/access/Authenticator"
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import type { MessageDraft } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { StorageUnavailable, Unauthenticated } from "@dockline/core/values/Errors"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { NodeServer } from "@dockline/server/NodeServer"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { request as httpRequest } from "node:http"
import type { Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { assert } from "vitest"
import { WebSocket } from "ws"
import { over } from "../../../test/support/Tests.ts"
import type { AddTest } from "../../../test/support/Tests.ts"
import * as GraphqlAdapter from "../src/GraphqlAdapter.ts"
import { defaultGraphqlConfig, defaultLiveConfig } from "../src/GraphqlConfig.ts"
import type { GraphqlConfig, LiveConfig } from "../src/GraphqlConfig.ts"
import type { GraphqlPart } from "../src/schema/Schema.ts"
import { WebSockets } from "../src/socket/WebSockets.ts"
import * as EngineSetup from "./EngineSetup.ts"

/** What the tests move. */
export interface Control {
  /** Grants by client id; a client that is not there is disabled. */
  readonly grants: Map<string, ReadonlyArray<Grant>>
  /** When tokens of a client expire; in an hour unless said. */
  readonly expiresAt: Map<string, number>
  /** Whether the storage that knows clients is away. */
  isAway: boolean
  /** How often a connected client was looked up. */
  lookups: number
}

/** A server with sockets. */
export class LiveServer extends Context.Service<LiveServer, {
  readonly url: string
  readonly httpUrl: string
  readonly control: Control
  readonly server: Server
}>()("test/LiveServer") {}

const authenticator = (control: Control) => {
  const away = Effect.suspend(() => Effect.fail(new StorageUnavailable({ cause: "away" })))
  const session = (clientId: string): Effect.Effect<Session, Unauthenticated | StorageUnavailable> => {
    const grants = control.grants.get(clientId)
    if (control.isAway) return away
    if (grants === undefined) return Effect.fail(new Unauthenticated())
    const expiresAt = control.expiresAt.get(clientId) ?? Date.now() + 3_600_000
    return Effect.succeed({ principal: { clientId, grants }, expiresAt })
  }
  return Layer.succeed(
    Authenticator,
    Authenticator.of({
      authenticate: (header) => session(/^Bearer (.+)$/.exec(header ?? "")?.[1] ?? ""),
      current: (clientId) =>
        Effect.suspend(() => {
          control.lookups++
          return Effect.map(session(clientId), ({ principal }) => principal)
        })
    })
  )
}

/** Intervals that let the tests of D8.7 end soon. */
const quick: LiveConfig = { ...defaultLiveConfig, expiryMillis: 20, recheckMillis: 20, closeMillis: 300 }

/** What differs from the usual. */
export interface LiveOptions {
  readonly config?: Partial<GraphqlConfig>
  readonly live?: Partial<LiveConfig>
  readonly parts?: ReadonlyArray<GraphqlPart>
  readonly limits?: Layer.Layer<RequestLimits>
}

/** A server, the engine that it serves, and the storage under it. */
export const layer = (options: LiveOptions = {}) => {
  const { config: settings = {}, live = {}, limits = RequestLimits.layerNone, parts } = options
  const config: GraphqlConfig = { ...defaultGraphqlConfig, live: { ...quick, ...live }, ...settings }
  const control: Control = {
    grants: new Map(Object.entries(EngineSetup.grants)),
    expiresAt: new Map(),
    isAway: false,
    lookups: 0
  }
  const server = new NodeServer()
  const attachment = Layer.effect(
    LiveServer,
    Effect.gen(function*() {
      const sockets = yield* WebSockets
      server.upgrades.register(sockets)
      const address = `127.0.0.1:${(server.address() as AddressInfo).port}${config.path}`
      return LiveServer.of({ url: `ws://${address}`, httpUrl: `http://${address}`, control, server })
    })
  )
  return attachment.pipe(
    Layer.provide(
      HttpRouter.serve(GraphqlAdapter.routes(config), { disableLogger: true, disableListenLog: true }).pipe(
        Layer.provideMerge(
          NodeHttpServer.layer(() => server, {
            host: "127.0.0.1",
            port: 0,
            gracefulShutdownTimeout: "1 second"
          })
        )
      )
    ),
    Layer.provideMerge(GraphqlAdapter.layer(config, parts)),
    Layer.provide([authenticator(control), limits]),
    Layer.provideMerge(EngineSetup.services)
  )
}

/** A frame of the protocol. */
export interface Frame {
  readonly type: string
  readonly id?: string
  readonly payload?: unknown
}

/** A socket that says exactly what the test says. */
export class RawSocket implements Disposable {
  readonly socket: WebSocket
  readonly frames: Array<Frame> = []
  /** The close code and reason. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  #waiting: (() => void) | undefined

  constructor(url: string, options: { readonly protocol?: string; readonly authorization?: string } = {}) {
    const { protocol = "graphql-transport-ws", authorization } = options
    this.socket = new WebSocket(url, protocol, {
      headers: authorization === undefined ? {} : { authorization }
    })
    this.socket.on("message", (data) => {
      this.frames.push(JSON.parse(String(data)) as Frame)
      this.#wake()
    })
    this.closed = new Promise((resolve) => {
      this.socket.on("close", (code, reason) => {
        resolve({ code, reason: String(reason) })
        this.#wake()
      })
    })
    this.socket.on("error", () => undefined)
  }

  /** Opens the socket, and has its client accepted. */
  static async connect(url: string, client: string): Promise<RawSocket> {
    const socket = new RawSocket(url)
    await socket.untilOpen
    socket.send({ type: "connection_init", payload: { Authorization: `Bearer ${client}` } })
    assert.strictEqual((await socket.next()).type, "connection_ack")
    return socket
  }

  get untilOpen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.once("open", () => resolve())
      this.socket.once("error", reject)
    })
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame))
  }

  /** Subscribes with a filter. */
  subscribe(id: string, filter: Record<string, unknown>, query = defaultSubscription): void {
    this.send({ type: "subscribe", id, payload: { query, variables: { filter } } })
  }

  /** The next frame. */
  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.frames.shift()
      if (frame !== undefined) return frame
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error("The socket is closed")
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
    }
  }

  /** Completes once everything that was sent before has been handled by the server. */
  async ping(): Promise<void> {
    this.send({ type: "ping" })
    assert.strictEqual((await this.next()).type, "pong")
  }

  #wake(): void {
    this.#waiting?.()
    this.#waiting = undefined
  }

  [Symbol.dispose](): void {
    this.socket.terminate()
  }
}

/** Everything of a message. */
export const defaultSubscription = `subscription ($filter: PushMessageSubscriptionFilter!) {
  pushMessage(filter: $filter) { id businessSlug facilitySlug messageType message sentAt }
}`

/** A message as the subscription gives it. */
export interface MessageRecord {
  readonly id: number
  readonly businessSlug: string
  readonly facilitySlug: string
  readonly messageType: string
  readonly message: { readonly n: number }
  readonly sentAt: string
}

/** The message of a frame. */
export const messageOf = (frame: Frame): MessageRecord => {
  assert.strictEqual(frame.type, "next", JSON.stringify(frame))
  return (frame.payload as { readonly data: { readonly pushMessage: MessageRecord } }).data.pushMessage
}

/** The codes of an error frame. */
export const refusalOf = (
  frame: Frame
): readonly [id: string | undefined, code: unknown, reason: unknown] => {
  assert.strictEqual(frame.type, "error", JSON.stringify(frame))
  const [error] = frame.payload as ReadonlyArray<{ readonly extensions?: Record<string, unknown> }>
  return [frame.id, error?.extensions?.["code"], error?.extensions?.["reason"]]
}

let count = 0

/** A message to append, with a number of its own. */
export const draft = (fields: Partial<MessageDraft> = {}): MessageDraft => ({
  business: "acme",
  facility: "east",
  type: "PALLET_EVENT",
  payload: { n: ++count },
  shipmentId: 1,
  ...fields
})

/** Appends messages. */
export const append = (...drafts: ReadonlyArray<MessageDraft>) =>
  Effect.flatMap(MessageLog, (log) => log.append(drafts))

/** Tests on one server. */
export const onServer = (
  options: LiveOptions,
  tests: (test: AddTest<Layer.Success<ReturnType<typeof layer>>>) => void
): void => over(layer(options))("on one server", tests)

const forTheTest = (open: () => Promise<RawSocket>) =>
  Effect.acquireRelease(Effect.promise(open), (socket) => Effect.sync(() => socket[Symbol.dispose]()))

/** A socket at an address on which nothing was said yet, for the length of the test. */
export const openAt = (url: string, options?: ConstructorParameters<typeof RawSocket>[1]) =>
  forTheTest(async () => {
    const socket = new RawSocket(url, options)
    await socket.untilOpen
    return socket
  })

/** A socket on which nothing was said yet, for the length of the test. */
export const open = (options?: ConstructorParameters<typeof RawSocket>[1]) =>
  Effect.flatMap(LiveServer, ({ url }) => openAt(url, options))

/** A socket at an address of a client that was accepted, for the length of the test. */
export const connectAt = (url: string, client = "acme-client") =>
  forTheTest(() => RawSocket.connect(url, client))

/** A socket of a client that was accepted, for the length of the test. */
export const connect = (client?: string) => Effect.flatMap(LiveServer, ({ url }) => connectAt(url, client))

/** Sends an operation over HTTP, and is answered as text. */
export const post = (
  body: object,
  { accept = "application/json", client = "acme-client", ...headers }: Readonly<Record<string, string>> = {}
) =>
  Effect.flatMap(LiveServer, ({ httpUrl }) =>
    Effect.promise(async () => {
      const response = await fetch(httpUrl, {
        method: "POST",
        headers: {
          authorization: `Bearer ${client}`,
          "content-type": "application/json",
          accept,
          ...headers
        },
        body: JSON.stringify(body)
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }))

/** Follows messages over an event stream that is never read, for the length of the test. */
export const followUnread = Effect.fnUntraced(function*(filter: Record<string, unknown>) {
  const { httpUrl } = yield* LiveServer
  const headers = {
    authorization: "Bearer acme-client",
    accept: "text/event-stream",
    "content-type": "application/json"
  }
  const request = httpRequest(httpUrl, { method: "POST", headers, agent: false }, () => undefined)
  yield* Effect.addFinalizer(() => Effect.sync(() => request.destroy()))
  request.on("error", () => undefined)
  request.end(JSON.stringify({ query: defaultSubscription, variables: { filter } }))
  yield* Effect.promise(() => new Promise((resolve) => request.once("response", resolve)))
})

/** The server's ends of the connections to come, in the order in which they are opened. */
export const serverEnds = Effect.map(LiveServer, ({ server }) => {
  const ends: Array<Socket> = []
  server.on("connection", (socket) => void ends.push(socket))
  return ends
})

/** Appends messages until a socket has got one: when exactly a subscription begins nobody can tell. */
export const begin = Effect.fnUntraced(function*(socket: RawSocket) {
  while (socket.frames.length === 0) {
    yield* append(draft())
    yield* turn
  }
})

/** Gives the event loop a turn. */
export const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** The newest id of a business. */
export const lastId = (business: string) =>
  Effect.flatMap(MessageLog, (log) =>
    Effect.map(
      log.read({ business, facility: undefined, types: messageTypes }, { afterId: 0 }, 1),
      (page) => page.lastId
    ))

/** A socket that follows a filter, from now on unless the filter says otherwise. */
export const following = Effect.fnUntraced(function*(
  filter: { readonly businessSlug: string } & Record<string, unknown>,
  client?: string
) {
  const socket = yield* connect(client)
  socket.subscribe("a", { afterId: yield* lastId(filter.businessSlug), ...filter })
  return socket
})

/** The next frame of a socket. */
export const next = (socket: RawSocket) => Effect.promise(() => socket.next())

/** The next messages of a socket. */
export const take = (socket: RawSocket, count: number) =>
  Effect.promise(async () => {
    const messages: Array<MessageRecord> = []
    while (messages.length < count) messages.push(messageOf(await socket.next()))
    return messages
  })

/** The code with which a socket is closed. */
export const closeOf = (socket: RawSocket) =>
  Effect.map(Effect.promise(() => socket.closed), ({ code }) => code)
