/** Connections on which nothing comes back, over real sockets. */
import { once } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo, Server, Socket } from "node:net"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { makeWires } from "../src/Deadline.ts"
import type { Wires } from "../src/Deadline.ts"

let server: Server
/** A server that says one thing first, and nothing ever after. */
beforeEach(async () => {
  server = createServer((socket) => socket.on("error", () => {}).write("hello")).listen(0, "127.0.0.1")
  await once(server, "listening")
})

afterEach(() => {
  vi.useRealTimers()
  server.close()
})

const wiresOf = (limitMillis: number): Wires =>
  makeWires({ host: "127.0.0.1", port: (server.address() as AddressInfo).port }, limitMillis)

/** A socket on which something has come. */
const open = async (wires: Wires): Promise<Socket> => {
  const socket = wires.open().on("error", () => {})
  await once(socket, "data")
  return socket
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once("close", () => resolve()))

describe("a silent connection", () => {
  it("breaks once an answer has been due for as long as the limit", async () => {
    const wires = wiresOf(50)
    const socket = await open(wires)
    socket.write("question")
    await closed(socket)
    assert.strictEqual(wires.size(), 0)
  })

  it("breaks where it was idle for as long as the limit, when that is asked for", async () => {
    const wires = wiresOf(0)
    const socket = await open(wires)
    wires.breakSilent()
    await closed(socket)
  })

  it("is none that was heard a moment ago, however far the clock is set forward", async () => {
    const wires = wiresOf(60_000)
    const socket = await open(wires)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 })
    wires.breakSilent()
    assert.isFalse(socket.destroyed)
    socket.destroy()
    await closed(socket)
  })

  it("is one all the same where the clock is set back", async () => {
    const wires = wiresOf(0)
    const socket = await open(wires)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 })
    wires.breakSilent()
    await closed(socket)
  })
})
