/**
 * The opening handshake of a WebSocket: which upgrade is taken (RFC 6455, section 4.2.1), and why not.
 *
 * Guarantee: what is refused is answered with a problem that names the remedy.
 */
import { problem } from "./Problem.ts"
import type { Problem } from "./Problem.ts"

/** The subprotocol that is spoken. */
export const subprotocol = "graphql-transport-ws"

/** Why a handshake is refused, and the headers that go with it. */
export interface HandshakeRefusal {
  readonly problem: Problem
  readonly headers?: Readonly<Record<string, string>>
}

/** What of an upgrade request is judged; header names are in lower case. */
export interface HandshakeRequest {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/** Why the handshake is refused; `undefined` where it is not. A client that offers no subprotocol is told by the socket. */
export const refusalOf = ({ method, headers }: HandshakeRequest): HandshakeRefusal | undefined => {
  const textOf = (name: string): string => String(headers[name] ?? "")
  if (method !== "GET") {
    return {
      problem: problem(405, "METHOD_NOT_ALLOWED", "A WebSocket is opened with GET"),
      headers: { allow: "GET" }
    }
  }
  if (!isHost(headers["host"])) return malformed(hostDetail)
  if (textOf("upgrade").toLowerCase() !== "websocket") return malformed("Send Upgrade: websocket")
  if (textOf("sec-websocket-version") !== "13") {
    return {
      problem: problem(426, "WEBSOCKET_VERSION", "Send Sec-WebSocket-Version: 13"),
      headers: { upgrade: "websocket", "sec-websocket-version": "13" }
    }
  }
  if (!keyPattern.test(textOf("sec-websocket-key"))) {
    return malformed("Send a Sec-WebSocket-Key: 16 bytes in base64")
  }
  if (headers["sec-websocket-protocol"] === undefined) return undefined
  const offered = textOf("sec-websocket-protocol").split(",").map((name) => name.trim())
  return offered.includes(subprotocol)
    ? undefined
    : {
      problem: problem(
        400,
        "SUBPROTOCOL_NOT_SUPPORTED",
        `Offer the subprotocol ${subprotocol}; no other is spoken`
      )
    }
}

const malformed = (detail: string): HandshakeRefusal => ({
  problem: problem(400, "MALFORMED_REQUEST", detail)
})

const keyPattern = /^[+/0-9A-Za-z]{22}==$/

const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i

/** Whether a `Host` header is that of one host (RFC 9112, section 3.2); platforms join two with a comma and a space. */
export const isHost = (host: unknown): boolean => typeof host === "string" && hostPattern.test(host)

/** Why a request without such a header is refused. */
export const hostDetail = "The Host header is missing, there is more than one, or it names no host"
