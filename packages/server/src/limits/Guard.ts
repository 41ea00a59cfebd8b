/**
 * The type of the guards that `NodeServer.ts` chains before the listeners of a server, and three guards: against malformed requests,
 * against requests for foreign hosts, and for requests that arrive too early.
 *
 * Guarantee: an event reaches the later guards and the listeners only when a guard calls `pass`.
 */
import {
  HeadersTooLarge,
  MisdirectedRequest,
  NotImplemented,
  PayloadTooLarge,
  RequestTimeout
} from "@dockline/core/values/RequestErrors"
import { isHost } from "@dockline/wire/Handshake"
import { isLoopback, pathOf } from "@dockline/wire/Path"
import * as Problem from "@dockline/wire/Problem"
import { endWith } from "@dockline/wire/Refusal"
import { maxHeaderSize } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as CompleteResponse from "./CompleteResponse.ts"
import { correlationHeaderOf, malformed } from "./CompleteResponse.ts"

/** A handler for each event that a guard sees. The guard may pass an event on at once, later, or never. */
export interface Guard {
  readonly connection?: (socket: Socket, pass: () => void) => void
  /** Called when the head of a request has arrived, also if the client waits for `100 Continue`. */
  readonly request?: (request: IncomingMessage, response: ServerResponse, pass: () => void) => void
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer, pass: () => void) => void
  /** Called when the listening socket of the server has closed, and all of its connections. */
  readonly close?: (pass: () => void) => void
}

/**
 * Refuses bytes that are not a request of HTTP/1.1, and requests whose end is unknown.
 *
 * Guarantee: malformed bytes, too large headers, slow requests, unknown transfer codings and `CONNECT` get a problem with a correlation id.
 * Nothing is written into the middle of an answer, no request is read after a body whose end is unknown, and an unknown expectation is
 * ignored.
 */
export const framing = (server: Server): Guard => {
  /** The answer to the latest request of each connection. It is removed when it is over, so that an idle connection takes no memory. */
  const latest = new WeakMap<Duplex, ServerResponse>()
  const misread = new WeakSet<Duplex>()
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const answer = latest.get(socket)
    // A fault in the rest of an answered request's body is no new request, and gets no second answer.
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
      // The end of the refused request is unknown, so the next bytes are not known to be a request.
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

/** The problems of bytes that Node cannot read as a request, by the code of Node's error. Other codes get `malformed`. */
const refusals: Readonly<Record<string, Problem.Problem>> = {
  HPE_HEADER_OVERFLOW: Problem.problemOf(new HeadersTooLarge({ limit: maxHeaderSize })),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: Problem.problemAs(
    PayloadTooLarge,
    "The chunk extensions of the body are too large; leave them out"
  ),
  ERR_HTTP_REQUEST_TIMEOUT: Problem.problemOf(new RequestTimeout())
}

/** Whether the transfer coding is anything but `chunked`. Node accepts any list that ends with `chunked` (RFC 9112, section 6.1). */
const hasUnknownCoding = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined &&
  headers["transfer-encoding"].trim().toLowerCase() !== "chunked"

export interface OwnHostsConfig {
  /** The address that clients use; refusals name it. */
  readonly baseUrl: string
  readonly others?: ReadonlyArray<string>
  /** Whether loopback names with the port of the connection are own hosts too; `false` by default. */
  readonly isLocal?: boolean
  /** The paths that are served for any host; none by default. */
  readonly exempt?: ReadonlyArray<string>
}

/**
 * Refuses requests for hosts that are not this service's (421, RFC 9110, section 15.5.20).
 *
 * Guarantee: a page of another site whose name resolves to this server (DNS rebinding) reaches only exempt paths, such as the paths of
 * probes: probes call the server by its address, and their answers reveal nothing.
 */
export const ownHosts = ({ baseUrl, exempt = [], isLocal = false, others = [] }: OwnHostsConfig): Guard => {
  const hostNames = new Set([baseUrl, ...others].flatMap(hostsOf))
  const open = new Set(exempt)
  const isOwn = (host: string, port: number | undefined): boolean => {
    const name = host.toLowerCase()
    return hostNames.has(name) || (isLocal && isOfMachine(name, port))
  }
  /** The host that a request names, if it is not one of this service's hosts. */
  const foreignHost = ({ headers, socket, url = "" }: IncomingMessage): string | undefined => {
    const host = headers.host ?? ""
    // The fast path: nearly every request names the host exactly as the settings do, and its target begins with the path.
    if (hostNames.has(host) && url.startsWith("/")) return undefined
    if (open.has(pathOf(url))) return undefined
    const urlHost = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? host
    return [host, urlHost].find((each) => !isOwn(each, socket.localPort))
  }
  return {
    request: (request, response, pass) => {
      const host = foreignHost(request)
      if (host === undefined) return pass()
      CompleteResponse.refuse(request, response, new MisdirectedRequest({ baseUrl, host }), "problem")
    },
    upgrade: (request, socket, _head, pass) => {
      const host = foreignHost(request)
      // The check of the handshake refuses an upgrade without a valid host.
      if (host === undefined || !isHost(request.headers.host)) return pass()
      CompleteResponse.refuseUpgrade(request, socket, new MisdirectedRequest({ baseUrl, host }))
    }
  }
}

/** The forms in which clients write the host of an address: without and with the default port of its scheme. */
const hostsOf = (address: string): ReadonlyArray<string> => {
  const { host, hostname, port, protocol } = new URL(address)
  return port === "" ? [host, `${hostname}:${protocol === "https:" ? 443 : 80}`] : [host]
}

const isOfMachine = (host: string, port: number | undefined): boolean => {
  const [, name = "", portText = "80"] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host) ?? []
  return isLoopback(name) && Number(portText) === port
}

/**
 * Holds requests that arrive after the port is open and before the service has added its listener. Otherwise nothing would answer them.
 */
export const heldRequests = (server: Server): Guard => {
  const holds: Array<() => void> = []
  const release = (event: string | symbol): void => {
    if (event !== "request") return
    server.off("newListener", release)
    // Node emits `newListener` before it adds the listener.
    queueMicrotask(() => holds.forEach((pass) => pass()))
  }
  server.on("newListener", release)
  return {
    request: (_request, _response, pass) => {
      if (server.listenerCount("request") > 0) pass()
      else holds.push(pass)
    }
  }
}
