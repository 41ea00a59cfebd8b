/** Several listening sockets on one port: new connections under long turns, who else may listen, and the end. */
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, ListenOptions, Server, Socket } from "node:net"
import { setImmediate, setTimeout } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { NodeServer } from "../../src/NodeServer.ts"
import { head } from "../RawClient.ts"

const host = "127.0.0.1"

const listening = async (
  options: ListenOptions = { port: 0 },
  server: NodeServer = new NodeServer()
): Promise<NodeServer> => {
  server.listen({ host, ...options })
  await once(server, "listening")
  // The further sockets listen a turn later.
  await setImmediate()
  return server
}

const portOf = (server: NodeServer): number => (server.address() as AddressInfo).port

const close = async (server: NodeServer): Promise<void> => {
  const closed = once(server, "close")
  server.close()
  await closed
}

const answersAt = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => {
      resolve(true)
      socket.destroy()
    })
    socket.on("error", () => resolve(false))
  })

/** The error of another server on a port. */
const refusal = (server: Server, port: number): Promise<string> =>
  new Promise((resolve) => {
    server.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.on("listening", () => resolve("listening"))
    server.listen({ host, port })
  })

const connections = (port: number, count: number): ReadonlyArray<Socket> =>
  Array.from({ length: count }, () => connect(port, host))

describe.runIf(process.platform === "linux")("the listening sockets of a server", () => {
  // @threat load.8
  it("accept many connections in one turn of the event loop", async () => {
    const server = await listening()
    let count = 0
    server.on("connection", () => void count++)
    const clients = connections(portOf(server), 200)
    let most = 0
    for (let before = 0; count < clients.length; before = count) {
      await setImmediate()
      most = Math.max(most, count - before)
    }
    assert.isAtLeast(most, 8)
    for (const client of clients) client.destroy()
    await close(server)
  })

  it("share their port with nobody, whether it would share it or not", async () => {
    const server = await listening()
    const port = portOf(server)
    assert.strictEqual(await refusal(new NodeServer(), port), "EADDRINUSE")
    assert.strictEqual(await refusal(createServer(), port), "EADDRINUSE")
    await close(server)
    assert.isFalse(await answersAt(port))
  })

  it("close together, when all of their connections have ended", async () => {
    const server = await listening()
    const requests: Array<() => void> = []
    server.on("request", (_, response) => requests.push(() => response.end("done")))
    const clients = connections(portOf(server), 64)
    for (const client of clients) client.resume().write(head("GET", "/"))
    while (requests.length < clients.length) await setImmediate()
    const ends: Array<string> = []
    server.on("close", () => ends.push("event"))
    server.close(() => ends.push("call"))
    const last = requests.pop()!
    for (const answer of requests) answer()
    while (clients.filter((client) => !client.closed).length > 1) await setImmediate()
    // Node's own socket has ended long since in most runs, and the further ones have not.
    await setTimeout(20)
    assert.deepStrictEqual(ends, [])
    last()
    await once(server, "close")
    assert.sameMembers(ends, ["event", "call"])
  })

  it("are cut after the grace of a stop, on whichever socket they came", async () => {
    const server = await listening({ port: 0 }, new NodeServer({ stop: { graceMillis: 50 } }))
    let hanging = 0
    server.on("request", () => void hanging++)
    const clients = connections(portOf(server), 64)
    const cuts = clients.map((client) => once(client.resume().on("error", () => undefined), "close"))
    for (const client of clients) client.write(head("GET", "/"))
    while (hanging < clients.length) await setImmediate()
    await close(server)
    await Promise.all(cuts)
    assert.deepStrictEqual(clients.map(({ bytesRead }) => bytesRead), clients.map(() => 0))
  })

  it("listen again on the same port after their end, and then end once", async () => {
    const server = await listening()
    const port = portOf(server)
    const requests: Array<() => void> = []
    server.on("request", (_, response) => requests.push(() => response.end()))
    const clients = connections(port, 64)
    for (const client of clients) client.resume().write(head("GET", "/"))
    while (requests.length < clients.length) await setImmediate()
    let ends = 0
    server.on("close", () => void ends++)
    const closed = close(server)
    await setTimeout(20)
    for (const answer of requests) answer()
    await closed
    await listening({ port }, server)
    assert.strictEqual(portOf(server), port)
    assert.isTrue(await answersAt(port))
    await close(server)
    await setTimeout(20)
    assert.strictEqual(ends, 2)
  })

  it("do not listen if the server is closed before", async () => {
    const free = await listening()
    const port = portOf(free)
    await close(free)
    const server = new NodeServer()
    server.on("listening", () => assert.fail("The server was closed"))
    server.listen({ host, port })
    const error = await new Promise<Error | undefined>((resolve) => server.close(resolve))
    assert.strictEqual((error as NodeJS.ErrnoException).code, "ERR_SERVER_NOT_RUNNING")
    await setTimeout(20)
    assert.isFalse(await answersAt(port))
  })
})
