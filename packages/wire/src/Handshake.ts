/**
 * Checks the opening handshake of a WebSocket (RFC 6455, section 4.2.1). Each refusal is a problem that names the remedy.
 */
import { MalformedRequest } from "@dockline/core/values/Errors"
import {
  MethodNotAllowed,
  SubprotocolNotSupported,
  WebsocketVersion
} from "@dockline/core/values/RequestErrors"
import { problemAs, problemOf } from "./Problem.ts"
import type { Problem } from "./Problem.ts"

const subprotocol = "graphql-transport-ws"

interface HandshakeRefusal {
  readonly problem: Problem
  readonly headers?: Readonly<Record<string, string>>
}

/** The parts of an upgrade request that are checked. Header names are in lower case. */
export interface HandshakeRequest {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/**
 * The refusal of a handshake; `undefined` when it is acceptable. A client that offers no subprotocol is refused later, on
 * the socket.
 */
export const refusalOf = ({ method, headers }: HandshakeRequest): HandshakeRefusal | undefined => {
  const textOf = (name: string): string => String(headers[name] ?? "")
  if (method !== "GET") {
    return {
      problem: problemAs(MethodNotAllowed, "A WebSocket is opened with GET"),
      headers: { allow: "GET" }
    }
  }
  if (!isHost(headers["host"])) return malformed(hostDetail)
  if (textOf("upgrade").toLowerCase() !== "websocket") return malformed("Send Upgrade: websocket")
  if (textOf("sec-websocket-version") !== "13") {
    return {
      problem: problemOf(new WebsocketVersion()),
      headers: { upgrade: "websocket", "sec-websocket-version": "13" }
    }
  }
  if (!keyPattern.test(textOf("sec-websocket-key"))) {
    return malformed("Send a Sec-WebSocket-Key: 16 bytes in base64")
  }
  if (headers["sec-websocket-protocol"] === undefined) return undefined
  const protocols = textOf("sec-websocket-protocol").split(",").map((name) => name.trim())
  return protocols.includes(subprotocol)
    ? undefined
    : { problem: problemOf(new SubprotocolNotSupported({ subprotocol })) }
}

const malformed = (detail: string): HandshakeRefusal => ({
  problem: problemAs(MalformedRequest, detail)
})

const keyPattern = /^[+/0-9A-Za-z]{22}==$/

const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i

/**
 * Whether a `Host` header names exactly one host (RFC 9112, section 3.2); platforms join two headers with a comma and a
 * space.
 */
export const isHost = (host: unknown): boolean => typeof host === "string" && hostPattern.test(host)

/** The `detail` of a request whose `Host` header {@link isHost} refuses (D4.8). */
export const hostDetail = "The Host header is missing, there is more than one, or it names no host"
