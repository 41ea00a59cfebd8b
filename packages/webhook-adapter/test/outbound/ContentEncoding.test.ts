/** D9.6: bodies of answers in a content encoding are decoded, at most 64 KiB of them. */
import { assert, describe } from "@effect/vitest"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import * as CustomerServer from "../CustomerServer.ts"
import { request, test, textOf } from "../OutboundSetup.ts"

const text = JSON.stringify({ access_token: "t1", name: "größer 📦" })

const answering = (encoding: string, body: Uint8Array, status = 200) =>
  CustomerServer.http((_, response) => {
    response.writeHead(status, { "Content-Encoding": encoding }).end(body)
  })

const long = "the answer is longer than 64 KiB; the rest was not read"
const gzip = Buffer.from(text)

/** A frame of zstd whose decoder is to keep a window of 2 to the power of `bits` bytes. */
const withWindow = (bits: number): Uint8Array => {
  const block = (gzip.length << 3) | 1
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0, (bits - 10) << 3, block & 0xff, block >> 8, 0]
  return Buffer.concat([Buffer.from(head), gzip])
}

describe("an answer is decoded", () => {
  const cases: ReadonlyArray<readonly [encoding: string, body: Uint8Array]> = [
    ["gzip", gzipSync(gzip)],
    ["GZIP", gzipSync(gzip)],
    ["x-gzip", gzipSync(gzip)],
    ["gzip", Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))])],
    ["deflate", deflateSync(gzip)],
    ["deflate", deflateRawSync(gzip)],
    ["br", brotliCompressSync(gzip)],
    ["zstd", zstdCompressSync(gzip)],
    ["zstd", withWindow(23)],
    ["gzip, br", brotliCompressSync(gzipSync(gzip))],
    ["identity, deflate , zstd", zstdCompressSync(deflateSync(gzip))],
    ["identity", gzip],
    ["", gzip]
  ]
  for (const [encoding, body] of cases) {
    test(`of ${encoding === "" ? "none" : encoding}`, function*(http) {
      const server = yield* answering(encoding, body)
      const answer = yield* http.post(request(server.url))
      assert.deepStrictEqual([textOf(answer.body), answer.error], [text, ""])
    })
  }
})

describe("an answer that cannot be decoded keeps its status, and says why", () => {
  const unknown = (names: string) => `the answer is in an encoding that is not known here (${names})`
  const bad = "the answer does not match its encoding (gzip)"
  const cases: ReadonlyArray<readonly [string, string, Uint8Array, error: string, body: string]> = [
    ["of no body", "gzip", new Uint8Array(), "", ""],
    ["of an unknown encoding", "compress", gzip, unknown("compress"), ""],
    ["of an unknown one in a known one", "sdch, gzip", gzipSync(gzip), unknown("sdch, gzip"), ""],
    ["of a name that no terminal should see", "\u0080<b>", gzip, unknown("??b?"), ""],
    ["that is plain", "gzip", gzip, bad, ""],
    [
      "that asks for much memory",
      "zstd",
      withWindow(27),
      "the answer does not match its encoding (zstd)",
      ""
    ],
    ["that ends early", "gzip", gzipSync(gzip).subarray(0, -9), bad, text],
    ["of six encodings", Array(6).fill("gzip").join(), gzip, "the answer has more than 5 encodings", ""]
  ]
  for (const [title, encoding, body, error, part] of cases) {
    test(title, function*(http) {
      const server = yield* answering(encoding, body, 202)
      const answer = yield* http.post(request(server.url))
      assert.deepStrictEqual([answer.status, answer.error], [202, error])
      assert.include([part, ""], textOf(answer.body))
    })
  }
})

// @threat requests.11
describe("a bomb", () => {
  const zeros = Buffer.alloc(20 * 1024 ** 2)
  const once: Readonly<Record<string, (body: Uint8Array) => Uint8Array>> = {
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync
  }
  for (const [encoding, pack] of Object.entries(once)) {
    test(`of ${encoding} is decoded up to 64 KiB`, function*(http) {
      const server = yield* answering(encoding, pack(zeros))
      const answer = yield* http.post(request(server.url))
      assert.deepStrictEqual([answer.status, answer.error, answer.body.byteLength], [200, long, 65_536])
    })
  }

  test("in a bomb is decoded up to 64 KiB each", function*(http) {
    const server = yield* answering("gzip, gzip, gzip", gzipSync(gzipSync(gzipSync(Buffer.alloc(2 ** 28)))))
    const answer = yield* http.post(request(server.url))
    assert.strictEqual(answer.error, long)
    assert.isAtMost(answer.body.byteLength, 65_536)
  })

  for (const [size, error] of [[65_536, ""], [65_537, long]] as const) {
    test(`that is none, of ${size} bytes`, function*(http) {
      const server = yield* answering("gzip", gzipSync(Buffer.alloc(size, "y")))
      const answer = yield* http.post(request(server.url))
      assert.deepStrictEqual([textOf(answer.body), answer.error], ["y".repeat(65_536), error])
    })
  }
})
