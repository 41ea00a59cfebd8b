/** D9.7: https, and certificates that do not hold. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Certificate from "../../../../test/support/Certificate.ts"
import type { OutboundHttp } from "../../src/outbound/OutboundHttp.ts"
import * as CustomerServer from "../CustomerServer.ts"
import * as OutboundSetup from "../OutboundSetup.ts"
import { test } from "../OutboundSetup.ts"

const client = (ca?: string) =>
  OutboundSetup.client({ lookup: async () => ["127.0.0.1"], ...(ca === undefined ? {} : { tls: { ca } }) })

const post = (http: OutboundHttp["Service"], port: number) =>
  http.post({ url: `https://customer.example:${port}/api/palletEvent`, headers: {}, body: "{}" })

const errorOf = (http: OutboundHttp["Service"], port: number) =>
  Effect.map(Effect.flip(post(http, port)), ({ error }) => error)

describe("https", () => {
  const faults: ReadonlyArray<readonly [string, string, Certificate.CertificateOptions, string]> = [
    ["for another name", "other.example", {}, "certificate is for another name"],
    ["that has expired", "customer.example", { to: "2021-01-01" }, "certificate has expired"],
    ["that is not valid yet", "customer.example", { from: "2119-01-01" }, "certificate is not valid yet"]
  ]
  for (const [title, name, options, words] of faults) {
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      // @threat calls.4
      test(`with a certificate ${title}, again and again, by ${version}`, function*() {
        const { cert, key } = Certificate.forHost(name, options)
        const server = yield* CustomerServer.https({ cert, key, minVersion: version, maxVersion: version })
        const http = yield* client(cert)
        for (let call = 0; call < 3; call++) assert.strictEqual(yield* errorOf(http, server.port), words)
        assert.strictEqual(server.received.length, 0)
      })
    }
  }

  test("with a certificate that signs itself", function*() {
    const http = yield* client()
    const { cert, key } = Certificate.forHost("customer.example")
    const server = yield* CustomerServer.https({ cert, key })
    assert.strictEqual(yield* errorOf(http, server.port), "certificate is self-signed")
    assert.strictEqual(server.received.length, 0)
  })

  test("with a certificate of an authority that is not known", function*() {
    const http = yield* client()
    const authority = Certificate.authority()
    const { cert, key } = Certificate.forHost("customer.example", { authority })
    const server = yield* CustomerServer.https({ cert, key })
    assert.strictEqual(
      yield* errorOf(http, server.port),
      "certificate is not signed by an authority that is known here, or its chain is incomplete"
    )
    const trusting = yield* client(authority.cert)
    assert.strictEqual((yield* post(trusting, server.port)).status, 200)
  })

  test("where only http is spoken", function*() {
    const http = yield* client()
    const server = yield* CustomerServer.http((_, response) => response.end("ok"))
    assert.match(
      yield* errorOf(http, server.port),
      /^TLS failed \(.*wrong version number|packet length too long/
    )
  })

  test("with TLS 1.1 only", function*() {
    const { cert, key } = Certificate.forHost("customer.example")
    const server = yield* CustomerServer.https({
      cert,
      key,
      minVersion: "TLSv1.1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0"
    })
    const http = yield* client(cert)
    assert.match(yield* errorOf(http, server.port), /^TLS failed \(.*protocol version/)
  })
})

describe("a kept connection that the customer closes as the request comes", () => {
  for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
    for (const how of ["end", "destroy", "resetAndDestroy"] as const) {
      test(`over ${maxVersion}, by ${how}: the request goes once more`, function*() {
        const { cert, key } = Certificate.forHost("customer.example")
        let requests = 0
        const server = yield* CustomerServer.https({ cert, key, maxVersion }, (_, response, { socket }) => {
          // TLS has no reset, so the connection below it is reset.
          if (++requests === 2) (how === "resetAndDestroy" ? server.sockets[0]! : socket)[how]()
          else response.end("ok")
        })
        const http = yield* client(cert)
        yield* post(http, server.port)
        assert.strictEqual((yield* post(http, server.port)).status, 200)
        assert.strictEqual(server.received.length, 3)
        assert.strictEqual(server.sockets.length, 2)
      })
    }
  }
})

describe("authorities that cannot be read", () => {
  test("stop the start", function*() {
    const { message } = yield* Effect.flip(client("not a certificate"))
    assert.strictEqual(message, "authorities: not certificates in PEM form")
  })
})
