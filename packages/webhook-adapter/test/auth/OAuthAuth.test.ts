/** D15.3: a token for client credentials, from a provider of OAuth 2.0 and from token endpoints that fail in each way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { createServer } from "node:http"
import type { RequestListener, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { test } from "../../../../test/support/Tests.ts"
import * as CustomerAuth from "../../src/auth/CustomerAuth.ts"
import * as CustomerServer from "../CustomerServer.ts"
import { client } from "../OutboundSetup.ts"

const secret = "s3cret & = ö%"

const open = (
  tokenUrl: string,
  settings: Readonly<Record<string, string>> = {},
  { clientSecret = secret } = {}
) =>
  Effect.flatMap(
    client(),
    (http) =>
      CustomerAuth.oauthProvider(http, { userAgent: "Dockline/9" }).open(
        { tokenUrl, clientId: "dock:line", scope: "", audience: "", ...settings },
        { clientSecret: Redacted.make(clientSecret) }
      )
  )

/** A token endpoint that grants `t1`, `t2`, …, or answers as the test says. */
const tokenServer = (
  answer: (number: number, response: ServerResponse, request: CustomerServer.CustomerRequest) => void = (
    number,
    response
  ) => response.end(JSON.stringify({ access_token: `t${number}`, token_type: "bearer", expires_in: 600 }))
) => {
  let requests = 0
  return CustomerServer.http((request, response) => answer(++requests, response, request))
}

const refuseWith = (status: number, code: string) => (response: ServerResponse) =>
  response.writeHead(status, { "Content-Type": "application/json" }).end(
    JSON.stringify({ error: code, error_description: `${secret} is wrong` })
  )

describe("the request for a token", () => {
  test("authenticates the client by Basic, each part encoded as in a form", function*() {
    const server = yield* tokenServer()
    const auth = yield* open(`${server.url}/token`)
    assert.strictEqual(server.received.length, 0, "opening calls nobody")
    assert.strictEqual((yield* auth.obtain).header, "Bearer t1")
    const [{ body, headers, method, url }] = server.received as [CustomerServer.CustomerRequest]
    assert.deepStrictEqual([method, url, body], ["POST", "/token", "grant_type=client_credentials"])
    const [scheme, base64] = headers.authorization!.split(" ")
    assert.deepStrictEqual(
      [scheme, Buffer.from(base64!, "base64").toString()],
      ["Basic", "dock%3Aline:s3cret+%26+%3D+%C3%B6%25"]
    )
    assert.include(headers, {
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "Dockline/9"
    })
  })

  test("names scope and audience where they are agreed", function*() {
    const server = yield* tokenServer()
    yield* (yield* open(server.url, { scope: "hooks write", audience: "https://wms.example" })).obtain
    const [{ body }] = server.received as [CustomerServer.CustomerRequest]
    assert.deepStrictEqual([...new URLSearchParams(body)], [
      ["grant_type", "client_credentials"],
      ["scope", "hooks write"],
      ["audience", "https://wms.example"]
    ])
  })

  for (const status of [401, 400]) {
    test(`has the secret in its body once Basic was refused with ${status}, and then at first`, function*() {
      const server = yield* tokenServer((number, response, { headers }) =>
        headers.authorization === undefined
          ? response.end(JSON.stringify({ access_token: `t${number}` }))
          : refuseWith(status, "invalid_client")(response)
      )
      const auth = yield* open(server.url)
      const first = yield* auth.obtain
      assert.strictEqual(first.header, "Bearer t2")
      assert.isTrue(auth.discard(first))
      assert.strictEqual((yield* auth.obtain).header, "Bearer t3")
      assert.strictEqual(server.received.length, 3)
      assert.deepStrictEqual([...new URLSearchParams(server.received[2]!.body)], [
        ["grant_type", "client_credentials"],
        ["client_id", "dock:line"],
        ["client_secret", secret]
      ])
    })
  }
})

describe("how long a token is kept", () => {
  test("until 60 s before it expires, and for one request however many wait", function*() {
    const server = yield* tokenServer()
    const auth = yield* open(server.url)
    const all = yield* Effect.all(Array.from({ length: 50 }, () => auth.obtain), {
      concurrency: "unbounded"
    })
    assert.strictEqual(new Set(all).size, 1)
    assert.strictEqual(server.received.length, 1)
    yield* TestClock.adjust("539999 millis")
    assert.isDefined(auth.current())
    yield* TestClock.adjust("1 millis")
    assert.isUndefined(auth.current())
    assert.strictEqual((yield* auth.obtain).header, "Bearer t2")
  })
})

describe("a token endpoint that fails says why, and shows no secret", () => {
  const it_is = "login: the token endpoint answered"
  const faults: ReadonlyArray<readonly [string, (response: ServerResponse) => void, string, number]> = [
    ["401 invalid_client", refuseWith(401, "invalid_client"), `${it_is} 401: invalid_client`, 2],
    ["401 without a body", (response) => response.writeHead(401).end(), `${it_is} 401`, 2],
    ["400 invalid_client", refuseWith(400, "invalid_client"), `${it_is} 400: invalid_client`, 2],
    ["400 invalid_scope", refuseWith(400, "invalid_scope"), `${it_is} 400: invalid_scope`, 1],
    ["400 with what is no code", refuseWith(400, secret), `${it_is} 400`, 1],
    [
      "garbage",
      (response) => response.end(`<html>${secret}`),
      "login: the answer of the token endpoint is not JSON",
      1
    ],
    [
      "a token of another type",
      (response) => response.end(`{"access_token":"abc","token_type":"DPoP"}`),
      "login: the token of the token endpoint is no bearer token",
      1
    ]
  ]
  for (const [title, answer, error, requests] of faults) {
    // @threat requests.6
    test(title, function*() {
      const server = yield* tokenServer((_, response) => answer(response))
      const auth = yield* open(server.url)
      const failure = yield* Effect.flip(auth.obtain)
      assert.strictEqual(failure.error, error)
      assert.isUndefined(auth.current())
      assert.strictEqual(server.received.length, requests)
    })
  }

  test("one that must not be called", function*() {
    const auth = yield* open("http://10.0.0.1/token")
    assert.match((yield* Effect.flip(auth.obtain)).error, /^login: the URL is refused: address 10\./)
  })
})

interface Library {
  readonly Provider: new(issuer: string, settings: object) => { readonly callback: () => RequestListener }
}

/** Providers register secrets of ASCII only. */
const registeredSecret = "s3cret & = +%:"

/** A real provider: `oidc-provider`, whose clients authenticate themselves by one way each. */
const provider = Effect.acquireRelease(
  Effect.promise(async () => {
    // The library has no types.
    const { Provider }: Library = await import("oidc-provider" as string)
    const server = createServer()
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = (way: string) => ({
      client_id: way,
      client_secret: registeredSecret,
      scope: "hooks",
      token_endpoint_auth_method: way,
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: []
    })
    const issuerProvider = new Provider(issuer, {
      clients: [client("client_secret_basic"), client("client_secret_post")],
      scopes: ["hooks"],
      features: { clientCredentials: { enabled: true } }
    })
    server.on("request", issuerProvider.callback())
    return { server, issuer }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
)

describe("a real provider", () => {
  for (const clientId of ["client_secret_basic", "client_secret_post"]) {
    it.live(`grants a client of ${clientId} a token`, () =>
      Effect.gen(function*() {
        const { issuer } = yield* provider
        const settings = { clientId, scope: "hooks" }
        const auth = yield* open(`${issuer}/token`, settings, { clientSecret: registeredSecret })
        assert.match((yield* auth.obtain).header ?? "", /^Bearer \S+$/)
      }))
  }
})
