/** Protocols that register for the upgrades of their paths, over real connections. */
import { once } from "node:events"
import type { Duplex } from "node:stream"
import { assert, describe, it } from "vitest"
import type { StopConfig, UpgradeProtocol } from "../../src/lifecycle/GracefulStop.ts"
import { NodeServer } from "../../src/NodeServer.ts"
import { forEachTest, head } from "../RawClient.ts"

/** A protocol that keeps the connections it takes, and says so. */
class KeptProtocol implements UpgradeProtocol {
  readonly path = "/kept"
  readonly otherPaths = ["/kept/too"]
  readonly sockets: Array<Duplex> = []

  readonly handleUpgrade = (_request: unknown, socket: Duplex): void => {
    this.sockets.push(socket)
    socket.on("error", () => undefined)
    socket.write(answering(101))
  }

  readonly closeAll = async (): Promise<void> => {
    for (const socket of this.sockets) socket.destroy()
  }
}

const answering = (status: number): string => `HTTP/1.1 ${status} Given\r\ncontent-length: 0\r\n\r\n`

const upgrading = (path: string) =>
  head("GET", path, "Connection: Upgrade", "Upgrade: websocket", "Correlation-Id: mine")

const raw = forEachTest()

const serve = async (stop: StopConfig = {}) => {
  const server = new NodeServer({ stop })
  const protocol = new KeptProtocol()
  server.upgrades.register(protocol)
  const opening = await raw.open(server)
  const upgrade = (path: string) => opening.client().write(upgrading(path))
  const statusOf = async (path: string) => (await upgrade(path).answer()).status
  return { ...opening, protocol, upgrade, statusOf }
}

const codeOf = (body: string) => (JSON.parse(body) as { readonly code: string }).code

describe("a protocol", () => {
  it("takes the upgrades of its path, and no other listener gets those", async () => {
    await using serving = await serve()
    const protocols: Array<string | undefined> = []
    serving.server.on("upgrade", (request, socket) => {
      protocols.push(request.url)
      socket.end(answering(418))
    })
    assert.strictEqual(await serving.statusOf("/elsewhere"), 418)
    assert.strictEqual(await serving.statusOf("/kept?a=b"), 101)
    assert.deepStrictEqual(protocols, ["/elsewhere"])
  })

  it("takes the upgrades of its other paths too", async () => {
    await using serving = await serve()
    assert.strictEqual(await serving.statusOf("/kept/too"), 101)
    assert.strictEqual(await serving.statusOf("/kept/other"), 404)
    assert.strictEqual(serving.protocol.sockets.length, 1)
  })

  it("leaves a path that nobody listens for, which is 404, and its connection ends", async () => {
    await using serving = await serve()
    const response = serving.upgrade("/elsewhere")
    const { body, headers, status } = await response.answer()
    assert.deepStrictEqual([status, codeOf(body), headers["correlation-id"]], [
      404,
      "RESOURCE_NOT_FOUND",
      "mine"
    ])
    await response.closed
    assert.deepStrictEqual(serving.protocol.sockets, [])
  })

  it("is told to close as the server is, which waits for none of its connections then", async () => {
    await using serving = await serve()
    assert.strictEqual(await serving.statusOf("/kept"), 101)
    const closed = once(serving.server, "close")
    serving.server.close()
    await closed
  })

  it("is told at once though connections are taken for a while; upgrades are 503 until it listens again", async () => {
    await using serving = await serve({ delayMillis: 60_000 })
    const client = serving.upgrade("/kept")
    await client.answer()
    serving.server.close()
    await client.closed
    const { body, headers, status } = await serving.upgrade("/kept").answer()
    assert.deepStrictEqual([status, codeOf(body)], [503, "STOPPING"])
    assert.deepInclude(headers, { "retry-after": "2", connection: "close" })
    const closed = once(serving.server, "close")
    serving.server.close()
    await closed
    serving.server.listen(serving.port, "127.0.0.1")
    await once(serving.server, "listening")
    assert.strictEqual(await serving.statusOf("/kept"), 101)
    serving.server.close()
  })
})
