/** The flood: a server reads its frames, and it begins, is counted and ends. */
import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { WebSocketServer } from "ws"
import * as Flood from "../../src/faults/Flood.ts"
import { eventsOf } from "../../src/history/History.ts"
import * as Record from "../../src/history/Record.ts"
import { probe } from "../../src/system/Health.ts"

/** How many messages of one socket are taken before it is closed. */
const most = 250

/**
 * A server that answers questions after some time, issues a token to anybody, and tells of each message of a socket,
 * which it closes after some of them.
 */
const serve = async (onMessage: (text: string) => void, answerMillis = 0) => {
  const server = createServer((request, response) => {
    if (request.url === "/oauth/token") return void response.end("{\"access_token\":\"t\"}")
    setTimeout(() => response.writeHead(request.url === "/healthz" ? 200 : 404).end(), answerMillis)
  })
  const sockets = new WebSocketServer({ server, handleProtocols: () => "graphql-transport-ws" })
  sockets.on("connection", (socket) => {
    let left = most
    socket.on("message", (data) => {
      const text = String(data)
      if (text.includes("connection_init")) socket.send("{\"type\":\"connection_ack\"}")
      onMessage(text)
      if (--left === 0) socket.terminate()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate()
      const closed = once(server, "close")
      server.close()
      server.closeAllConnections()
      await closed
    }
  }
}

describe("a flood", () => {
  it("reaches a server on all its sockets, and asks it whether it lives", async () => {
    const types = new Set<string>()
    const recorder = Record.make()
    const all = Promise.withResolvers<void>()
    const { close, url } = await serve((text) => {
      types.add(String((JSON.parse(text) as { readonly type: string }).type))
      if (types.size === 5) all.resolve()
    })
    try {
      const end = await Flood.begin({ url, instance: 1 }, url, recorder)
      await all.promise
      const { frames, sockets } = await end()
      assert.isAtLeast(frames, 500)
      assert.isAtLeast(sockets, 2)
      assert.sameMembers([...types], ["connection_init", "ping", "pong", "complete", "subscribe"])
      assert.isNotEmpty(eventsOf(recorder.history, "probe"))
    } finally {
      await close()
    }
  })

  it("is questioned with the time that each answer took, and with 0 where nobody is", async () => {
    const recorder = Record.make()
    const { close, url } = await serve(() => {}, 120)
    const stop = probe({ url, instance: 1 }, recorder)
    await recorder.until(() => recorder.history.length > 0, 60_000)
    await close()
    await recorder.until(() => eventsOf(recorder.history, "probe").some(({ status }) => status === 0), 60_000)
    await stop()
    const [first] = eventsOf(recorder.history, "probe")
    assert.deepInclude(first, { instance: 1, status: 200 })
    assert.isAtLeast(first!.millis, 100)
  })
})
