/**
 * Customers' servers for tests: on real sockets, as well-behaved or as broken as a test writes them. Each ends with the
 * scope it was made in.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer as createTcpServer } from "node:net"
import type { AddressInfo, Server, Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import type { TlsOptions } from "node:tls"

/** A request that a customer received. */
export interface CustomerRequest {
  readonly url: string
  readonly method: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** A server that listens. */
export interface CustomerServer {
  readonly port: number
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Every connection there was. */
  readonly sockets: ReadonlyArray<Socket>
}

const listening = (server: Server, host: string): Effect.Effect<CustomerServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sockets: Array<Socket> = []
    server.on("connection", (socket) => {
      sockets.push(socket)
      socket.on("error", () => {})
    })
    const port = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        server.listen(0, host)
        await once(server, "listening")
        return (server.address() as AddressInfo).port
      }),
      () =>
        Effect.promise(async () => {
          const closed = once(server, "close")
          server.close()
          for (const socket of sockets) socket.destroy()
          await closed
        })
    )
    return { port, url: `http://127.0.0.1:${port}`, sockets }
  })

/** A server that handles connections as the test says. */
export const tcp = (onConnection: (socket: Socket) => void, host = "127.0.0.1") =>
  Effect.suspend(() => listening(createTcpServer(onConnection), host))

/** Like {@link tcp}, but answers only complete requests, which end with `}`, numbers them from 1, and keeps their texts. */
export const requests = (answer: (socket: Socket, request: number) => void) =>
  Effect.suspend(() => {
    const texts: Array<string> = []
    return Effect.map(
      tcp((socket) => {
        let text = ""
        socket.on("data", (chunk) => {
          text += chunk.toString("latin1")
          if (!text.endsWith("}")) return
          const number = texts.push(text)
          text = ""
          answer(socket, number)
        })
      }),
      (server) => ({ ...server, texts: texts as ReadonlyArray<string> })
    )
  })

type Handler = (customerRequest: CustomerRequest, response: ServerResponse, request: IncomingMessage) => void

const collect = (requestList: Array<CustomerRequest>, handler: Handler) =>
(
  request: IncomingMessage,
  response: ServerResponse
) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const { headers, method = "", url = "" } = request
    const body = Buffer.concat(chunks).toString("utf8")
    requestList.push({ url, method, headers, body })
    handler({ url, method, headers, body }, response, request)
  })
}

/** An HTTP server, and its requests. */
export const http = (handler: Handler, host = "127.0.0.1") =>
  Effect.suspend(() => {
    const inbox: Array<CustomerRequest> = []
    return Effect.map(
      listening(createServer(collect(inbox, handler)), host),
      (server) => ({ ...server, received: inbox as ReadonlyArray<CustomerRequest> })
    )
  })

/** An HTTPS server that answers 200 `ok`, or as the test says, and its requests. */
export const https = (options: TlsOptions, handler: Handler = (_, response) => response.end("ok")) =>
  Effect.suspend(() => {
    const inbox: Array<CustomerRequest> = []
    const inner = createServer(collect(inbox, handler))
    const server = createTlsServer(options, (socket) => inner.emit("connection", socket))
    server.on("tlsClientError", () => {})
    return Effect.map(
      listening(server, "127.0.0.1"),
      (listening) => ({ ...listening, received: inbox as ReadonlyArray<CustomerRequest> })
    )
  })

/** Resolves when the other side has closed a socket. */
export const closed = (socket: Socket) =>
  Effect.promise(() =>
    new Promise<void>((resolve) => {
      if (socket.closed) resolve()
      else socket.once("close", () => resolve())
    })
  )
