/** A real HTTP server around one handler, and a client that writes bytes as the test wants them. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpServer, HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"

/** Serves the handler on a free port of 127.0.0.1 until the scope closes. */
export const serve = Effect.fnUntraced(function*<E, R>(
  handle: (
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) {
  const server = createServer()
  const http = yield* Layer.build(NodeHttpServer.layerServer(() => server, { host: "127.0.0.1", port: 0 }))
  yield* HttpServer.serveEffect(Effect.flatMap(HttpServerRequest.HttpServerRequest, handle)).pipe(
    Effect.provideService(HttpServer.HttpServer, Context.get(http, HttpServer.HttpServer))
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}/` }
})

/** A connection of its own. */
export interface Client {
  readonly write: (bytes: string | Uint8Array) => Promise<void>
  /** What came back once the server, or the test, ended the connection. */
  readonly closing: Promise<string>
  /** Ends the connection as a crashed client does. */
  readonly reset: () => void
}

/** Connects a client. */
export const open = (port: number): Client => {
  const socket = connect(port, "127.0.0.1")
  let text = ""
  socket.setEncoding("utf8")
  socket.on("data", (chunk) => (text += chunk))
  socket.on("error", () => {})
  const closing = new Promise<string>((resolve) => socket.on("close", () => resolve(text)))
  return {
    write: (bytes) => new Promise((resolve) => socket.write(bytes, () => resolve())),
    closing,
    reset: () => socket.resetAndDestroy()
  }
}
