/**
 * Refuses bytes that are no request of HTTP/1.1, and requests without a known end.
 *
 * Guarantee: bytes that are no HTTP, too large headers, slow requests, unknown transfer codings and `CONNECT` get a problem
 * with a correlation id. Nothing is written into the midst of an answer, no request is read behind a body without a known
 * end, and an unknown expectation is ignored.
 */
import {
  HeadersTooLarge,
  NotImplemented,
  PayloadTooLarge,
  RequestTimeout
} from "@dockline/core/values/RequestErrors"
import * as Problem from "@dockline/wire/Problem"
import { endWith } from "@dockline/wire/Refusal"
import { maxHeaderSize } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { malformed } from "./CompleteResponse.ts"
import type { Guard } from "./Guard.ts"
import { correlationHeaderOf } from "./QuickRefusal.ts"

export const framing = (server: Server): Guard => {
  /** The answer of the latest request of each connection, until it is over: an idle connection keeps none in memory. */
  const latest = new WeakMap<Duplex, ServerResponse>()
  const misread = new WeakSet<Duplex>()
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const answer = latest.get(socket)
    // A fault in the rest of an answered request is no request.
    const isAnswering = answer !== undefined && answer.headersSent &&
      !(answer.writableFinished && answer.req.complete)
    if (socket.writable && !isAnswering) {
      socket.write(Problem.answerOf(refusals[error.code ?? ""] ?? malformed, undefined), "latin1")
    }
    socket.destroy(error)
  })
  server.on("connect", (request, socket) => {
    const answer = latest.get(socket)
    if (answer !== undefined && !answer.writableFinished) socket.destroy()
    else endWith(socket, noProxy, correlationHeaderOf(request))
  })
  return {
    request: (request, response, pass) => {
      const { socket } = request
      // The end of the body of a refused request is unknown, and so is the next request.
      if (misread.has(socket)) return
      latest.set(socket, response)
      response.once("close", () => {
        if (request.complete && latest.get(socket) === response) latest.delete(socket)
      })
      if (!hasUnknownCoding(request)) return pass()
      misread.add(socket)
      response.writeHead(501, { connection: "close" }).end()
    }
  }
}

const noProxy = Problem.problemAs(NotImplemented, "CONNECT is not implemented: this service is no proxy")

/** The problems of bytes that Node cannot read as a request, by its error. */
const refusals: Readonly<Record<string, Problem.Problem>> = {
  HPE_HEADER_OVERFLOW: Problem.problemOf(new HeadersTooLarge({ limit: maxHeaderSize })),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: Problem.problemAs(
    PayloadTooLarge,
    "The chunk extensions of the body are too large; leave them out"
  ),
  ERR_HTTP_REQUEST_TIMEOUT: Problem.problemOf(new RequestTimeout())
}

/** Whether the coding is not `chunked` alone: Node takes any list that ends with it (RFC 9112, section 6.1). */
const hasUnknownCoding = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined &&
  headers["transfer-encoding"].trim().toLowerCase() !== "chunked"
