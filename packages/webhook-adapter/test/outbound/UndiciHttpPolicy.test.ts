/** D9.7: the address that is actually connected to decides, however it was written and whatever names resolve to. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type * as NameLookup from "../../src/outbound/NameLookup.ts"
import type { OutboundHttp } from "../../src/outbound/OutboundHttp.ts"
import type { UndiciHttpConfig } from "../../src/outbound/UndiciHttp.ts"
import * as CustomerServer from "../CustomerServer.ts"
import * as OutboundSetup from "../OutboundSetup.ts"
import { test } from "../OutboundSetup.ts"

/** A client that may call public addresses only; as the test says otherwise. */
const client = (config: Partial<UndiciHttpConfig>) => OutboundSetup.client({ allow: [], ...config })

const request = (url: string) => ({ url, headers: {}, body: "{}" })

const errorOf = (http: OutboundHttp["Service"], url: string) =>
  Effect.map(Effect.flip(http.post(request(url))), ({ error }) => error)

/** A server of this machine that must not be called, on its IPv4 and IPv6 addresses. */
const inside = Effect.all({ v4: CustomerServer.tcp(() => {}), v6: CustomerServer.tcp(() => {}, "::") })

/** Why a server of this machine is not called by its IPv4 and its IPv6 address; neither is connected to. */
const errorsAt = Effect.fnUntraced(function*(host: string) {
  const { v4, v6 } = yield* inside
  const http = yield* client({})
  const errors = yield* Effect.forEach([v4, v6], ({ port }) => errorOf(http, `https://${host}:${port}`))
  assert.strictEqual(v4.sockets.length + v6.sockets.length, 0)
  return errors
})

describe("literal addresses in every notation", () => {
  const notations = {
    "127.0.0.1 is not allowed (loopback)": [
      "127.0.0.1",
      "127.1",
      "2130706433",
      "0x7f000001",
      "0x7f.0x0.0x0.0x1"
    ]
      .concat("017700000001", "0177.0.0.01", "127.0.0.1.", "%31%32%37.0.0.1", "①②⑦.0.0.1"),
    "0.0.0.0 is not allowed (unspecified)": ["0"],
    "::1 is not allowed (loopback)": ["[::1]"],
    ":: is not allowed (unspecified)": ["[::]"],
    "::7f00:1 is not allowed (reserved)": ["[::127.0.0.1]"],
    "::ffff:7f00:1 is not allowed (loopback, 127.0.0.1 inside)": [
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "[0:0:0:0:0:ffff:127.0.0.1]"
    ],
    "64:ff9b::7f00:1 is not allowed (loopback, 127.0.0.1 inside)": ["[64:ff9b::127.0.0.1]"],
    "169.254.169.254 is not allowed (cloud metadata)": ["169.254.169.254"]
  }
  for (const [words, hosts] of Object.entries(notations)) {
    for (const host of hosts) {
      test(host, function*() {
        const error = `the URL is refused: address ${words}`
        assert.deepStrictEqual(yield* errorsAt(host), [error, error])
      })
    }
  }
})

describe("names are judged by what they resolve to", () => {
  const words = /^address (?:127\.0\.0\.1|::1) is not allowed \(loopback\)$|^the name of the host is unknown$/
  for (const host of ["localhost", "localhost.", "LOCALHOST", "customer.localhost"]) {
    test(host, function*() {
      for (const error of yield* errorsAt(host)) assert.match(error, words)
    })
  }
})

describe("what a name resolves to", () => {
  /** Names that resolve as the test says, and what was looked up. */
  const names = (resolve: (name: string) => ReadonlyArray<string>) => {
    const lookups: Array<string> = []
    const lookup: NameLookup.NameLookup = async (name) => {
      lookups.push(name)
      return resolve(name)
    }
    return { asked: lookups, lookup }
  }

  // @threat calls.2
  test("an address that changes between the check and the connection is judged anew", function*() {
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
  })

  // @threat calls.2
  test("the answer that was judged is the one connected to: there is no second lookup", function*() {
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
  })

  test("of several addresses only those that are allowed are connected to", function*() {
    const server = yield* CustomerServer.http(
      (_, response, { socket }) => response.end(socket.localAddress),
      "0.0.0.0"
    )
    const { lookup } = names(() => ["127.0.0.1", "10.0.0.1", "127.0.0.2", "::1"])
    const http = yield* client({ allow: ["127.0.0.2/32"], lookup })
    const { body } = yield* http.post(request(`http://mixed.example:${server.port}`))
    assert.strictEqual(Buffer.from(body).toString(), "127.0.0.2")
  })

  test("none of which is allowed: the first is told", function*() {
    const http = yield* client({ allow: ["127.0.0.2/32"], ...names(() => ["10.0.0.1", "127.0.0.1"]) })
    assert.strictEqual(
      yield* errorOf(http, "https://mixed.example"),
      "address 10.0.0.1 is not allowed (private)"
    )
  })

  test("a connection that leads elsewhere than its address says is closed before the request", function*() {
    // To 0.0.0.0 the system connects by way of 127.0.0.1.
    const server = yield* CustomerServer.http((_, response) => response.end("ok"))
    const http = yield* client({ allow: ["0.0.0.0/32"] })
    assert.strictEqual(
      yield* errorOf(http, `http://0.0.0.0:${server.port}`),
      "address 127.0.0.1 is not allowed (loopback)"
    )
    assert.strictEqual(server.received.length, 0)
  })

  test("http goes to allowed networks only", function*() {
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
  })

  test("no addresses, and names that are unknown", function*() {
    const none = yield* client(names(() => []))
    assert.strictEqual(yield* errorOf(none, "https://none.example"), "the name of the host has no address")
    const unknown = yield* client({
      lookup: () => Promise.reject(Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" }))
    })
    assert.strictEqual(yield* errorOf(unknown, "https://none.example"), "the name of the host is unknown")
  })
})
