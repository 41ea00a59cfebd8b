/**
 * Sending webhooks from plain asynchronous code, by calls by a function of the embedding service.
 */
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import { Webhooks } from "@dockline/core/operator/Webhooks"
import { AuthenticationSchemes, defaultSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import * as WebhookInput from "@dockline/core/webhooks/WebhookInput"
import { recently } from "@dockline/testing/generators/Given"
import { Effect, Layer, Result } from "effect"
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "vitest"
import { bodyLimit, OutboundHttp } from "../../src/outbound/OutboundHttp.ts"
import type { PostAnswer, PostFunction } from "../../src/outbound/OutboundHttp.ts"
import { InvalidConfig } from "../../src/WebhookConfig.ts"
import * as WebhookSender from "../../src/WebhookSender.ts"

const secretsKey = randomBytes(32).toString("base64")

const everything = {
  clientId: "everything",
  grants: [{ business: "*", facilities: "*", permissions: ["documents:write", "pallets:write", "operator"] }]
} as const

const order: Dockline.DocumentJson = {
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber: "O-1",
  dockSlug: "D1",
  items: [{ lpn: "P1", sku: "S1", quantity: 1, quantityUnit: "CASE" }]
}

const event = {
  eventId: "e1",
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: recently("17:00:00Z"),
  labels: [{ name: "lpn", value: "P1" }]
}

const open = async (webhooks = WebhookSender.setup({ secretsKey })) => {
  const dockline = await Dockline.open({ storage: Memory.layer, webhooks })
  await dockline.places([
    { slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "East", docks: ["D1"] }] }
  ])
  return dockline
}

/** Sets up an endpoint, as an operator does. */
const setUp = ({ layer }: Dockline.Dockline, baseUrl: string) =>
  Effect.runPromise(
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const read = WebhookInput.endpointReader(yield* AuthenticationSchemes)
      const options = {
        business: "acme",
        baseUrl,
        authentication: { type: "none" },
        messageTypes: ["PALLET_EVENT"]
      }
      return yield* webhooks.createWebhookEndpoint(
        { body: yield* Effect.fromResult(read(options)) },
        everything
      )
    }).pipe(Effect.result, Effect.provide(layer))
  )

const record = async (dockline: Dockline.Dockline) => {
  assert.isTrue((await dockline.submit(order, everything)).ok)
  assert.isTrue((await dockline.recordPallet(event, everything)).ok)
}

describe("sending webhooks over a façade", () => {
  it("posts each message by the calls that are given, signed", async () => {
    const post = Promise.withResolvers<Parameters<PostFunction>[0]>()
    await using dockline = await open()
    assert.isTrue(Result.isSuccess(await setUp(dockline, "https://customer.example.com")))
    const outboundHttp = OutboundHttp.layerPromise(async (request) => {
      post.resolve(request)
      return { status: 204 }
    })
    await using _ = await WebhookSender.start(dockline.layer, {
      outboundHttp,
      timeoutMillis: 1234,
      userAgent: "mine"
    })
    await record(dockline)
    const { url, headers, body, timeoutMillis } = await post.promise
    assert.strictEqual(url, "https://customer.example.com/api/palletEvent")
    assert.strictEqual(timeoutMillis, 1234)
    assert.deepStrictEqual((JSON.parse(body) as { readonly orders: unknown }).orders, ["O-1"])
    const names = Object.keys(headers).map((name) => name.toLowerCase())
    assert.includeMembers(names, ["webhook-id", "webhook-signature", "webhook-timestamp"])
    assert.include(Object.values(headers), "mine")
  })

  it("refuses a key that is none, and addresses that must not be called", async () => {
    const webhooks = WebhookSender.setup({ secretsKey: "short" })
    const error = await open(webhooks).then(() => undefined, (error: Dockline.DocklineNotOpened) => error)
    assert.instanceOf(error?.cause, InvalidConfig)
    await using dockline = await open()
    const refusal = await setUp(dockline, "http://127.0.0.1:1")
    assert(Result.isFailure(refusal))
    assert.strictEqual(refusal.failure._tag, "InvalidRequest")
    await using permissive = await open(WebhookSender.setup({ secretsKey, allow: ["127.0.0.0/8"] }))
    assert.isTrue(Result.isSuccess(await setUp(permissive, "http://127.0.0.1:1")))
    const wrong = await WebhookSender.start(dockline.layer, { allow: ["nowhere"] })
      .then(() => undefined, (error: unknown) => error)
    assert.instanceOf(wrong, InvalidConfig)
  })

  it("refuses a scheme whose type is declared twice", async () => {
    const schemes = Layer.succeed(AuthenticationSchemes, [...defaultSchemes, { type: "none", fields: [] }])
    const webhooks = WebhookSender.setup({ secretsKey }).pipe(Layer.provideMerge(schemes))
    const error = await open(webhooks).then(() => undefined, (error: Dockline.DocklineNotOpened) => error)
    assert.include(String(error?.cause), "AuthenticationSchemes declare the type none twice")
  })

  it("cannot be set up where nothing is given for it", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layer })
    await dockline.places([{ slug: "acme", name: "Acme" }])
    const refusal = await setUp(dockline, "https://customer.example.com")
    assert(Result.isFailure(refusal))
    assert.include(JSON.stringify(refusal.failure), "this service sends no webhooks")
  })
})

describe("calls by a function of the embedding service", () => {
  const request = { url: "https://customer.example.com", headers: {}, body: "{}" }
  const call = (post: PostFunction, timeoutMillis = 15_000) =>
    Effect.runPromise(
      OutboundHttp.use((http) => Effect.result(http.post(request))).pipe(
        Effect.provide(OutboundHttp.layerPromise(post, { timeoutMillis }))
      )
    )

  it("are answered as they say, with names of headers in lower case", async () => {
    const result = await call(async () => ({ status: 503, headers: { "Retry-After": "5" }, body: "busy" }))
    assert(Result.isSuccess(result))
    const { body, ...answer } = result.success
    assert.deepStrictEqual(answer, { status: 503, headers: { "retry-after": "5" }, error: "" })
    assert.strictEqual(new TextDecoder().decode(body), "busy")
  })

  it("are cut where the answer is too long", async () => {
    const result = await call(async () => ({ status: 200, body: new Uint8Array(bodyLimit + 1) }))
    assert(Result.isSuccess(result))
    assert.strictEqual(result.success.body.byteLength, bodyLimit)
    assert.match(result.success.error, /^the answer is longer than 64 KiB/)
  })

  it("have failed where they reject", async () => {
    const result = await call(() => Promise.reject(new Error("proxy is away")))
    assert(Result.isFailure(result))
    assert.strictEqual(result.failure.error, "proxy is away")
  })

  it("have failed where what they say is no answer", async () => {
    for (const answer of [undefined, {}, { status: "200" }, { status: NaN }, { status: 99 }]) {
      const result = await call(async () => answer as PostAnswer)
      assert(Result.isFailure(result), JSON.stringify(answer))
      assert.notStrictEqual(result.failure.error, "")
    }
  })

  it("are given up after their time", async () => {
    const answerSent = Promise.withResolvers<void>()
    const result = await call((_, signal) => {
      signal.addEventListener("abort", () => answerSent.resolve())
      return new Promise(() => {})
    }, 20)
    assert(Result.isFailure(result))
    assert.strictEqual(result.failure.error, "no answer within 0.02 s")
    await answerSent.promise
  })
})
