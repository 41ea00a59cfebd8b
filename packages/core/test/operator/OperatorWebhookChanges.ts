/**
 * What holds for changes of webhook endpoints and for their secrets, whatever they are stored in.
 */
import * as assert from "@dockline/testing/Assert"
import { at } from "@dockline/testing/worlds/MessageLogWorld"
import { aBusiness, faultsOf, nowhere, operatorOf, outcome } from "@dockline/testing/worlds/OperatorWorld"
import { Effect, Layer, Logger, Redacted, Result } from "effect"
import { maxSigningSecrets, Webhooks } from "../../src/operator/Webhooks.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"
import {
  AuthenticationSchemes,
  defaultSchemes,
  plainSettings,
  WebhookEndpointStore
} from "../../src/webhooks/WebhookEndpoint.ts"
import type { AuthenticationScheme } from "../../src/webhooks/WebhookEndpoint.ts"
import * as WebhookInput from "../../src/webhooks/WebhookInput.ts"
import { ask, policy, readWith } from "./OperatorServices.ts"
import type { Part, Services } from "./OperatorServices.ts"
import {
  basic,
  create,
  hour,
  input,
  noon,
  openedSecrets,
  patch,
  storedEndpoint,
  token,
  update
} from "./WebhooksWorld.ts"

/** The cases of changing webhook endpoints, and of their secrets. */
export const webhookChanges: Part = (test, describe) => {
  describe("D11 changes", () => {
    test(
      "of what is given, and of nothing else",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const { signingSecret, ...endpoint } = yield* create(business, { authentication: basic })
        const steps: ReadonlyArray<
          readonly [change: Record<string, unknown>, after: Record<string, unknown>]
        > = [
          [{}, {}],
          [
            { baseUrl: "https://other.example/a//", authentication: basic },
            { baseUrl: "https://other.example/a" }
          ],
          [{ messageTypes: ["SHIPMENT_COMPLETE"] }, { messageTypes: ["SHIPMENT_COMPLETE"] }],
          [{ enabled: false }, { enabled: false, disabledReason: "OPERATOR" }],
          [{ baseUrl: "https://other.example/a/" }, {}],
          [{ enabled: true }, { enabled: true, disabledReason: "" }],
          [
            { authentication: { type: "basic", username: "them" } },
            { authentication: { type: "basic", username: "them" } }
          ]
        ]
        for (const [change, after] of steps) {
          Object.assign(endpoint, after)
          assert.deepStrictEqual(yield* update(endpoint.id, change), endpoint)
          assert.deepStrictEqual(yield* ask("getWebhookEndpoint", { endpointId: endpoint.id }), endpoint)
        }
        assert.deepStrictEqual(yield* openedSecrets(endpoint.id), {
          authentication: { password: "canary-password" },
          headers: [],
          signing: [Redacted.value(signingSecret)]
        })
      })
    )

    test(
      "of an authentication are whole; secrets left out stay while the type does",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const { id } = yield* create(business, { authentication: { ...token, scheme: "Token" } })
        const { password: _, ...rest } = token
        const endpointAfter = yield* update(id, { authentication: { ...rest, username: "them" } })
        assert.strictEqual(endpointAfter.authentication["scheme"], "Bearer", "defaults again")
        assert.deepStrictEqual((yield* openedSecrets(id)).authentication, { password: "canary-token" })
        yield* update(id, { authentication: { ...token, password: "canary-new" } })
        assert.deepStrictEqual((yield* openedSecrets(id)).authentication, { password: "canary-new" })
        const toBasic = { authentication: { type: "basic", username: "us" } }
        assert.deepStrictEqual(yield* faultsOf(update(id, toBasic)), {
          code: "INVALID_REQUEST",
          errors: [{ path: "authentication.password", detail: "is required" }]
        })
        assert.strictEqual((yield* storedEndpoint(id)).authentication.type, "token")
        yield* update(id, { authentication: { type: "none" } })
        assert.deepStrictEqual((yield* storedEndpoint(id)).authentication, {
          type: "none",
          settings: {},
          secrets: {}
        })
        assert.strictEqual(yield* outcome(update(id, { authentication: rest })), "INVALID_REQUEST")
        yield* update(id, { authentication: basic })
        assert.deepStrictEqual((yield* openedSecrets(id)).authentication, { password: "canary-password" })
      })
    )

    test(
      "that leave out enabled leave an endpoint that was disabled for a reason as it is",
      Effect.gen(function*() {
        const store = yield* WebhookEndpointStore
        const business = yield* aBusiness
        const { id } = yield* create(business)
        yield* store.update(Number(id), Timestamp.fromMillis(noon), (endpoint) => {
          const { baseUrl, messageTypes, authentication, signingSecrets } = endpoint
          const change = { ...plainSettings, baseUrl, messageTypes, authentication, signingSecrets }
          return Result.succeed({ ...change, enabled: false, disabledReason: "GONE" as const })
        })
        const reasonAfter = (fields: Record<string, unknown>) =>
          Effect.map(update(id, fields), ({ disabledReason }) => disabledReason)
        assert.strictEqual(yield* reasonAfter({ baseUrl: "https://other.example" }), "GONE")
        yield* ask("rotateSigningSecret", { endpointId: id })
        assert.strictEqual((yield* storedEndpoint(id)).disabledReason, "GONE")
        assert.strictEqual(yield* reasonAfter({ enabled: false }), "OPERATOR")
        assert.strictEqual(yield* reasonAfter({ enabled: true }), "")
      })
    )
  })

  describe("D11 rotation", () => {
    test(
      "each secret signs for 24 hours more than it is the newest, however many follow",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const endpoint = yield* at(noon)(create(business))
        const { id } = endpoint
        const rotate = (millis: number) =>
          Effect.map(
            at(millis)(ask("rotateSigningSecret", { endpointId: id })),
            ({ signingSecret }) => Redacted.value(signingSecret)
          )
        const secretsAt = (millis: number) =>
          Effect.map(
            at(millis)(ask("getWebhookEndpoint", { endpointId: id })),
            ({ signingSecrets }) => signingSecrets
          )
        const first = Redacted.value(endpoint.signingSecret)
        const second = yield* rotate(noon + hour)
        assert.deepStrictEqual((yield* openedSecrets(id)).signing, [second, first])
        const until = { validUntil: "2026-11-21T13:00:00.000Z" }
        assert.deepStrictEqual(yield* secretsAt(noon + hour), [{ validUntil: null }, until])
        assert.deepStrictEqual(yield* secretsAt(noon + 25 * hour - 1), [{ validUntil: null }, until])
        assert.deepStrictEqual(yield* secretsAt(noon + 25 * hour), [{ validUntil: null }])
        const third = yield* rotate(noon + 2 * hour)
        assert.deepStrictEqual((yield* openedSecrets(id)).signing, [third, second, first])
        const untilToo = { validUntil: "2026-11-21T14:00:00.000Z" }
        assert.deepStrictEqual(yield* secretsAt(noon + 2 * hour), [{ validUntil: null }, untilToo, until])
        assert.deepStrictEqual(yield* secretsAt(noon + 25 * hour), [{ validUntil: null }, untilToo])
        // What has expired is not kept.
        const fourth = yield* rotate(noon + 25 * hour)
        assert.deepStrictEqual((yield* openedSecrets(id)).signing, [fourth, third, second])
        const oldestFirst = [second, third, fourth]
        for (let n = 1; n <= maxSigningSecrets; n++) oldestFirst.push(yield* rotate(noon + 25 * hour + n))
        assert.deepStrictEqual(
          (yield* openedSecrets(id)).signing,
          oldestFirst.toReversed().slice(0, maxSigningSecrets)
        )
        assert.match(third, /^whsec_[A-Za-z0-9+/]{43}=$/)
        assert.strictEqual(new Set([first, second, third]).size, 3)
      })
    )
  })

  describe("D11 passwords and signing secrets are never shown", () => {
    test(
      "by views, errors and logs",
      Effect.gen(function*() {
        const [business, other] = [yield* aBusiness, yield* aBusiness]
        const rawSecret = `whsec_${Buffer.from("canary".repeat(5)).toString("base64")}`
        const lines: Array<unknown> = []
        const logger = Logger.layer([Logger.make(({ message, cause }) => {
          lines.push(message, String(cause))
        })])
        const answers = yield* Effect.gen(function*() {
          const raw = { authentication: token, signingSecret: rawSecret }
          const { signingSecret, ...endpoint } = yield* create(business, raw)
          const rotation = yield* ask("rotateSigningSecret", { endpointId: endpoint.id })
          yield* Effect.logInfo("made", signingSecret, input(business, raw), rotation)
          const attempts: ReadonlyArray<Effect.Effect<unknown, Error, Services>> = [
            create(business, { ...raw, baseUrl: "https://192.0.2.1" }),
            create(business, raw, operatorOf(other)),
            create(nowhere, raw),
            create(business, { ...raw, facility: "north" }),
            ask("updateWebhookEndpoint", {
              endpointId: endpoint.id,
              body: patch({ authentication: { ...token, loginUrl: "https://192.0.2.1" } })
            }),
            ask("updateWebhookEndpoint", { endpointId: "0", body: patch({ authentication: token }) })
          ]
          const refusals = yield* Effect.all(attempts.map((each) => Effect.flip(each)))
          const faults = [
            WebhookInput.endpointReader()({
              ...raw,
              signingSecret: `${rawSecret}!`,
              authentication: { ...basic, password: 7 }
            }),
            WebhookInput.endpointReader()({
              business,
              authentication: { ...basic, password: "canary\u0001" }
            }),
            WebhookInput.endpointPatchReader()({ authentication: { ...token, password: ["canary"] } })
          ]
          yield* Effect.logError(refusals, faults)
          return {
            made: endpoint,
            signingSecret,
            input: input(business, raw),
            got: yield* ask("getWebhookEndpoint", { endpointId: endpoint.id }),
            listed: yield* ask("listWebhookEndpoints", {}, operatorOf(business)),
            changed: yield* ask("updateWebhookEndpoint", {
              endpointId: endpoint.id,
              body: patch({ authentication: token })
            }),
            refusals: refusals.map((error) => [error.message, error]),
            faults,
            rotated: {
              ...rotation,
              secrets: [Redacted.value(rotation.signingSecret)].map((text) => text.length)
            },
            remade: yield* ask("createWebhookEndpoint", { body: input(business, raw) })
          }
        }).pipe(Effect.provide(logger))
        const text = JSON.stringify([answers, lines])
        assert.isAbove(lines.length, 0)
        for (const secret of ["canary", rawSecret, Buffer.from("canary").toString("hex")]) {
          assert.notInclude(text, secret)
        }
      })
    )
  })

  describe("D9 a scheme of one's own", () => {
    const schemes: ReadonlyArray<AuthenticationScheme> = [...defaultSchemes, {
      type: "key",
      fields: [
        { name: "keyUrl", description: "Where", secret: false, default: "", kind: "url" },
        { name: "header", description: "Name", secret: false, default: "X-Key", kind: "text" },
        { name: "key", description: "The key", secret: true, default: undefined, kind: "text" },
        { name: "salt", description: "The salt", secret: true, default: "canary-salt", kind: "text" }
      ]
    }]

    test(
      "is held to its fields, its secrets sealed, its addresses checked",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const endpoint = yield* ask("createWebhookEndpoint", {
          body: input(business, { authentication: { type: "key", key: "canary-key" } }, schemes)
        })
        assert.deepStrictEqual(endpoint.authentication, { type: "key", keyUrl: "", header: "X-Key" })
        assert.deepStrictEqual((yield* openedSecrets(endpoint.id)).authentication, {
          key: "canary-key",
          salt: "canary-salt"
        })
        const change = (authentication: Record<string, string>) =>
          ask("updateWebhookEndpoint", {
            endpointId: endpoint.id,
            body: readWith(WebhookInput.endpointPatchReader(schemes), {
              authentication: { type: "key", ...authentication }
            })
          })
        yield* change({ salt: "canary-pepper" })
        assert.deepStrictEqual(
          (yield* faultsOf(change({ keyUrl: "https://customer.example", key: "canary-key" }))).errors?.map((
            { path }
          ) => path),
          ["authentication.salt"],
          "one with a default does not fall back to it"
        )
        yield* change({ header: "X-Other" })
        assert.deepStrictEqual((yield* openedSecrets(endpoint.id)).authentication, {
          key: "canary-key",
          salt: "canary-pepper"
        })
        assert.deepStrictEqual((yield* faultsOf(change({ keyUrl: "https://192.0.2.1/" }))).errors, [
          { path: "authentication.keyUrl", detail: "must not lead to the test network" }
        ])
      }).pipe(
        Effect.provide(
          Webhooks.layer.pipe(
            Layer.provide(policy),
            Layer.provide(Layer.succeed(AuthenticationSchemes, schemes))
          ),
          { local: true }
        )
      )
    )
  })
}
