/**
 * A link of the chain of `NodeServer.ts` before the listeners of a server.
 *
 * Guarantee: an event reaches the later guards and the listeners only when a guard calls `pass`.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** The events that a guard sees; it may pass each on at once, later, or never. */
export interface Guard {
  readonly connection?: (socket: Socket, pass: () => void) => void
  /** The head of a request has arrived, also of one that waits for `100 Continue`. */
  readonly request?: (request: IncomingMessage, response: ServerResponse, pass: () => void) => void
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer, pass: () => void) => void
}
