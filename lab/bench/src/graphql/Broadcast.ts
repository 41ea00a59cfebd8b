/**
 * The limit: a bare broadcast with `ws`. Each message is rendered once, and all clients get the same bytes, without a protocol, a filter
 * or provision for slow clients.
 */
import { payloadOf, shownSentAt } from "@dockline/core/messages/Message"
import type { Message } from "@dockline/core/messages/Message"
import { createServer } from "node:http"
import { WebSocketServer } from "ws"
import type { Log } from "./Log.ts"
import { path } from "./Workload.ts"

/** Starts it. */
export const start = async (port: number, log: Log) => {
  const server = createServer((_request, response) => void response.end())
  const sockets = new WebSocketServer({ server, path })
  const id = "1"
  await log.tail((message) => {
    const frame = Buffer.from(
      JSON.stringify({ id, type: "next", payload: { data: { pushMessage: shown(message) } } })
    )
    for (const socket of sockets.clients) socket.send(frame, { binary: false })
  })
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
}

const shown = (message: Message) => ({
  id: message.id,
  businessSlug: message.business,
  facilitySlug: message.facility,
  messageType: message.type,
  message: payloadOf(message),
  sentAt: shownSentAt(message.sentAt)
})
