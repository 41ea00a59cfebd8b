/** D10.1: POST /oauth/token, over real sockets. */
import { ClientStore } from "@dockline/core/access/Principals"
import { Aside } from "@dockline/core/access/RequestLimits"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Layer, Logger, References } from "effect"
import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import { Clients } from "../../src/tokens/Clients.ts"
import { TokenEndpoint } from "../../src/tokens/TokenEndpoint.ts"
import { Tokens } from "../../src/tokens/Tokens.ts"
import * as Setup from "../AuthSetup.ts"
import * as HttpSetup from "../HttpSetup.ts"

const layer = TokenEndpoint.layer().pipe(
  Layer.provideMerge(Layer.mergeAll(Tokens.layer(Setup.config), Clients.layer)),
  Layer.provideMerge(Setup.stores)
)

const secret = "s3cr3t-s3cr3t"
/** What RFC 6749 section 2.3.1 encodes before Basic does. */
const oddId = "acme wms:1"
const oddSecret = "p%a+s:s&w=örd"

const server = Effect.gen(function*() {
  yield* (yield* ClientStore).put([
    Setup.client("wms", secret, "second"),
    Setup.client(oddId, oddSecret),
    { ...Setup.client("disabled", secret), enabled: false }
  ])
  return yield* HttpSetup.serve((yield* TokenEndpoint).handle)
})

interface TokenRequestInput {
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

const askAt = (url: string, { body = "", headers = {} }: TokenRequestInput) =>
  Effect.promise(async () => {
    const response = await fetch(url, { method: "POST", body, headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

const ask = (input: TokenRequestInput) => Effect.flatMap(server, ({ url }) => askAt(url, input))

const complete = {
  client_id: "wms",
  client_secret: secret,
  audience: Setup.audience,
  grant_type: "client_credentials"
}
const { client_secret: _, client_id: __, ...withoutCredentials } = complete

const jsonType = { "content-type": "application/json" }
const formType = { "content-type": "application/x-www-form-urlencoded" }
const json = (change: object = {}, headers = {}): TokenRequestInput => ({
  body: JSON.stringify({ ...complete, ...change }),
  headers: { ...jsonType, ...headers }
})
const jsonText = (body: string | Uint8Array<ArrayBuffer>): TokenRequestInput => ({ body, headers: jsonType })
const form = (fields: Readonly<Record<string, string>> | string, headers = {}): TokenRequestInput => ({
  body: typeof fields === "string" ? fields : new URLSearchParams(fields).toString(),
  headers: { ...formType, ...headers }
})
const basic = (id: string, secret: string, scheme = "Basic") => {
  const encode = (text: string) => new URLSearchParams({ "": text }).toString().slice(1)
  return { authorization: `${scheme} ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString("base64")}` }
}
const rawBasic = (text: string | Uint8Array) => ({
  authorization: `Basic ${Buffer.from(text).toString("base64")}`
})

const cases: ReadonlyArray<readonly [string, TokenRequestInput, id?: string, scope?: string]> = [
  ["JSON as in WIRE.md", json()],
  ["JSON with a charset", json({}, { "content-type": "Application/JSON; charset=UTF-8" })],
  ["JSON with unknown fields", json({ other: { a: [1] } })],
  ["JSON with a resource that is the audience", json({ resource: Setup.audience })],
  [
    "JSON with Basic credentials",
    json({ client_id: undefined, client_secret: undefined }, basic("wms", secret))
  ],
  ["the second secret", json({ client_secret: "second" })],
  ["a bearer token besides, as some clients always send", json({}, { authorization: "Bearer abc" })],
  ["a form with credentials in the body", form(complete)],
  [
    "a form with a charset",
    form(complete, { "content-type": `${formType["content-type"]};charset="utf-8"` })
  ],
  ["a form with resource", form({ ...complete, audience: "", resource: Setup.audience })],
  [
    "a form without audience: ours",
    form({ client_id: "wms", client_secret: secret, grant_type: "client_credentials" })
  ],
  ["a form with odd credentials", form({ ...complete, client_id: oddId, client_secret: oddSecret }), oddId],
  [
    "a form with unknown parameters, given twice",
    form(`${new URLSearchParams(complete)}&other=a&other=b&&x`)
  ],
  ["a form with Basic credentials", form(withoutCredentials, basic("wms", secret))],
  ["Basic in lower case", form(withoutCredentials, basic("wms", secret, "basic"))],
  ["Basic with odd credentials", form(withoutCredentials, basic(oddId, oddSecret)), oddId],
  [
    "Basic with credentials that are not form-urlencoded",
    form(withoutCredentials, rawBasic(`wms:${secret}`))
  ],
  [
    "Basic with the same client_id in the body",
    form({ ...withoutCredentials, client_id: "wms" }, basic("wms", secret))
  ],
  ["JSON with a scope", json({ scope: "documents" }), "wms", ""],
  ["a form with a scope", form({ ...complete, scope: "documents pallets" }), "wms", ""]
]

describe("D10.1 a token is granted for", () => {
  it.live.each(cases)("%s", ([, input, id = "wms", scope]) =>
    Effect.gen(function*() {
      const { status, headers, text } = yield* ask(input)
      assert.strictEqual(status, 200, text)
      const { access_token: token, ...rest } = JSON.parse(text)
      // A token says that it has no scope to a client that asks for one (RFC 6749 section 5.1).
      const scopeAnswer = scope === undefined ? {} : { scope }
      assert.deepStrictEqual(rest, { token_type: "Bearer", expires_in: 86_400, ...scopeAnswer })
      assert.strictEqual((yield* (yield* Tokens).verify(token)).clientId, id)
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.strictEqual(headers.get("pragma"), "no-cache")
    }).pipe(Effect.provide(layer)))
})

const without = (name: string): TokenRequestInput => json({ [name]: undefined })
const invalidUtf8 = Buffer.concat([Buffer.from("{\"client_id\":\""), Buffer.from([0xff]), Buffer.from("\"}")])

/** Name, request and what the description must name. */
type Refusal = readonly [string, TokenRequestInput, string]

const invalidRequests: ReadonlyArray<Refusal> = [
  ["no client_id", without("client_id"), "client_id is missing"],
  ["no client_secret", without("client_secret"), "client_secret is missing"],
  ["no audience", without("audience"), `audience is missing; it must be ${Setup.audience}`],
  ["no grant_type", without("grant_type"), "grant_type is missing"],
  ["an empty client_secret", json({ client_secret: "" }), "client_secret is missing"],
  ["client_id null", json({ client_id: null }), "client_id must be a string"],
  ["client_secret a number", json({ client_secret: 1 }), "client_secret must be a string"],
  ["audience a list", json({ audience: [Setup.audience] }), "audience must be a string"],
  ["grant_type an object", json({ grant_type: {} }), "grant_type must be a string"],
  [
    "client_secret twice in JSON",
    jsonText("{\"client_secret\":\"s3cr3t\",\"client_secret\":1}"),
    "client_secret"
  ],
  [
    "client_id twice in a form",
    form(`${new URLSearchParams(complete)}&client_id=wms`),
    "client_id is given twice"
  ],
  ["resource twice in a form", form("resource=a&resource=a"), "resource is given twice"],
  ["a form without grant_type", form({ ...complete, grant_type: "" }), "grant_type"],
  [
    "a form that begins with a question mark",
    form(`?${new URLSearchParams(complete)}`),
    "client_id is missing"
  ],
  ["an empty form", form(""), "client_id is missing"],
  ["an empty JSON body", jsonText(""), "not JSON"],
  ["JSON cut short", jsonText(`{"client_secret":"${secret}`), "not JSON"],
  ["JSON with a bare word", jsonText(`{"client_secret":${secret}}`), "line 1, column 18"],
  ["a JSON list", jsonText("[]"), "must be a JSON object"],
  ["JSON null", jsonText("null"), "must be a JSON object"],
  ["JSON in invalid UTF-8", jsonText(invalidUtf8), "UTF-8"],
  ["fields on the prototype", jsonText(`{"__proto__":${JSON.stringify(complete)}}`), "client_id is missing"],
  ["a form in invalid UTF-8", form(`client_secret=%ff${secret}`), "not a form"],
  ["a form with a broken escape", form(`client_secret=%2${secret}%`), "not a form"],
  ["both Basic and body", form(complete, basic("wms", secret)), "client_secret"],
  [
    "Basic and another client_id",
    form({ ...withoutCredentials, client_id: "erp" }, basic("wms", secret)),
    "client_id differs"
  ],
  ["no credentials but a bearer token", form(withoutCredentials, { authorization: "Bearer a" }), "client_id"]
]

const invalidClients: ReadonlyArray<Refusal> = [
  ["a wrong secret", json({ client_secret: `${secret}x` }), "unknown client, or wrong secret"],
  ["an unknown client", json({ client_id: "nobody" }), "unknown client, or wrong secret"],
  ["a disabled client", json({ client_id: "disabled" }), "unknown client, or wrong secret"],
  ["an id with NUL", json({ client_id: "wms\u0000" }), "unknown client"],
  ["a wrong secret by Basic", form(withoutCredentials, basic("wms", `${secret}x`)), "unknown client"],
  ["an unknown client by Basic", form(withoutCredentials, basic("nobody", secret)), "unknown client"],
  ["Basic without colon", form(withoutCredentials, rawBasic(secret)), "Basic"],
  ["Basic with a broken escape", form(withoutCredentials, rawBasic(`wms:${secret}%`)), "Basic"],
  ["Basic in invalid UTF-8", form(withoutCredentials, rawBasic(Uint8Array.of(0x61, 0x3a, 0xff))), "Basic"],
  ["Basic without credentials", form(withoutCredentials, { authorization: "Basic" }), "Basic"],
  ["Basic with another alphabet", form(withoutCredentials, { authorization: "Basic ****" }), "Basic"]
]

const gzipRequest = {
  body: gzipSync(JSON.stringify(complete)),
  headers: { ...jsonType, "content-encoding": "gzip" }
}

const unsupportedTypes: ReadonlyArray<Refusal> = [
  ["another media type", json({}, { "content-type": "text/json" }), "application/json"],
  ["multipart", json({}, { "content-type": "multipart/form-data; boundary=x" }), "urlencoded"],
  ["no media type", { body: Buffer.from(JSON.stringify(complete)) }, "application/json"],
  ["two media types", json({}, { "content-type": "application/json, text/xml" }), "application/json"],
  ["another charset", json({}, { "content-type": "application/json; charset=latin1" }), "UTF-8"],
  ["a compressed body", gzipRequest, "content coding"]
]

const refusals: ReadonlyArray<readonly [status: number, error: string, ...Refusal]> = [
  ...invalidRequests.map((refusal) => [400, "invalid_request", ...refusal] as const),
  [400, "unsupported_grant_type", "another grant", json({ grant_type: "password" }), "client_credentials"],
  [400, "unsupported_grant_type", "in a form", form({ ...complete, grant_type: "x" }), "client_credentials"],
  [400, "invalid_target", "another audience", json({ audience: `${Setup.audience}/` }), Setup.audience],
  [400, "invalid_target", "in a form", form({ ...complete, audience: "x" }), Setup.audience],
  [400, "invalid_target", "another resource", form({ ...complete, resource: "x" }), Setup.audience],
  ...invalidClients.map((refusal) => [401, "invalid_client", ...refusal] as const),
  ...unsupportedTypes.map((refusal) => [415, "invalid_request", ...refusal] as const),
  [413, "invalid_request", "over 16 KiB", json({ other: "x".repeat(16_384) }), "16384 bytes"] as const
]

describe("D10.1 no token is granted for", () => {
  it.live.each(refusals)("%d %s: %s", ([status, error, , input, remark]) =>
    Effect.gen(function*() {
      const logEntries: Array<unknown> = []
      const logger = Logger.make(({ cause, message }) => void logEntries.push(message, cause))
      const answer = yield* ask(input).pipe(
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(References.MinimumLogLevel, "All")
      )
      const { error: code, error_description: description, ...more } = JSON.parse(answer.text)
      assert.strictEqual(answer.status, status)
      assert.strictEqual(code, error)
      assert.include(description, remark)
      // RFC 6749 section 5.2: printable ASCII without quote and backslash.
      assert.match(description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
      assert.deepStrictEqual(more, {})
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      assert.strictEqual(answer.headers.get("pragma"), "no-cache")
      const hasChallenge = status === 401 && input.headers?.["authorization"] !== undefined
      assert.strictEqual(
        answer.headers.get("www-authenticate"),
        hasChallenge ? "Basic realm=\"dockline\", charset=\"UTF-8\"" : null
      )
      assert.notInclude(answer.text, "s3cr3t")
      assert.notInclude(inspect(logEntries, { depth: 10 }), "s3cr3t")
    }).pipe(Effect.provide(layer)))

  // @threat asking.6
  it.live("an unknown, a disabled client and a wrong secret: the same answer to the byte", () =>
    Effect.gen(function*() {
      const answers = yield* Effect.forEach([
        json({ client_secret: "x" }),
        json({ client_id: "nobody" }),
        json({ client_id: "disabled" })
      ], ask)
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
    }).pipe(Effect.provide(layer)))
})

describe("D10.1 when things break", () => {
  it.live.each(["clients", "keys"])(
    "the storage of %s is down: 503, to be tried again",
    (which) =>
      Effect.gen(function*() {
        const state = which === "clients" ? yield* Setup.ClientStoreState : yield* Setup.KeyStoreState
        state.isDown = true
        const logEntries: Array<readonly [string, string]> = []
        const logger = Logger.make(({ cause, logLevel }) =>
          void logEntries.push([logLevel, Cause.pretty(cause)])
        )
        const { status, headers, text } = yield* ask(json()).pipe(Effect.provide(Logger.layer([logger])))
        assert.strictEqual(status, 503)
        assert.strictEqual(JSON.parse(text).error, "temporarily_unavailable")
        assert.strictEqual(headers.get("retry-after"), "2")
        assert.deepStrictEqual(logEntries.map(([level]) => level), ["Warn"])
        assert.include(logEntries[0]![1], "connection refused")
        assert.notInclude(logEntries[0]![1], secret)
        assert.strictEqual(headers.get("cache-control"), "no-store")
      }).pipe(Effect.provide(layer))
  )

  it.live("a defect is 500 in the form of RFC 6749, and is logged", () =>
    Effect.gen(function*() {
      const logEntries: Array<string> = []
      const logger = Logger.make(({ cause }) => void logEntries.push(Cause.pretty(cause)))
      const endpoint = TokenEndpoint.layer().pipe(
        Layer.provide(Layer.effect(
          Tokens,
          Effect.map(Tokens, (tokens) => ({ ...tokens, issue: () => Effect.die(new Error("broken")) }))
        )),
        Layer.provide(layer)
      )
      yield* server
      const { handle } = yield* Effect.map(Layer.build(endpoint), Context.get(TokenEndpoint))
      const { url } = yield* HttpSetup.serve((request) =>
        Effect.provide(handle(request), Logger.layer([logger]))
      )
      const { headers, status, text } = yield* askAt(url, json())
      assert.deepStrictEqual([status, JSON.parse(text)], [500, { error: "server_error" }])
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.lengthOf(logEntries, 1)
      assert.include(logEntries[0]!, "broken")
    }).pipe(Effect.provide(layer)))

  it.live("tokens come from an external issuer: 400, and the issuer is named", () =>
    Effect.gen(function*() {
      const external = { issuer: "https://idp.example.com/", audience: "a", jwksUrl: "http://127.0.0.1:1/" }
      const endpoint = TokenEndpoint.layer().pipe(
        Layer.provide(Layer.mergeAll(Tokens.layer({ ...Setup.config, external }), Clients.layer))
      )
      const { handle } = yield* Effect.map(Layer.build(endpoint), Context.get(TokenEndpoint))
      const { url } = yield* HttpSetup.serve(handle)
      const { status, text } = yield* askAt(url, json())
      const refusal = {
        error: "invalid_request",
        error_description: "tokens are issued by https://idp.example.com/"
      }
      assert.deepStrictEqual([status, JSON.parse(text)], [400, refusal])
    }).pipe(Effect.provide(layer)))

  // @threat load.25
  it.live("the turn of the request does not come once its body is there: 503, and when to repeat it", () =>
    Effect.gen(function*() {
      const { handle } = yield* TokenEndpoint
      const waits: Array<object> = []
      const { url } = yield* HttpSetup.serve((request) =>
        Effect.provideService(handle(request), Aside, (source, refuse) => {
          waits.push(source)
          return { end: () => refuse?.(), giveUp: () => undefined }
        })
      )
      const { headers, status, text } = yield* askAt(url, json())
      assert.strictEqual(waits.length, 1)
      assert.deepStrictEqual([status, (JSON.parse(text) as { readonly error: string }).error], [
        503,
        "temporarily_unavailable"
      ])
      assert.match(headers.get("retry-after") ?? "", /^[123]$/)
    }).pipe(Effect.provide(layer)))
})
