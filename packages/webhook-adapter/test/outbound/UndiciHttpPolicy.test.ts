/** D9.7: the address that is actually connected to decides, however it was written and whatever names resolve to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as NameLookup from "../../src/outbound/NameLookup.ts"
import type { OutboundHttp } from "../../src/outbound/OutboundHttp.ts"
import type { UndiciHttpConfig } from "../../src/outbound/UndiciHttp.ts"
import * as CustomerServer from "../CustomerServer.ts"
import * as OutboundSetup from "../OutboundSetup.ts"

/** A client that may call public addresses only; as the test says otherwise. */
const client = (config: Partial<UndiciHttpConfig>) => OutboundSetup.client({ allow: [], ...config })

const request = (url: string) => ({ url, headers: {}, body: "{}" })

const errorOf = (http: OutboundHttp["Service"], url: string) =>
  Effect.map(Effect.flip(http.post(request(url))), ({ error }) => error)

/** A server of this machine that must not be called, on its IPv4 and IPv6 addresses. */
const inside = Effect.all({ v4: CustomerServer.tcp(() => {}), v6: CustomerServer.tcp(() => {}, "::") })

describe("literal addresses in every notation", () => {
  const notations: ReadonlyArray<readonly [string, string]> = [
    ["127.0.0.1", "address 127.0.0.1 is not allowed (loopback)"],
    ["127.1", "address 127.0.0.1 is not allowed (loopback)"],
    ["2130706433", "address 127.0.0.1 is not allowed (loopback)"],
    ["0x7f000001", "address 127.0.0.1 is not allowed (loopback)"],
    ["0x7f.0x0.0x0.0x1", "address 127.0.0.1 is not allowed (loopback)"],
    ["017700000001", "address 127.0.0.1 is not allowed (loopback)"],
    ["0177.0.0.01", "address 127.0.0.1 is not allowed (loopback)"],
    ["127.0.0.1.", "address 127.0.0.1 is not allowed (loopback)"],
    ["%31%32%37.0.0.1", "address 127.0.0.1 is not allowed (loopback)"],
    ["①②⑦.0.0.1", "address 127.0.0.1 is not allowed (loopback)"],
    ["0", "address 0.0.0.0 is not allowed (unspecified)"],
    ["[::1]", "address ::1 is not allowed (loopback)"],
    ["[::]", "address :: is not allowed (unspecified)"],
    ["[::127.0.0.1]", "address ::7f00:1 is not allowed (reserved)"],
    ["[::ffff:127.0.0.1]", "address ::ffff:7f00:1 is not allowed (loopback, 127.0.0.1 inside)"],
    ["[::ffff:7f00:1]", "address ::ffff:7f00:1 is not allowed (loopback, 127.0.0.1 inside)"],
    ["[0:0:0:0:0:ffff:127.0.0.1]", "address ::ffff:7f00:1 is not allowed (loopback, 127.0.0.1 inside)"],
    ["[64:ff9b::127.0.0.1]", "address 64:ff9b::7f00:1 is not allowed (loopback, 127.0.0.1 inside)"],
    ["169.254.169.254", "address 169.254.169.254 is not allowed (cloud metadata)"]
  ]
  for (const [host, words] of notations) {
    it.live(host, () =>
      Effect.gen(function*() {
        const { v4, v6 } = yield* inside
        const http = yield* client({})
        for (const { port } of [v4, v6]) {
          const error = yield* errorOf(http, `https://${host}:${port}`)
          assert.strictEqual(error, `the URL is refused: ${words}`)
        }
        assert.strictEqual(v4.sockets.length + v6.sockets.length, 0)
      }))
  }
})

describe("names are judged by what they resolve to", () => {
  for (const host of ["localhost", "localhost.", "LOCALHOST", "customer.localhost"]) {
    it.live(host, () =>
      Effect.gen(function*() {
        const { v4, v6 } = yield* inside
        const http = yield* client({})
        for (const { port } of [v4, v6]) {
          assert.match(
            yield* errorOf(http, `https://${host}:${port}`),
            /^address (?:127\.0\.0\.1|::1) is not allowed \(loopback\)$|^the name of the host is unknown$/
          )
        }
        assert.strictEqual(v4.sockets.length + v6.sockets.length, 0)
      }))
  }
})

describe("what a name resolves to", () => {
  /** Names that resolve as the test says, and what was looked up. */
  const names = (resolve: (name: string) => ReadonlyArray<string>) => {
    const asked: Array<string> = []
    const lookup: NameLookup.NameLookup = async (name) => {
      asked.push(name)
      return resolve(name)
    }
    return { asked, lookup }
  }

  // @threat calls.2
  it.live("an address that changes between the check and the connection is judged anew", () =>
    Effect.gen(function*() {
      const server = yield* CustomerServer.http(
        (_, response) => response.writeHead(200, { Connection: "close" }).end("ok"),
        "0.0.0.0"
      )
      let address = "127.0.0.2"
      const { asked, lookup } = names(() => [address])
      const http = yield* client({ allow: ["127.0.0.2/32"], lookup })
      const url = `http://rebinding.example:${server.port}`
      assert.strictEqual((yield* http.post(request(url))).status, 200)
      yield* CustomerServer.closed(server.sockets[0]!)
      address = "127.0.0.1"
      assert.strictEqual(yield* errorOf(http, url), "address 127.0.0.1 is not allowed (loopback)")
      assert.strictEqual(server.sockets.length, 1)
      assert.deepStrictEqual(asked, ["rebinding.example", "rebinding.example"], "once for each connection")
    }))

  // @threat calls.2
  it.live("the answer that was judged is the one connected to: there is no second lookup", () =>
    Effect.gen(function*() {
      const server = yield* CustomerServer.http(
        (_, response, { socket }) => response.end(socket.localAddress),
        "0.0.0.0"
      )
      const answers = ["127.0.0.2", "127.0.0.1"]
      const { lookup } = names(() => [answers.shift()!])
      const http = yield* client({ allow: ["127.0.0.2/32"], lookup })
      const { body } = yield* http.post(request(`http://rebinding.example:${server.port}`))
      assert.strictEqual(Buffer.from(body).toString(), "127.0.0.2")
      assert.deepStrictEqual(answers, ["127.0.0.1"])
    }))

  it.live("of several addresses only those that are allowed are connected to", () =>
    Effect.gen(function*() {
      const server = yield* CustomerServer.http(
        (_, response, { socket }) => response.end(socket.localAddress),
        "0.0.0.0"
      )
      const { lookup } = names(() => ["127.0.0.1", "10.0.0.1", "127.0.0.2", "::1"])
      const http = yield* client({ allow: ["127.0.0.2/32"], lookup })
      const { body } = yield* http.post(request(`http://mixed.example:${server.port}`))
      assert.strictEqual(Buffer.from(body).toString(), "127.0.0.2")
    }))

  it.live("none of which is allowed: the first is told", () =>
    Effect.gen(function*() {
      const http = yield* client({ allow: ["127.0.0.2/32"], ...names(() => ["10.0.0.1", "127.0.0.1"]) })
      assert.strictEqual(
        yield* errorOf(http, "https://mixed.example"),
        "address 10.0.0.1 is not allowed (private)"
      )
    }))

  it.live("a connection that leads elsewhere than its address says is closed before the request", () =>
    Effect.gen(function*() {
      // To 0.0.0.0 the system connects by way of 127.0.0.1.
      const server = yield* CustomerServer.http((_, response) => response.end("ok"))
      const http = yield* client({ allow: ["0.0.0.0/32"] })
      assert.strictEqual(
        yield* errorOf(http, `http://0.0.0.0:${server.port}`),
        "address 127.0.0.1 is not allowed (loopback)"
      )
      assert.strictEqual(server.received.length, 0)
    }))

  it.live("http goes to allowed networks only", () =>
    Effect.gen(function*() {
      const http = yield* client({ allow: ["127.0.0.0/8"], ...names(() => ["93.184.216.34"]) })
      assert.strictEqual(
        yield* errorOf(http, "http://public.example"),
        "address 93.184.216.34 is not allowed over http; use https"
      )
      const strict = yield* client(names(() => ["93.184.216.34"]))
      assert.strictEqual(
        yield* errorOf(strict, "http://public.example"),
        "the URL is refused: must be https; OUTBOUND_ALLOW of the server allows networks for http"
      )
    }))

  it.live("no addresses, and names that are unknown", () =>
    Effect.gen(function*() {
      const none = yield* client(names(() => []))
      assert.strictEqual(yield* errorOf(none, "https://none.example"), "the name of the host has no address")
      const unknown = yield* client({
        lookup: () => Promise.reject(Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" }))
      })
      assert.strictEqual(yield* errorOf(unknown, "https://none.example"), "the name of the host is unknown")
    }))
})
