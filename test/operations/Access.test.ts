/**
 * The permission to read the metrics, and their availability when the database is away.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { request } from "node:http"
import * as DatabaseWay from "../support/database/DatabaseWay.ts"
import { layerMemory, layerSql, refusalOf, TestServer } from "../support/TestServer.ts"
import type { RequestOptions } from "../support/TestServer.ts"
import * as Scrape from "./Scrape.ts"

const scrape = (options: RequestOptions = {}) =>
  Effect.flatMap(TestServer, (server) => server.request("GET", "/metrics", { client: null, ...options }))

const passedOn: ReadonlyArray<Readonly<Record<string, string>>> = [
  { forwarded: "for=203.0.113.7" },
  { "x-forwarded-for": "203.0.113.7" },
  { "x-forwarded-host": "dockline.example" },
  { "X-Forwarded-Proto": "https" },
  { "x-real-ip": "203.0.113.7" },
  { via: "1.1 proxy" }
]

layer(layerMemory(), { excludeTestServices: true })("without a token for them", (it) => {
  describe("metrics", () => {
    it.effect("are shown to the machine itself", () =>
      Effect.gen(function*() {
        const reply = yield* scrape()
        assert.strictEqual(reply.status, 200)
        assert.strictEqual(reply.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
        assert.strictEqual(Scrape.sumOf(Scrape.parse(reply.text), "dockline_database_up"), 1)
      }))

    for (const headers of passedOn) {
      it.effect(`are shown to nobody through a proxy: ${Object.keys(headers)[0]}`, () =>
        Effect.gen(function*() {
          const reply = yield* scrape({ headers })
          assert.deepStrictEqual(refusalOf(reply), [403, "METRICS_FORBIDDEN"])
          assert.include(reply.text, "METRICS_TOKEN")
        }))
    }

    it.effect("take no other method", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const reply = yield* server.request("POST", "/metrics", { client: null })
        assert.deepStrictEqual(refusalOf(reply), [405, "METHOD_NOT_ALLOWED"])
      }))
  })
})

layer(layerMemory({ metricsLocally: false }), { excludeTestServices: true })(
  "without a token for them, of a server that a proxy may pass requests to",
  (it) => {
    // @threat secrets.3
    it.effect("metrics are shown to nobody, though the proxy is on the same machine and adds no header", () =>
      Effect.gen(function*() {
        const reply = yield* scrape()
        assert.deepStrictEqual(refusalOf(reply), [403, "METRICS_FORBIDDEN"])
        assert.include(reply.text, "set METRICS_TOKEN")
      }))
  }
)

layer(layerMemory({ metricsToken: Redacted.make("a-long-token") }), { excludeTestServices: true })(
  "with a token for them",
  (it) => {
    describe("metrics", () => {
      it.effect("are shown to whoever has it, through a proxy too", () =>
        Effect.gen(function*() {
          for (const scheme of ["Bearer", "bearer"]) {
            const headers = { authorization: `${scheme} a-long-token`, "x-forwarded-for": "203.0.113.7" }
            assert.strictEqual((yield* scrape({ headers })).status, 200)
          }
        }))

      for (
        const authorization of [
          "",
          "Bearer",
          "Bearer a-long-toke",
          "Bearer a-long-token2",
          "Basic a-long-token"
        ]
      ) {
        it.effect(`are shown to nobody else, of this machine either: "${authorization}"`, () =>
          Effect.gen(function*() {
            const reply = yield* scrape(authorization === "" ? {} : { headers: { authorization } })
            assert.deepStrictEqual(refusalOf(reply), [401, "UNAUTHENTICATED"])
            assert.notInclude(reply.text, "a-long-token")
          }))
      }

      it.effect("are not shown to clients of the service", () =>
        Effect.gen(function*() {
          assert.strictEqual((yield* scrape({ client: "operator" })).status, 401)
        }))
    })
  }
)

const way = Layer.provideMerge(layerSql(), DatabaseWay.layer)

layer(way, { excludeTestServices: true })("while the database is away", (it) => {
  it.effect("metrics are shown without what only it knows", () =>
    Effect.gen(function*() {
      const before = Scrape.parse((yield* scrape()).text)
      assert.isTrue(before.has("dockline_webhook_endpoints"))
      const away = Scrape.parse((yield* DatabaseWay.whileAway(scrape())).text)
      assert.strictEqual(Scrape.sumOf(away, "dockline_database_up"), 0)
      assert.isFalse([...away.keys()].some((name) =>
        name.startsWith("dockline_webhook_endpoint")
        && !name.startsWith("dockline_webhook_endpoints_disabled")
      ))
      assert.isTrue(away.has("dockline_documents_total"))
      const back = yield* Effect.map(scrape(), ({ text }) => Scrape.parse(text))
      assert.strictEqual(Scrape.sumOf(back, "dockline_database_up"), 1)
      assert.isTrue(back.has("dockline_webhook_endpoints"))
    }))
})

/** Sends a request with its method and path unchanged. */
const raw = (port: number, method: string, path: string) =>
  Effect.callback<void>((resume) => {
    const sent = request({ port, method, path, host: "127.0.0.1" }, (response) => {
      response.resume().on("end", () => resume(Effect.void))
    })
    sent.on("error", () => resume(Effect.void))
    sent.end()
  })

layer(layerMemory(), { excludeTestServices: true })("whatever clients send", (it) => {
  it.effect("the number of series stays what it is", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const count = Effect.map(
        scrape(),
        ({ text }) => [...Scrape.parse(text).values()].reduce((sum, { samples }) => sum + samples.length, 0)
      )
      const hostile = (n: number) =>
        Effect.gen(function*() {
          yield* raw(server.port, "GET", `/v1/nowhere/${n}`)
          yield* raw(server.port, "PROPFIND", `/${n}`)
          yield* server.get(`/v1/shipments/${n}`)
          yield* server.get(`/v1/shipments?business=b-${n}`)
          yield* server.get(`/v1/shipments?unknown-${n}=1`)
          yield* server.post({ business: `b-${n}`, code: `c-${n}` })
          yield* server.request("POST", "/oauth/token", {
            client: null,
            headers: { "content-type": "application/json" },
            body: JSON.stringify({
              client_id: `c-${n}`,
              client_secret: "x",
              audience: `a-${n}`,
              grant_type: `g-${n}`
            })
          })
        })
      yield* hostile(0)
      const before = yield* count
      yield* Effect.forEach(Array.from({ length: 30 }, (_, n) => n + 1), hostile, { discard: true })
      assert.strictEqual(yield* count, before)
    }))

  it.effect("many who ask at once get each a whole answer", () =>
    Effect.gen(function*() {
      const replies = yield* Effect.all(Array.from({ length: 20 }, () => scrape()), { concurrency: 20 })
      for (const { status, text } of replies) {
        assert.strictEqual(status, 200)
        assert.isAbove(Scrape.parse(text).size, 10)
      }
    }))
})
