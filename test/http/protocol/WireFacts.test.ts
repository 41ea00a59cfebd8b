/**
 * The common behaviour of every interface on the wire: the same values through REST, GraphQL over HTTP, an event stream, the upgrade to a
 * WebSocket and the refusals that come before any of them.
 */
import { defaultLiveConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import { Admission } from "@dockline/server/limits/Admission"
import { NodeServer } from "@dockline/server/NodeServer"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { Server } from "node:http"
import { connect } from "node:net"
import { layerMemory } from "../../support/GraphqlServer.ts"
import { TestServer } from "../../support/TestServer.ts"
import { parse } from "../Wire.ts"

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends the lines of a head and a body unchanged, in Latin-1, and reads the answer, or only its head if it is endless. */
const exchange = (port: number, lines: ReadonlyArray<string>, body = "") =>
  Effect.callback<Answer>((resume) => {
    const socket = connect({ host: "127.0.0.1", port })
    let received = ""
    const done = () => {
      socket.destroy()
      const { headers, status, text } = parse(Buffer.from(received, "latin1"), "GET", true)!.received
      resume(Effect.succeed({ status, headers, body: text }))
    }
    socket.setEncoding("latin1")
    socket.on("data", (text) => {
      received += text
      if (
        /\r\n\r\n/.test(received) && /^HTTP\/1\.1 101|\r\ncontent-type: text\/event-stream/i.test(received)
      ) done()
    })
    socket.on("end", done)
    socket.on("error", (error) => resume(Effect.die(error)))
    const length = body === "" ? [] : [`Content-Length: ${body.length}`]
    socket.write([...lines, ...length, "", body].join("\r\n"), "latin1")
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.timeout("10 seconds"), Effect.orDie)

const head = (
  method: string,
  path: string,
  ...lines: ReadonlyArray<string>
) => [`${method} ${path} HTTP/1.1`, "Host: x", ...lines]

const once = "Connection: close"
const json = "Content-Type: application/json"
const query = JSON.stringify({ query: "{ __typename }" })
const handshake = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  `Sec-WebSocket-Key: ${createHash("md5").update("key").digest("base64")}`,
  "Sec-WebSocket-Protocol: graphql-transport-ws"
]

type Send = (...lines: ReadonlyArray<string>) => readonly [lines: ReadonlyArray<string>, body?: string]

/** The interfaces, by the request of each. */
const interfaces: Readonly<Record<string, Send>> = {
  REST: (...lines) => [head("GET", "/v1/shipments?limit=1", once, ...lines)],
  "a write over REST": (...lines) => [head("POST", "/v1/documents", once, json, ...lines), "{}"],
  GraphQL: (...lines) => [head("POST", "/public_graphql", once, json, ...lines), query],
  "an event stream": (...lines) => [
    head("POST", "/public_graphql", once, json, "Accept: text/event-stream", ...lines),
    query
  ],
  "an upgrade": (...lines) => [head("GET", "/public_graphql", ...handshake, ...lines)]
}

const others: Readonly<Record<string, Send>> = {
  "a probe": (...lines) => [head("GET", "/readyz", once, ...lines)],
  "an unknown path": (...lines) => [head("GET", "/nowhere", once, ...lines)],
  "a refused token request": (...lines) => [head("POST", "/oauth/token", once, json, ...lines), "{}"],
  "an upgrade elsewhere": (...lines) => [head("GET", "/v1/shipments", ...handshake, ...lines)],
  "a POST upgrade": (...lines) => [head("POST", "/public_graphql", ...handshake, ...lines)],
  "an upgrade in another version": (...lines) => [
    head("GET", "/public_graphql", ...handshake.map((line) => line.replace("13", "12")), ...lines)
  ],
  "a coding that is not read": (...lines) => [
    head("POST", "/v1/documents", "Transfer-Encoding: gzip, chunked", ...lines)
  ]
}

const kept = ["ws with space", "a/\u00e7=\"1\"", "one, two", "\u00a0x", "x".repeat(128)]
const replaced = ["", "a\tb", "a\u0085b", "x".repeat(129)]

const checkCorrelation = (
  port: number,
  sends: Readonly<Record<string, Send>>,
  authorization: ReadonlyArray<string>
) =>
  Effect.gen(function*() {
    for (const [name, send] of Object.entries(sends)) {
      for (const id of kept) {
        const { headers } = yield* exchange(port, ...send(...authorization, `Correlation-Id: ${id}`))
        // A parser trims blanks at both ends.
        assert.deepStrictEqual([name, headers["correlation-id"]], [name, id.trim()])
      }
      for (const id of replaced) {
        const { headers } = yield* exchange(port, ...send(...authorization, `Correlation-Id: ${id}`))
        assert.match(String(headers["correlation-id"]), uuid, `${name}: ${JSON.stringify(id)}`)
      }
      const { headers } = yield* exchange(
        port,
        ...send(...authorization, "Correlation-Id: one", "Correlation-Id: two")
      )
      assert.deepStrictEqual([name, headers["correlation-id"]], [name, "one, two"])
    }
  })

describe("on a server", () => {
  layer(layerMemory(), { excludeTestServices: true })((it) => {
    it.effect(
      "D4.5 every answer carries the correlation id by one rule, upgrades and refusals included",
      () =>
        Effect.gen(function*() {
          const { port, token } = yield* TestServer
          const authorization = [`Authorization: Bearer ${yield* token("acme-client")}`]
          yield* checkCorrelation(port, interfaces, authorization)
          yield* checkCorrelation(port, others, [])
        }),
      60_000
    )

    it.effect("D4.3 a 401 says what is wrong with the token, wherever it is sent", () =>
      Effect.gen(function*() {
        const { advance, port, token } = yield* TestServer
        const good = yield* token("acme-client")
        const forged = `${good.slice(0, -9)}AAAAAAAAA`
        yield* advance(2 * 86_400_000)
        const cases = [
          ["Bearer x y", "The token is malformed"],
          ["Bearer abc", "The token is malformed"],
          [`Bearer ${good}`, "The token has expired"],
          [`Bearer ${forged}`, "The token is not valid here"]
        ] as const
        for (const [name, send] of Object.entries(interfaces)) {
          for (const [authorization, description] of cases) {
            const { status, headers, body } = yield* exchange(
              port,
              ...send(`Authorization: ${authorization}`)
            )
            const { detail, errors } = JSON.parse(body)
            assert.strictEqual(errors.length, 1)
            assert.strictEqual(errors[0].path, "Authorization")
            assert.match(errors[0].detail, new RegExp(`^${description}; .*POST /oauth/token`))
            assert.deepStrictEqual([name, status, headers["www-authenticate"], detail], [
              name,
              401,
              `Bearer error="invalid_token", error_description="${description}"`,
              "missing or invalid bearer token"
            ])
          }
          for (const lines of [[], ["Authorization: Basic YTpi"]]) {
            const { status, headers, body } = yield* exchange(port, ...send(...lines))
            if (status === 401) {
              assert.deepStrictEqual(JSON.parse(body).errors, [{
                path: "Authorization",
                detail:
                  "must be \"Bearer \" and a token, from POST /oauth/token, or from the issuer of your tokens"
              }])
            }
            // A socket may send its token later.
            const expected = name === "an upgrade" ? [101, undefined] : [401, "Bearer"]
            assert.deepStrictEqual([status, headers["www-authenticate"]], expected, name)
          }
        }
      }))

    it.effect("D8.8 the form of an answer of GraphQL is negotiated, by quality too", () =>
      Effect.gen(function*() {
        const { port, token } = yield* TestServer
        const authorization = `Authorization: Bearer ${yield* token("acme-client")}`
        const cases = [
          ["application/graphql-response+json;q=0, application/json", 200, "application/json; charset=utf-8"],
          ["application/json;q=0", 406, "application/problem+json"],
          [
            "application/json;q=0.1, application/graphql-response+json",
            200,
            "application/graphql-response+json; charset=utf-8"
          ],
          ["text/event-stream;q=0, */*", 200, "application/json; charset=utf-8"],
          ["text/event-stream;q=0.5, application/json", 200, "application/json; charset=utf-8"],
          ["text/event-stream", 200, "text/event-stream; charset=utf-8"]
        ] as const
        for (const [accept, ...expected] of cases) {
          const lines = head("POST", "/public_graphql", once, json, authorization, `Accept: ${accept}`)
          const { status, headers } = yield* exchange(port, lines, query)
          assert.deepStrictEqual([accept, status, headers["content-type"]], [accept, ...expected])
        }
      }))

    it.effect("handshakes that are not taken are problems that name the remedy", () =>
      Effect.gen(function*() {
        const { port } = yield* TestServer
        const changed = (name: string, value: string) =>
          handshake.map((line) => line.startsWith(name) ? `${name}: ${value}` : line)
        const twice = "graphql-transport-ws, graphql-transport-ws"
        const cases = [
          ["POST", handshake, 405, "METHOD_NOT_ALLOWED", { allow: "GET" }],
          ["GET", changed("Sec-WebSocket-Version", "12"), 426, "WEBSOCKET_VERSION", {
            "sec-websocket-version": "13"
          }],
          ["GET", changed("Sec-WebSocket-Protocol", twice), 400, "MALFORMED_REQUEST", {}],
          ["GET", changed("Sec-WebSocket-Protocol", "graphql-ws"), 400, "SUBPROTOCOL_NOT_SUPPORTED", {}],
          ["GET", [...handshake, "Host: y"], 400, "MALFORMED_REQUEST", {}]
        ] as const
        for (const [method, lines, status, code, expected] of cases) {
          const answer = yield* exchange(port, head(method, "/public_graphql", ...lines))
          const problem = JSON.parse(answer.body)
          assert.deepStrictEqual([answer.status, problem.status, problem.code], [status, status, code])
          assert.deepInclude(answer.headers, { "content-type": "application/problem+json", ...expected })
          assert.match(answer.headers["correlation-id"]!, uuid)
        }
      }))

    // @threat requests.3
    it.effect("a path is the same to a request and to an upgrade", () =>
      Effect.gen(function*() {
        const { port, token } = yield* TestServer
        const authorization = `Authorization: Bearer ${yield* token("acme-client")}`
        const paths = [
          "//public_graphql",
          "/PUBLIC_GRAPHQL",
          "/public_graphql/",
          "/public%5Fgraphql",
          "/public_graphql;x"
        ]
        for (const path of paths) {
          const posted = yield* exchange(port, head("POST", path, once, json, authorization), query)
          const upgraded = yield* exchange(port, head("GET", path, ...handshake))
          assert.deepStrictEqual([path, posted.status, upgraded.status], [path, 404, 404])
          assert.strictEqual(JSON.parse(posted.body).code, "RESOURCE_NOT_FOUND")
        }
      }))
  })
})

describe("on a server that has too much to do", () => {
  const createServer = () => new NodeServer({ admission: new Admission({ running: 0, waiting: 0 }) })
  layer(layerMemory({ createServer, graphql: { live: { ...defaultLiveConfig, sockets: 0 } } }), {
    excludeTestServices: true
  })((it) => {
    it.effect("503 OVERLOADED, after 1 to 3 s, in the words of one error", () =>
      Effect.gen(function*() {
        const { port } = yield* TestServer
        for (const [name, send] of Object.entries(interfaces)) {
          const { status, headers, body } = yield* exchange(port, ...send())
          assert.strictEqual(status, 503, name)
          const seconds = headers["retry-after"]!
          assert.match(seconds, /^[123]$/, name)
          const given = JSON.parse(body)
          const shown = given.errors === undefined
            ? [given.code, given.detail]
            : [given.errors[0].extensions.reason, given.errors[0].message]
          const text =
            `The service has too much to do at the moment; repeat the request after ${seconds} second${
              Number(seconds) === 1 ? "" : "s"
            }`
          assert.deepStrictEqual(shown, ["OVERLOADED", text], name)
        }
        yield* checkCorrelation(port, interfaces, [])
      }))

    it.effect("errors of GraphQL are in the form that is accepted", () =>
      Effect.gen(function*() {
        const { port } = yield* TestServer
        const accept = "Accept: application/graphql-response+json;q=0, application/json"
        const { headers } = yield* exchange(port, head("POST", "/public_graphql", once, json, accept), query)
        assert.strictEqual(headers["content-type"], "application/json; charset=utf-8")
      }))
  })
})

describe("on a server that stops", () => {
  let server: Server
  const createServer = () => server = new NodeServer({ stop: { graceMillis: 1000, delayMillis: 60_000 } })
  layer(layerMemory({ createServer }), { excludeTestServices: true })((it) => {
    it.effect("503 STOPPING, after 2 s, in the words of one error", () =>
      Effect.gen(function*() {
        const { port } = yield* TestServer
        server.close()
        const stopping = { probe: others["a probe"]!, upgrade: interfaces["an upgrade"]! }
        for (const [name, send] of Object.entries(stopping)) {
          const { status, headers, body } = yield* exchange(port, ...send())
          const { code, detail } = JSON.parse(body)
          assert.deepStrictEqual([name, status, headers["retry-after"], code, detail], [
            name,
            503,
            "2",
            "STOPPING",
            "The service is stopping; repeat the request"
          ])
        }
        yield* checkCorrelation(port, stopping, [])
      }))
  })
})
