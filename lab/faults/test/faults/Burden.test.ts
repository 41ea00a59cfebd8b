/** What one client sends that asks for as much as it can get, and what becomes of it. */
import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { sendAll, spelling } from "../../src/faults/Burden.ts"

describe("one client that asks for as much as it can get", () => {
  it("spells its header in many ways, with all its tokens", () => {
    const tokens = ["one", "two", "three"]
    const all = Array.from({ length: 300 }, (_, at) => spelling(tokens, at))
    assert.lengthOf([...new Set(all)], 300)
    for (const header of all) assert.match(header, /^bearer +(one|two|three)$/i)
    for (const token of tokens) assert.isTrue(all.some((header) => header.endsWith(` ${token}`)))
  })

  it("sends each request again when it was answered or refused, but where it takes nothing of the answer", async () => {
    const asked = new Map<string, number>()
    const answer = "x".repeat(16 * 1024 * 1024)
    const enough = Promise.withResolvers<void>()
    const server = createServer((request, response) => {
      const path = request.url!
      asked.set(path, (asked.get(path) ?? 0) + 1)
      if ((asked.get("/taken") ?? 0) > 2 && (asked.get("/refused") ?? 0) > 2 && asked.has("/deaf")) {
        enough.resolve()
      }
      if (path === "/refused") response.writeHead(503)
      response.end(path === "/deaf" ? answer : path)
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const get = { method: "GET", headers: {} } as const
    const { end } = sendAll(url, [
      { ...get, path: "/taken" },
      { ...get, path: "/refused" },
      { ...get, path: "/deaf", isDeaf: true }
    ])
    await enough.promise
    const { answered, refused } = await end()
    assert.isAtLeast(answered, 2)
    assert.isAtLeast(refused, 2)
    assert.strictEqual(asked.get("/deaf"), 1)
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  })
})
