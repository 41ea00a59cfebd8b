/**
 * Texts of clients and customers stay values: they begin no header, no line of the log, no markup, no member of a prototype and no
 * statement, wherever they go.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Sample from "../graphql/Sample.ts"
import { endpointOf, faultsOf, get, operate, vault } from "../http/operator/Operator.ts"
import { order } from "../http/Sample.ts"
import { GraphqlServer, layerPostgres } from "../support/GraphqlServer.ts"
import { layerMemory, refusalOf, TestServer, unique } from "../support/TestServer.ts"
import { exchange } from "./RawHttp.ts"

/** Texts that would begin a new header, if headers were written without checks. */
const splitting = ["a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "a\0b", "a\u0085X-Evil: 1", "a\u2028b"]

const script = `"><script>alert(1)</script><svg/onload=alert(1)>`

layer(layerMemory({ vault }), { excludeTestServices: true })("header injection", (it) => {
  // @threat requests.6
  it.effect("nothing of a request begins a header of the answer", () =>
    Effect.gen(function*() {
      const { port } = yield* TestServer
      const escaped = "%0d%0aX-Evil:%201"
      for (
        const [line, ...headers] of [
          [`GET /v1/shipments/${escaped} HTTP/1.1`],
          [`GET /nowhere${escaped}?${escaped} HTTP/1.1`],
          [`GET /v1/docs?${escaped} HTTP/1.1`],
          [`GET /healthz HTTP/1.1`, `Correlation-Id: ${escaped}`],
          [`GET /healthz HTTP/1.1`, "Correlation-Id: a\x85X-Evil: 1"],
          [`OPTIONS /healthz${escaped} HTTP/1.1`, `Origin: ${escaped}`],
          [`GET /v1/docs/ HTTP/1.1`, `If-None-Match: ${escaped}`, `Accept: ${escaped}`]
        ]
      ) {
        const text = [line, "Host: x", "Connection: close", ...headers].join("\r\n")
        const answers = yield* exchange(port, `${text}\r\n\r\n`)
        assert.lengthOf(answers, 1)
        assert.notMatch(answers[0]!.head, /^x-evil:/im, text)
      }
    }))

  // @threat requests.6
  it.effect("an entity's name in a Location is one that cannot leave it", () =>
    Effect.gen(function*() {
      for (
        const slug of [
          ...splitting,
          "../clients",
          "a/b",
          "a?b",
          "a#b",
          "//evil.example",
          "a%0d%0ab",
          "é",
          "а"
        ]
      ) {
        const reply = yield* operate("POST", "businesses", { slug, name: "A" })
        assert.strictEqual(reply.status, 422, slug)
        assert.property(faultsOf(reply), "slug")
      }
      const slug = unique("biz")
      const made = yield* operate("POST", "businesses", { slug, name: script })
      assert.strictEqual(made.headers["location"], `/v1/operator/businesses/${slug}`)
    }))

  // @threat requests.6
  it.effect("what an endpoint is called with is refused where it would begin a header or an address of its own", () =>
    Effect.gen(function*() {
      const token = { type: "token", loginUrl: "https://a.example", username: "u", password: "p" }
      for (const text of splitting) {
        for (
          const fields of [
            { baseUrl: `https://a.example/${text}` },
            { baseUrl: `https://a.example@${text}` },
            { signingSecret: `whsec_${text}` },
            { authentication: { ...token, scheme: text } },
            { authentication: { ...token, loginUrl: `https://a.example/${text}` } }
          ]
        ) {
          const reply = yield* operate("POST", "webhook-endpoints", endpointOf("acme", fields))
          assert.include([400, 422], reply.status, JSON.stringify(fields))
        }
      }
    }))

  // @threat tenants.9
  it.effect("names that look like known ones are other names", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      // Full width, Cyrillic, a zero-width space, a combining mark, and case folding as with the Kelvin sign.
      for (
        const business of ["ＡＣＭＥ", "аcme", "ac\u200bme", "acme\u0301", "acme ", "ACME", "acme\0", "acmé"]
      ) {
        const reply = yield* server.post(order({ business }))
        assert.include([400, 404, 422], reply.status, business)
      }
      for (
        const path of ["businesses/ACME", "businesses/acme%00", "businesses/..%2facme", "businesses/аcme"]
      ) {
        assert.include([400, 404, 422], (yield* get(encodeURI(decodeURI(path)))).status, path)
      }
    }))
})

layer(layerPostgres(), { excludeTestServices: true })("markup, prototypes and statements", (it) => {
  const pages = ["/v1/docs/", "/public_graphql"]

  // @threat browsers.3
  it.effect("a page is the same bytes whatever the request says, under a policy that runs no other script", () =>
    Effect.gen(function*() {
      const { port } = yield* TestServer
      const page = (path: string) =>
        Effect.promise(async () => {
          const headers = {
            accept: "text/html",
            referer: script,
            "user-agent": script,
            "x-forwarded-host": script
          }
          const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
          return { status: response.status, headers: response.headers, text: await response.text() }
        })
      for (const path of pages) {
        const plain = yield* page(path)
        assert.deepStrictEqual([plain.status, plain.headers.get("content-type")], [
          200,
          "text/html; charset=utf-8"
        ])
        for (
          const query of [
            "",
            "query=",
            "url=https://evil.example/x.json&configUrl=",
            "variables=",
            "oauth2RedirectUrl="
          ]
        ) {
          const asked = yield* page(`${path}?${query}${encodeURIComponent(script)}`)
          assert.strictEqual(asked.text, plain.text)
        }
        const policy = plain.headers.get("content-security-policy") ?? ""
        assert.include(policy, "default-src 'none'")
        assert.include(policy, "script-src 'self';")
        assert.include(policy, "frame-ancestors 'none'")
        assert.include(policy, "base-uri 'none'")
        assert.include(policy, "form-action 'none'")
        assert.strictEqual(plain.headers.get("referrer-policy"), "no-referrer")
        assert.notMatch(plain.text, /<script(?![^>]* src="[^":]*")/)
      }
    }))

  // @threat browsers.3
  it.effect("a refusal that repeats markup is no page", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const escaped = encodeURIComponent(script)
      for (
        const reply of [
          yield* server.get(`/${escaped}`),
          yield* server.get(`/v1/docs/${escaped}`),
          yield* server.get(`/v1/shipments/${escaped}`),
          yield* server.get(`/v1/shipments?status=${escaped}`, { headers: { accept: "text/html" } }),
          yield* server.post(order({ business: script })),
          yield* server.post(`{"${script}":1}`)
        ]
      ) {
        assert.isAtLeast(reply.status, 400)
        assert.include(String(reply.headers["content-type"]), "application/problem+json")
        assert.strictEqual(reply.headers["x-content-type-options"], "nosniff")
      }
    }))

  // @threat browsers.4
  it.effect("a redirect leads to this service alone", () =>
    Effect.gen(function*() {
      const { port } = yield* TestServer
      for (const host of ["x", "evil.example"]) {
        for (
          const path of [
            "/v1/docs",
            "//evil.example/v1/docs",
            "/public_graphql/",
            "//evil.example/..//public_graphql/"
          ]
        ) {
          const text =
            `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`
          const [answer] = yield* exchange(port, text)
          const [, location = "docs/"] = /^location: *(.*)$/im.exec(answer!.head) ?? []
          assert.match(location, /^(\.\.\/)?[a-z_]+\/?$/, path)
        }
      }
    }))

  // @threat requests.16
  it.effect("no member of a prototype is set or read by a name of a client", () =>
    Effect.gen(function*() {
      const { execute, fetch } = yield* GraphqlServer
      const server = yield* TestServer
      const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]
      for (const name of names) {
        const hostile = `{"${name}":{"polluted":true,"prototype":{"polluted":true}}}`
        assert.include([400, 422], (yield* server.post(hostile)).status)
        assert.include([400, 422], (yield* operate("POST", "businesses", hostile)).status)
        assert.include(
          [400, 422],
          (yield* operate("POST", "clients", `{"name":"A","grants":[${hostile}]}`)).status
        )
        const variables = JSON.parse(`{"input":${hostile}}`) as Record<string, unknown>
        assert.isDefined((yield* execute({ ...Sample.submit({}), variables })).errors, name)
        for (
          const path of [name, `${name}.polluted`, `input.${name}.polluted`, `input.file.${name}.polluted`]
        ) {
          const form = new FormData()
          form.append("operations", JSON.stringify(Sample.upload()))
          form.append("map", JSON.stringify({ 0: [`variables.${path}`] }))
          form.append("0", new File(["{}"], "a.json"))
          const answer = yield* fetch({ method: "POST", body: form })
          assert.strictEqual(answer.status, 400, answer.text)
        }
        assert.deepStrictEqual(
          refusalOf(yield* server.get(`/v1/operator/clients/${name}`, { client: "operator" })),
          [
            404,
            "CLIENT_NOT_FOUND"
          ]
        )
      }
      assert.notProperty({}, "polluted")
      assert.notProperty(() => {}, "polluted")
    }))

  // @threat requests.17
  it.effect("a statement of SQL in every place is text", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const statement = `'; drop table dockline.shipment; select '`
      const document = order({ carrier: statement, trailerNumber: statement })
      const { shipment } = yield* server.submit(document)
      assert.strictEqual(shipment.carrier, statement)
      for (const name of ["shipmentNumber", "business", "facility", "status", "after", "limit"]) {
        const reply = yield* server.get(`/v1/shipments?${name}=${encodeURIComponent(statement)}`)
        assert.include([200, 400, 404], reply.status, reply.text)
      }
      assert.strictEqual((yield* server.get(`/v1/shipments/${shipment.id}`)).status, 200)
    }))
})
