/**
 * Compressed bodies: the service decompresses nothing, so that a few bytes cannot become more than the limits allow.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib"
import { submit } from "../graphql/Sample.ts"
import { order } from "../http/Sample.ts"
import { layerMemory } from "../support/GraphqlServer.ts"
import { refusalOf, TestServer, tokenRequest } from "../support/TestServer.ts"

const brotli = (bytes: Uint8Array) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })

const encodings = { gzip: gzipSync, deflate: deflateSync, br: brotli, "x-gzip": gzipSync }

const size = 50 * 1024 * 1024

const bomb = Buffer.from(`{"business":"${" ".repeat(size)}"}`)

/** 50 MiB that come as some 50 KiB. They are compressed in advance, because a server that waits meanwhile closes its connections. */
const bombs = new Map(Object.entries(encodings).map(([name, pack]) => [name, pack(bomb)]))

layer(layerMemory(), { excludeTestServices: true })("packed bodies", (it) => {
  // @threat requests.11
  it.effect("in any encoding are refused, and not unpacked", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const before = (yield* server.get("/v1/shipments")).text
      for (const [encoding, pack] of Object.entries(encodings)) {
        const headers = { "content-encoding": encoding, "content-type": "application/json" }
        for (const body of [pack(Buffer.from(JSON.stringify(order()))), bombs.get(encoding)!]) {
          const memory = process.memoryUsage.rss()
          const [status] = refusalOf(yield* server.post(body, { headers }))
          assert.strictEqual(status, 415, encoding)
          // Far less than the bomb: other work of the process takes some memory.
          assert.isBelow(process.memoryUsage.rss() - memory, size)
        }
        for (
          const [path, client, body] of [
            ["/public_graphql", "acme-client", submit(order())],
            ["/oauth/token", null, tokenRequest("acme-client")]
          ] as const
        ) {
          const authorization = client === null
            ? {}
            : { authorization: `Bearer ${yield* server.token(client)}` }
          const response = yield* Effect.promise(() =>
            fetch(`http://127.0.0.1:${server.port}${path}`, {
              method: "POST",
              headers: { ...headers, ...authorization },
              body: Uint8Array.from(pack(Buffer.from(JSON.stringify(body))))
            })
          )
          assert.include([400, 415], response.status, `${path} ${encoding}`)
        }
      }
      assert.strictEqual((yield* server.get("/v1/shipments")).text, before)
    }))
})
