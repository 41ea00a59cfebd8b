/**
 * A service that does what a real one does seldom: refuse, drop, overload. It speaks HTTP and graphql-transport-ws
 * with messages that the test holds.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { WebSocketServer } from "ws"
import type { WebSocket } from "ws"
import type { PushMessage } from "../../examples/customer/src/PushMessage.ts"

/** What was asked for. */
export interface Asked {
  readonly kind: "token" | "history" | "live"
  readonly token: string
  readonly afterId: number
  readonly limit: number
}

/** A fault: an HTTP status with a body, or GraphQL errors. */
export interface Fault {
  readonly status?: number
  readonly body: unknown
}

/** A fault with one GraphQL error. */
export const graphqlFault = (
  code: string,
  message: string,
  more: Readonly<Record<string, unknown>> = {}
): Fault => ({
  body: { errors: [{ message, extensions: { code, ...more } }] }
})

/** A running service. */
export interface FakeService {
  readonly url: string
  /** The log; messages pushed to it by {@link publish} also go to subscribers. */
  readonly log: Array<PushMessage>
  readonly asked: Array<Asked>
  /** Seconds that tokens live. */
  tokenLifetime: number
  /** Answers instead of the usual when it returns a fault. */
  fault: (asked: Asked) => Fault | undefined
  readonly publish: (...messages: ReadonlyArray<PushMessage>) => void
  /** Resolves when everything sent has arrived. */
  readonly arrived: () => Promise<unknown>
  /** Closes all sockets. */
  readonly closeSockets: (code: number, reason: string) => void
  readonly stop: () => Promise<void>
}

interface Subscriber {
  readonly socket: WebSocket
  readonly id: string
}

/** Starts one on a free port. */
export const start = async (): Promise<FakeService> => {
  const subscribers = new Set<Subscriber>()
  const send = ({ socket, id }: Subscriber, message: PushMessage) =>
    socket.send(JSON.stringify({ id, type: "next", payload: { data: { pushMessage: message } } }))
  let tokens = 0

  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (chunk: Buffer) => (text += chunk.toString()))
    request.on("end", () => {
      const body = JSON.parse(text) as { variables?: { input: { afterId: number; limit: number } } }
      const asked: Asked = {
        kind: request.url === "/oauth/token" ? "token" : "history",
        token: request.headers.authorization ?? "",
        afterId: body.variables?.input.afterId ?? 0,
        limit: body.variables?.input.limit ?? 0
      }
      service.asked.push(asked)
      const { status = 200, body: answer } = service.fault(asked) ?? { body: usual(asked) }
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  })
  const usual = ({ kind, afterId, limit }: Asked): unknown =>
    kind === "token"
      ? { access_token: `token-${++tokens}`, token_type: "Bearer", expires_in: service.tokenLifetime }
      : { data: { pushMessages: service.log.filter(({ id }) => id > afterId).slice(0, limit) } }

  const sockets = new WebSocketServer({ server, handleProtocols: () => "graphql-transport-ws" })
  sockets.on("connection", (socket) => {
    let token = ""
    socket.on("message", (data) => {
      const frame = JSON.parse(String(data)) as {
        readonly id: string
        readonly type: string
        readonly payload: {
          readonly Authorization: string
          readonly variables: { readonly filter: { readonly afterId: number } }
        }
      }
      if (frame.type === "connection_init") {
        token = frame.payload.Authorization
        socket.send(JSON.stringify({ type: "connection_ack" }))
      } else if (frame.type === "subscribe") {
        const { afterId } = frame.payload.variables.filter
        const asked: Asked = { kind: "live", token, afterId, limit: 0 }
        service.asked.push(asked)
        const fault = service.fault(asked)
        if (fault !== undefined) {
          const { errors } = fault.body as { readonly errors: unknown }
          return socket.send(JSON.stringify({ id: frame.id, type: "error", payload: errors }))
        }
        const subscriber = { socket, id: frame.id }
        subscribers.add(subscriber)
        socket.once("close", () => subscribers.delete(subscriber))
        for (const message of service.log.filter(({ id }) => id > afterId)) send(subscriber, message)
      }
    })
  })

  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const service: FakeService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log: [],
    asked: [],
    tokenLifetime: 86_400,
    fault: () => undefined,
    publish: (...messages) => {
      service.log.push(...messages)
      for (const subscriber of subscribers) for (const message of messages) send(subscriber, message)
    },
    closeSockets: (code, reason) => {
      for (const socket of sockets.clients) socket.close(code, reason)
    },
    // A pong comes after all that was sent before the ping.
    arrived: () =>
      Promise.all(Array.from(sockets.clients, (socket) => {
        socket.ping()
        return once(socket, "pong")
      })),
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
  return service
}
