/** Stopping a server over real connections (D12.3). */
import { once } from "node:events"
import { IncomingMessage } from "node:http"
import type { Server } from "node:http"
import { connect, Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { PassThrough } from "node:stream"
import { assert, describe, it, vi } from "vitest"
import type { StopConfig } from "../../src/lifecycle/GracefulStop.ts"
import { NodeServer } from "../../src/NodeServer.ts"
import { forEachTest, head } from "../RawClient.ts"

const raw = forEachTest()

const serve = (stop: StopConfig) => raw.open<Server>(new NodeServer({ stop }))

const codeOf = (body: string) => (JSON.parse(body) as { readonly code: string }).code

describe("D12.3 a server that is told to close", () => {
  it("finishes what is in flight, tells that the connection ends, and takes no other", async () => {
    await using stopping = await serve({ graceMillis: 60_000 })
    const busy = await stopping.begin(head("GET", "/"))
    const closed = once(stopping.server, "close")
    stopping.server.close()
    await stopping.client().closed
    raw.holder.requests[0]!.answer("finished")
    const { body, headers, status } = await busy.answer()
    assert.deepStrictEqual([status, body, headers["connection"]], [200, "finished", "close"])
    await Promise.all([busy.closed, closed])
  })

  it("closes at once what has not sent a byte, and what is kept between two requests", async () => {
    await using stopping = await serve({ graceMillis: 60_000 })
    const silent = stopping.client()
    await once(silent.socket, "connect")
    const idle = await stopping.begin(head("GET", "/"))
    raw.holder.requests[0]!.answer()
    await idle.answer()
    const closed = once(stopping.server, "close")
    stopping.server.close()
    await Promise.all([silent.closed, idle.closed, closed])
  })

  it("cuts after the grace what has not ended", async () => {
    await using stopping = await serve({ graceMillis: 50 })
    const hanging = await stopping.begin(head("GET", "/"))
    stopping.server.close()
    await hanging.closed
    assert.strictEqual(hanging.receivedText, "")
  })

  it("for a delay takes connections and works, with its readiness at 503 at once", async () => {
    await using stopping = await serve({ graceMillis: 60_000, delayMillis: 300 })
    const closed = once(stopping.server, "close")
    stopping.server.close()
    const { body, headers, status } = await stopping.client().write(head("GET", "/readyz")).answer()
    assert.deepStrictEqual([status, codeOf(body)], [503, "STOPPING"])
    assert.deepInclude(headers, { connection: "close", "retry-after": "2" })
    const working = await stopping.begin(head("GET", "/work"))
    raw.holder.requests[0]!.answer()
    const answer = await working.answer()
    assert.deepStrictEqual([answer.status, answer.headers["connection"]], [200, "close"])
    const socket = stopping.client().write(
      head("GET", "/public_graphql", "Connection: Upgrade", "Upgrade: websocket")
    )
    stopping.server.on("upgrade", () => assert.fail("A server that stops takes no web socket"))
    const lateAnswer = await socket.answer()
    assert.deepStrictEqual([lateAnswer.status, codeOf(lateAnswer.body)], [503, "STOPPING"])
    assert.match(lateAnswer.headers["correlation-id"]!, /^[0-9a-f-]{36}$/)
    await closed
    await stopping.client().closed
  })

  it("told again, ends the delay, and cuts after the grace what has not ended", async () => {
    await using stopping = await serve({ graceMillis: 50, delayMillis: 60_000 })
    const hanging = await stopping.begin(head("GET", "/"))
    const first = new Promise((resolve) => stopping.server.close(resolve))
    const second = new Promise((resolve) => stopping.server.close(resolve))
    await hanging.closed
    assert.isUndefined(await second)
    await first
  })

  it("keeps no timer of the grace once all is over", async () => {
    const timeouts = vi.spyOn(globalThis, "setTimeout")
    await using stopping = await serve({ graceMillis: 54_321 })
    const busy = await stopping.begin(head("GET", "/"))
    const closed = once(stopping.server, "close")
    stopping.server.close()
    const at = timeouts.mock.calls.findIndex(([, millis]) => millis === 54_321)
    const timer = timeouts.mock.results[at]!.value as NodeJS.Timeout
    timeouts.mockRestore()
    raw.holder.requests[0]!.answer()
    await Promise.all([busy.closed, closed])
    assert.isTrue(Reflect.get(timer, "_destroyed"))
  })

  it("refuses an upgrade whose peer leaves it open, or is gone, and is done with it", async () => {
    await using stopping = await serve({ graceMillis: 60_000, delayMillis: 60_000 })
    stopping.server.on("upgrade", () => assert.fail("A server that stops takes no web socket"))
    stopping.server.close()
    const connection = once(stopping.server, "connection") as Promise<[Socket]>
    const { port } = stopping.server.address() as AddressInfo
    const halfOpen = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    const [socket] = await connection
    const closed = once(socket, "close")
    halfOpen.write(head("GET", "/public_graphql", "Connection: Upgrade", "Upgrade: websocket"))
    await closed
    halfOpen.destroy()
    const stream = new PassThrough()
    stopping.server.emit("upgrade", new IncomingMessage(new Socket()), stream, Buffer.alloc(0))
    stream.emit("error", new Error("The connection was reset"))
    stopping.server.close()
  })

  it("answers who waits for 100 Continue that it is not ready, and that the connection ends", async () => {
    await using stopping = await serve({ graceMillis: 60_000, delayMillis: 60_000 })
    stopping.server.close()
    const expecting = ["Expect: 100-continue", "Content-Length: 2"]
    const probe = await stopping.client().write(head("POST", "/readyz", ...expecting)).answer()
    assert.deepStrictEqual([probe.status, probe.headers["connection"]], [503, "close"])
    const working = await stopping.begin(head("POST", "/work", ...expecting))
    raw.holder.requests[0]!.answer()
    assert.strictEqual((await working.answer()).headers["connection"], "close")
    stopping.server.close()
  })

  it("is ready until then", async () => {
    await using serving = await serve({ graceMillis: 50 })
    const probe = await serving.begin(head("GET", "/readyz"))
    raw.holder.requests[0]!.answer("ready")
    assert.strictEqual((await probe.answer()).body, "ready")
  })
})
