/**
 * What the service signs in with is in no record of a delivery, though a customer's server repeats it (D9.6); and what
 * does not sign any more need not open (D9.5).
 */
import { fromMillis } from "@dockline/core/values/Timestamp"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { assert, describe } from "@effect/vitest"
import { Clock, Effect } from "effect"
import {
  answer,
  deliveries,
  delivering,
  endpoint,
  issues,
  Outside,
  pass,
  secret,
  test,
  tokenAuthentication
} from "../DispatchWorld.ts"

const encode = (text: string) => new TextEncoder().encode(text)

const basic = {
  type: "basic",
  settings: { username: "us" },
  secrets: { password: "pass\"word" as SealedText }
}

/** A customer that answers 500 and all it was sent, and the password that it knows. */
const anEcho = () => {
  const outside = new Outside()
  outside.customers.set("login.example", () => Effect.succeed(issues("ey.token.1")))
  outside.customers.set("customer.example", ({ headers }) =>
    Effect.succeed({
      ...answer(500),
      body: encode(JSON.stringify({ headers, decoded: "us:pass\"word" }))
    }))
  return outside
}

describe("the record of a customer that repeats what it was sent", () => {
  // @threat secrets.2
  test("has neither the password of Basic nor its encoded form", function*() {
    const outside = anEcho()
    const id = yield* delivering(outside, [1], { authentication: basic })
    const response = (yield* deliveries(id))[0]!.attempts[0]!.response
    const echo = JSON.parse(response) as {
      readonly headers: Record<string, string>
      readonly decoded: string
    }
    assert.strictEqual(echo.headers["Authorization"], "Basic ***")
    assert.strictEqual(echo.decoded, "***")
    assert.strictEqual(echo.headers["webhook-id"], "msg_1")
  })

  // @threat secrets.2
  test("has no token", function*() {
    const outside = anEcho()
    const id = yield* delivering(outside, [1], { authentication: tokenAuthentication })
    const response = (yield* deliveries(id))[0]!.attempts[0]!.response
    assert.include(response, "\"Authorization\":\"Bearer ***\"")
    assert.notInclude(response, "ey.token.1")
    // Nor the password that it was fetched with.
    assert.include(response, "\"decoded\":\"us:***\"")
  })
})

describe("the endpoint's own headers", () => {
  // @threat secrets.2
  test("D15.3 are sent with each request beside those of the service, and hidden in what comes back", function*() {
    const outside = anEcho()
    const headers = [
      { name: "X-Api-Key", sealed: "agreed-key" as SealedText },
      { name: "x-zone", sealed: "zone \"seven\"" as SealedText }
    ]
    const id = yield* delivering(outside, [1], { headers, authentication: basic })
    const [{ headers: requestHeaders }] = outside.requests as [typeof outside.requests[number]]
    assert.include(requestHeaders, {
      "X-Api-Key": "agreed-key",
      "x-zone": "zone \"seven\"",
      "Content-Type": "application/json",
      "webhook-id": "msg_1"
    })
    const response = JSON.parse((yield* deliveries(id))[0]!.attempts[0]!.response)
    assert.include(response.headers, { "X-Api-Key": "***", "x-zone": "***", "webhook-id": "msg_1" })
  })
})

describe("the record of a customer that writes what it was sent in another way", () => {
  const page = (headers: Readonly<Record<string, string>>): string =>
    [
      JSON.stringify(headers["Authorization"]),
      encodeURIComponent("pass>?>?/wörd"),
      Buffer.from("us:pass>?>?/wörd").toString("base64url"),
      `{"key":"${secret.slice("whsec_".length)}"}`
    ].join("\n")

  test("has neither the credentials of Basic nor the key that signs", function*(outside) {
    outside.customers.set(
      "customer.example",
      ({ headers }) => Effect.succeed({ ...answer(500), body: encode(page(headers)) })
    )
    const authentication = { ...basic, secrets: { password: "pass>?>?/wörd" as SealedText } }
    const id = yield* delivering(outside, [1], { authentication })
    const response = (yield* deliveries(id))[0]!.attempts[0]!.response
    assert.deepStrictEqual(response.split("\n"), [
      "\"Basic ***\"",
      "***",
      "***",
      "{\"key\":\"***\"}"
    ])
  })
})

describe("a signing secret whose time is over", () => {
  const first = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" as SealedText

  test("need not open, however unreadable it has become", function*(outside) {
    yield* pass("2 days")
    const before = fromMillis((yield* Clock.currentTimeMillis) - 1)
    const signingSecrets = [{ sealed: first, validUntil: null }, {
      sealed: "broken" as SealedText,
      validUntil: before
    }]
    const id = yield* delivering(outside, [1], { signingSecrets })
    assert.strictEqual((yield* endpoint(id)).login, null)
    assert.deepStrictEqual(outside.ids(), [1])
    assert.notInclude(outside.requests[0]!.headers["webhook-signature"], " ")
  })
})
