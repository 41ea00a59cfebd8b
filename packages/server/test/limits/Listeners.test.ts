/** Several listening sockets: how many connections a turn of the event loop takes, who else may listen, and the end. */
import { NodeServer } from "@dockline/server/NodeServer"
import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, ListenOptions, Server, Socket } from "node:net"
import { setImmediate } from "node:timers/promises"

const host = "127.0.0.1"

const listening = async (options: ListenOptions = { port: 0 }): Promise<NodeServer> => {
  const server = new NodeServer()
  server.listen({ host, ...options })
  await once(server, "listening")
  return server
}

const portOf = (server: NodeServer): number => (server.address() as AddressInfo).port

/** The error of another server on the port of a server. */
const refusal = async (server: Server, port: number) =>
  new Promise<string>((resolve) => {
    server.on("error", (error) => resolve((error as NodeJS.ErrnoException).code ?? error.message))
    server.on("listening", () => resolve("listening"))
    server.listen({ host, port })
  })

describe.runIf(process.platform === "linux")("listening sockets", () => {
  it("take many connections in one turn of the event loop", async () => {
    const server = await listening()
    // The further sockets listen a turn later.
    await setImmediate()
    let accepted = 0
    server.on("connection", () => void accepted++)
    const clients = Array.from({ length: 200 }, () => connect(portOf(server), host))
    let most = 0
    for (let before = 0; accepted < clients.length; before = accepted) {
      await setImmediate()
      most = Math.max(most, accepted - before)
    }
    assert.isAtLeast(most, 8)
    for (const client of clients) client.destroy()
    server.close()
    await once(server, "close")
  })

  it("leave their port to nobody else, whether that shares it or not", async () => {
    const server = await listening()
    assert.strictEqual(await refusal(new NodeServer(), portOf(server)), "EADDRINUSE")
    const other = createServer()
    assert.strictEqual(await refusal(other, portOf(server)), "EADDRINUSE")
    const port = portOf(server)
    server.close()
    await once(server, "close")
    const next = await listening({ port })
    assert.strictEqual(portOf(next), port)
    next.close()
    await once(next, "close")
  })

  it("end together, once all of their connections have ended", async () => {
    const server = await listening()
    await setImmediate()
    const requests: Array<() => void> = []
    server.on("request", (_, response) => requests.push(() => response.end("done")))
    const clients: Array<Socket> = Array.from({ length: 64 }, () => connect(portOf(server), host))
    for (const client of clients) client.resume().write(`GET / HTTP/1.1\r\nHost: a\r\n\r\n`)
    while (requests.length < clients.length) await setImmediate()
    let isClosed = false
    server.close(() => (isClosed = true))
    const last = requests.pop()!
    for (const answer of requests) answer()
    while (clients.filter((client) => !client.closed).length > 1) await setImmediate()
    assert.isFalse(isClosed)
    last()
    await once(server, "close")
    assert.isTrue(isClosed)
  })
})
