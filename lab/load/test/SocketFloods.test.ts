/** The bundled server answers probes while its sockets are flooded. */
import { setInterval } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { tokenOf } from "../../../test/support/DemoToken.ts"
import * as ServerProcess from "../../../test/support/ServerProcess.ts"
import { flood } from "./SocketFlood.ts"

let server: ServerProcess.OwnServer
let token: string

beforeAll(async () => {
  server = await ServerProcess.serveAlone({ RATE_LIMIT_PER_MINUTE: "0" })
  token = await tokenOf(server.baseUrl, "acme-client")
})

afterAll(() => server.stop())

/** The duration of each probe in milliseconds; there is one every 50 ms, for a number of seconds. */
const probes = async (seconds: number): Promise<ReadonlyArray<number>> => {
  const probe = async () => {
    const begun = performance.now()
    assert.strictEqual((await fetch(`${server.baseUrl}/healthz`)).status, 200)
    return performance.now() - begun
  }
  const all: Array<Promise<number>> = []
  for await (const _ of setInterval(50)) if (all.push(probe()) === seconds * 20) break
  return (await Promise.all(all)).toSorted((a, b) => a - b)
}

describe("a server whose sockets are flooded", () => {
  // On a quiet machine the slowest probe takes some 100 ms. Without limits it takes at least as long as the flood.
  for (
    const [who, sockets] of [["nobody in particular", 4], ["nobody in particular", 16], [
      "a client",
      16
    ]] as const
  ) {
    // @threat load.20
    it(`answers probes meanwhile: ${sockets} sockets of ${who}`, async () => {
      const payload = { Authorization: `Bearer ${token}` }
      const stop = flood({
        port: Number(new URL(server.baseUrl).port),
        sockets,
        first: who === "a client" ? [JSON.stringify({ type: "connection_init", payload })] : [],
        frame: JSON.stringify({ type: "ping" })
      })
      try {
        const millis = await probes(3)
        assert.isBelow(millis[millis.length >> 1]!, 500, "the median")
        assert.isBelow(millis.at(-1)!, 1500, "the slowest")
      } finally {
        await stop()
      }
    })
  }
})
