/**
 * When nothing is left to do for a request: its answer is over, or its connection is gone.
 *
 * Guarantee: it is told once for each, whatever becomes of the request. Of an answer that was still behind another in a
 * pipeline, not every version of Node tells when the connection goes.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/**
 * What a response of `NodeServer` emits as its answer is complete. Node itself tells so only once the answer has its turn on
 * the connection: one that stands behind another in a pipeline waits for whoever does not take that.
 */
export const answeredEvent = "answered"

/** What is to be told of each connection, so that it is listened to once however many requests it carries. */
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

/** Calls `tell` once, as the answer is over or the connection is gone. */
export const whenOver = ({ socket }: IncomingMessage, response: ServerResponse, tell: () => void): void => {
  if (socket.closed) return tell()
  const pending = pendingAt(socket)
  const once = (): void => {
    if (pending.delete(once)) tell()
  }
  pending.add(once)
  response.once("close", once)
}

/** Writes a whole answer to a connection that Node does not watch over any more, and ends it. */
export const endWith = (socket: Duplex, answer: string): void => {
  socket.on("error", () => undefined)
  // A peer that does not close on its side would keep it open for as long as it likes.
  socket.once("finish", () => socket.destroy())
  socket.end(answer, "latin1")
}
