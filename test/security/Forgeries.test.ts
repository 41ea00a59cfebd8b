/**
 * Forged tokens at every interface: REST, the operator side, GraphQL over HTTP, event streams and web sockets refuse tokens that the
 * service has not signed, and a token anywhere but in the one header is ignored. No address in a token is ever called.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import type { JWK } from "jose"
import { createHmac, createPublicKey } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { follow, history } from "../graphql/Sample.ts"
import { rawSocket } from "../graphql/Sockets.ts"
import { GraphqlServer, layerMemory } from "../support/GraphqlServer.ts"
import { baseUrl, TestServer } from "../support/TestServer.ts"
import { exchange } from "./RawHttp.ts"

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

const decode = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>

/** A server of an attacker that publishes keys, and counts requests for them. */
const attacker = Effect.gen(function*() {
  const { privateKey, publicKey } = yield* Effect.promise(() =>
    generateKeyPair("RS256", { extractable: true })
  )
  const jwk = yield* Effect.promise(() => exportJWK(publicKey))
  const state = { asked: 0 }
  const server = createServer((_, response) => {
    state.asked++
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ keys: [{ ...jwk, kid: "mine", use: "sig", alg: "RS256" }] }))
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return { privateKey, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})

type Attacker = Effect.Success<typeof attacker>

/** One token of each kind that must be refused; `TokenForgeries.test.ts` of the HTTP adapter has all of them. */
const forgeriesOf = (token: string, keys: ReadonlyArray<JWK>, { privateKey, url }: Attacker) => {
  const [head = "", body = "", signature = ""] = token.split(".")
  const [header, claims] = [decode(head), decode(body)]
  const signed = (protectedHeader: object) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", ...header, ...protectedHeader }).sign(privateKey)
  const hmac = (secret: string | Buffer) => {
    const input = `${encode({ ...header, alg: "HS256" })}.${body}`
    return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`
  }
  const published = createPublicKey({ key: keys[0] as Record<string, string>, format: "jwk" })
  return {
    "alg none": `${encode({ ...header, alg: "none" })}.${body}.`,
    "HS256 with the published key, PEM": hmac(published.export({ format: "pem", type: "spki" })),
    "claims of another client": `${head}.${
      encode({ ...claims, sub: "operator", client_id: "operator" })
    }.${signature}`,
    "a stranger's key under the published kid": signed({}),
    "a stranger's key by jku": signed({ jku: `${url}/jwks.json`, kid: "mine" }),
    "a stranger's key by x5u": signed({ x5u: `${url}/cert.pem`, kid: "mine" }),
    "a stranger's key by a kid that is an address": signed({ kid: `${url}/jwks.json` })
  }
}

layer(layerMemory(), { excludeTestServices: true })("forged tokens", (it) => {
  // @threat asking.1
  it.effect("are refused at every door, and none of the addresses in them is called", () =>
    Effect.scoped(Effect.gen(function*() {
      const { socketUrl, url } = yield* GraphqlServer
      const server = yield* TestServer
      const token = yield* server.token("acme-client")
      const { keys } = (yield* server.get("/.well-known/jwks.json")).body as {
        readonly keys: ReadonlyArray<JWK>
      }
      const stranger = yield* attacker
      assert.isString(socketUrl)
      for (const [name, made] of Object.entries(forgeriesOf(token, keys, stranger))) {
        const forged = yield* Effect.promise(() => Promise.resolve(made))
        // A header contains bytes: characters outside Latin-1 come as their UTF-8.
        const authorization = Buffer.from(`Bearer ${forged}`).toString("latin1")
        const headers = { authorization }
        const doors = [
          yield* server.get("/v1/shipments", { client: null, headers }),
          yield* server.get("/v1/operator/clients", { client: null, headers })
        ]
        assert.deepStrictEqual(doors.map(({ status }) => status), [401, 401], name)
        const json = { ...headers, "content-type": "application/json" }
        for (const accept of ["application/json", "text/event-stream"]) {
          const body = JSON.stringify(accept === "application/json" ? history() : follow())
          const { status } = yield* Effect.promise(() =>
            fetch(url, { method: "POST", headers: { ...json, accept }, body })
          )
          assert.strictEqual(status, 401, name)
        }
        const socket = yield* rawSocket()
        socket.send({ type: "connection_init", payload: { Authorization: `Bearer ${forged}` } })
        assert.strictEqual((yield* socket.closed).code, 4403, name)
      }
      assert.strictEqual(stranger.state.asked, 0)
      assert.strictEqual((yield* server.get("/v1/shipments")).status, 200)
    })))

  // @threat asking.3
  it.effect("a good token counts in the one header only", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const token = yield* server.token("acme-client")
      const bearer = `Bearer ${token}`
      for (const path of ["/v1/shipments", "/v1/operator/clients", "/public_graphql"]) {
        for (
          const [query, ...headers] of [
            [`?access_token=${token}`],
            [`?authorization=${encodeURIComponent(bearer)}`],
            ["", `Cookie: access_token=${token}; authorization=${token}`],
            ["", `Proxy-Authorization: ${bearer}`],
            ["", `X-Authorization: ${bearer}`],
            ["", `Authorization_: ${bearer}`],
            ["", `X-Original-Url: ${path}`, `X-Forwarded-User: operator`, "X-Forwarded-For: 127.0.0.1"],
            ["", `Authorization: ${bearer}`, `Authorization: ${bearer}`],
            ["", `Authorization: ${bearer}`, "Authorization:"],
            ["", `Authorization: Basic ${Buffer.from("acme-client:acme-client-secret").toString("base64")}`]
          ]
        ) {
          const lines = [`GET ${path}${query} HTTP/1.1`, "Host: x", "Connection: close", ...headers]
          const [answer] = yield* exchange(server.port, `${lines.join("\r\n")}\r\n\r\n`)
          assert.strictEqual(answer?.status, 401, lines.join())
        }
      }
    }))

  // @threat asking.4
  it.effect("no address of the request is taken for the service's own: neither audience nor issuer", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const ask = (audience: string, headers: Readonly<Record<string, string>> = {}) =>
        server.request("POST", "/oauth/token", {
          client: null,
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify({
            client_id: "acme-client",
            client_secret: "acme-client-secret",
            audience,
            grant_type: "client_credentials"
          })
        })
      const evil = {
        host: "evil.example",
        "x-forwarded-host": "evil.example",
        forwarded: "host=evil.example"
      }
      assert.strictEqual((yield* ask("http://evil.example/public_graphql", evil)).status, 400)
      const { access_token } = (yield* ask(`${baseUrl}/public_graphql`, evil)).body as {
        readonly access_token: string
      }
      assert.deepInclude(decode(access_token.split(".")[1]!), {
        iss: baseUrl,
        aud: `${baseUrl}/public_graphql`
      })
    }))
})
