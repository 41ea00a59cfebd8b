/**
 * Tells when a request is over: its answer is over, or its connection is gone.
 *
 * Guarantee: once for each request. For an answer behind another in a pipeline, some versions of Node do not tell that the
 * connection is gone.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * The event of a complete answer. Node's own events wait for the turn of the answer on the connection: behind another
 * answer in a pipeline, for a client that does not take that one.
 */
export const answeredEvent = "answered"

/** The event of a stream of events that begins: nothing waits for its end. */
export const streamEvent = "eventStream"

/** The event of a long answer that begins, and is made as its client takes it: a list in CSV, or what is too large to be made whole. */
export const listEvent = "list"

/** The callbacks by connection, each of which has one listener, however many requests it carries. */
const pendingOf = new WeakMap<Socket, Set<() => void>>()

const pendingAt = (socket: Socket): Set<() => void> => {
  const found = pendingOf.get(socket)
  if (found !== undefined) return found
  const pending = new Set<() => void>()
  pendingOf.set(socket, pending)
  socket.once("close", () => {
    for (const tell of Array.from(pending)) tell()
  })
  return pending
}

/** The callbacks by response, which has one listener too. */
const tellsOf = new WeakMap<ServerResponse, Array<() => void>>()

/** Calls `tell` once, when the answer is over or the connection is gone. */
export const whenOver = ({ socket }: IncomingMessage, response: ServerResponse, tell: () => void): void => {
  if (socket.closed) return tell()
  const others = tellsOf.get(response)
  if (others !== undefined) return void others.push(tell)
  const tells = [tell]
  tellsOf.set(response, tells)
  const pending = pendingAt(socket)
  const once = (): void => {
    if (!pending.delete(once)) return
    tellsOf.delete(response)
    for (const each of tells) each()
  }
  pending.add(once)
  response.once("close", once)
}
