/**
 * What holds for webhook endpoints on behalf of operators, whatever they are stored in.
 */
import * as assert from "@dockline/testing/Assert"
import { aGrant, aPrincipal } from "@dockline/testing/generators/Given"
import { at } from "@dockline/testing/worlds/MessageLogWorld"
import {
  aBusiness,
  faultsOf,
  nowhere,
  operatorOf,
  outcome,
  whole
} from "@dockline/testing/worlds/OperatorWorld"
import { pagesOf } from "@dockline/testing/worlds/ReadWorld"
import { Effect, Redacted } from "effect"
import type { Principal } from "../../src/access/Access.ts"
import { secretsContext } from "../../src/webhooks/SecretsVault.ts"
import { SecretsVault } from "../../src/webhooks/SecretsVault.ts"
import { plainSettings } from "../../src/webhooks/WebhookEndpoint.ts"
import { ask, ordinary } from "./OperatorServices.ts"
import type { Part } from "./OperatorServices.ts"
import { basic, create, noon, openedSecrets, storedEndpoint, token, update } from "./WebhooksWorld.ts"

/** The cases of making, seeing and removing webhook endpoints. */
export const webhooks: Part = (test, describe) => {
  describe("D9.1, D11 a new endpoint", () => {
    test(
      "is shown with its settings, defaults filled in, and without what is secret",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const { signingSecret, ...endpoint } = yield* at(noon)(
          create(business, {
            facility: "east",
            authentication: token,
            messageTypes: ["SHIPMENT_COMPLETE", "PALLET_EVENT"]
          })
        )
        assert.match(endpoint.id, /^[1-9]\d*$/)
        assert.deepStrictEqual(endpoint, {
          id: endpoint.id,
          business,
          facility: "east",
          baseUrl: "https://customer.example:8443",
          messageTypes: ["SHIPMENT_COMPLETE", "PALLET_EVENT"],
          authentication: {
            type: "token",
            loginUrl: "https://customer.example/login",
            username: "us",
            usernameField: "username",
            passwordField: "password",
            tokenPath: "access_token",
            lifetimePath: "expires_in",
            scheme: "Bearer",
            loginFormat: "json"
          },
          ...plainSettings,
          enabled: true,
          disabledReason: "",
          createdAt: "2026-11-20T12:00:00.000Z",
          cursorId: endpoint.cursorId,
          failingSince: null,
          login: null,
          expiredUpTo: null,
          backlog: 0,
          signingSecrets: [{ validUntil: null }],
          warnings: endpoint.warnings
        })
        assert.match(endpoint.warnings.join(), /^The contract says Basic .* of this endpoint is token/)
        assert.deepStrictEqual(yield* ask("getWebhookEndpoint", { endpointId: endpoint.id }), endpoint)
        assert.isTrue(Redacted.isRedacted(signingSecret))
      })
    )

    test(
      "gets a signing secret of 32 random bytes, or the one that is given",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const secret = `whsec_${Buffer.from("a".repeat(24)).toString("base64")}`
        const endpoints = yield* Effect.forEach(
          [{}, {}, { signingSecret: secret }],
          (fields) => create(business, fields)
        )
        const secrets = endpoints.map(({ signingSecret }) => Redacted.value(signingSecret))
        assert.strictEqual(secrets[2], secret)
        for (const secret of secrets.slice(0, 2)) {
          assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
          assert.strictEqual(Buffer.from(secret.slice(6), "base64").length, 32)
        }
        assert.notStrictEqual(secrets[0], secrets[1])
        for (const [index, { id }] of endpoints.entries()) {
          assert.deepStrictEqual((yield* openedSecrets(id)).signing, [secrets[index]])
        }
      })
    )

    test(
      "keeps its password sealed for its business alone",
      Effect.gen(function*() {
        const vault = yield* SecretsVault
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        for (
          const [authentication, password] of [[basic, "canary-password"], [token, "canary-token"]] as const
        ) {
          const { id } = yield* create(acme, { authentication })
          assert.deepStrictEqual((yield* openedSecrets(id)).authentication, { password })
          const endpoint = yield* storedEndpoint(id)
          assert.notInclude(JSON.stringify(endpoint), "canary")
          for (
            const text of [endpoint.authentication.secrets["password"]!, endpoint.signingSecrets[0]!.sealed]
          ) {
            const refusal = yield* Effect.flip(vault.open(text, secretsContext(globex)))
            assert.strictEqual(refusal.code, "SECRET_UNREADABLE")
          }
        }
      })
    )

    test(
      "without a key for secrets there is none, and its absence is said",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const refusal = yield* Effect.flip(create(business))
        assert.strictEqual(refusal.code, "SECRETS_KEY_MISSING")
        assert.include(refusal.message, "SECRETS_KEY")
        assert.deepStrictEqual((yield* ask("listWebhookEndpoints", {}, operatorOf(business))).items, [])
      }),
      SecretsVault.layerWithoutKey
    )

    test(
      "made disabled is so because of an operator",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const { enabled, disabledReason } = yield* create(business, { enabled: false })
        assert.deepStrictEqual([enabled, disabledReason], [false, "OPERATOR"])
      })
    )
  })

  describe("D9.7 addresses that must not be called", () => {
    test(
      "are refused, each named, and nothing is written",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const { id } = yield* create(business)
        const bad = {
          baseUrl: "https://192.0.2.1",
          authentication: { ...token, loginUrl: "https://192.0.2.2/login" }
        }
        const faults = {
          code: "INVALID_REQUEST",
          errors: [
            { path: "baseUrl", detail: "must not lead to the test network" },
            { path: "authentication.loginUrl", detail: "must not lead to the test network" }
          ]
        }
        const before = yield* ask("getWebhookEndpoint", { endpointId: id })
        assert.deepStrictEqual(yield* faultsOf(create(business, bad)), faults)
        assert.deepStrictEqual(yield* faultsOf(update(id, bad)), faults)
        assert.deepStrictEqual(
          (yield* faultsOf(create(business, { ...bad, authentication: basic }))).errors,
          faults.errors.slice(0, 1)
        )
        assert.deepStrictEqual(yield* ask("getWebhookEndpoint", { endpointId: id }), before)
        assert.strictEqual((yield* ask("listWebhookEndpoints", {}, operatorOf(business))).items.length, 1)
      })
    )
  })

  describe("D11 who may operate an endpoint", () => {
    test(
      "an endpoint is made for a business that one operates",
      Effect.gen(function*() {
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        const table: ReadonlyArray<
          readonly [business: string, facility: string | undefined, principal: Principal, expected: string]
        > = [
          [acme, undefined, whole, "ok"],
          [acme, "east", operatorOf(acme), "ok"],
          [acme, "", operatorOf(acme), "ok"],
          [acme, "north", operatorOf(acme), "FACILITY_NOT_FOUND"],
          [acme, "East", operatorOf(acme), "FACILITY_NOT_FOUND"],
          [acme, undefined, operatorOf(globex), "FORBIDDEN"],
          [acme, "north", operatorOf(globex), "FORBIDDEN"],
          [acme, "east", aPrincipal(aGrant(acme, ["east"], ["operator"])), "FORBIDDEN"],
          [acme, undefined, aPrincipal(aGrant("*", "*", ordinary)), "FORBIDDEN"],
          [nowhere, undefined, whole, "BUSINESS_NOT_FOUND"],
          [nowhere, undefined, aPrincipal(), "FORBIDDEN"],
          ["*", undefined, whole, "BUSINESS_NOT_FOUND"]
        ]
        for (const [business, facility, principal, expected] of table) {
          assert.strictEqual(
            yield* outcome(create(business, { facility }, principal)),
            expected,
            `${business} ${facility}`
          )
        }
      })
    )

    test(
      "a list shows the endpoints of the businesses that one operates, in pages, in id order",
      Effect.gen(function*() {
        const [acme, globex, other] = [yield* aBusiness, yield* aBusiness, yield* aBusiness]
        const endpoints = yield* Effect.forEach(
          [acme, other, globex, acme, acme, acme],
          (business) => create(business)
        )
        const ids = endpoints.filter(({ business }) => business !== other).map(({ id }) => id)
          .toSorted((left, right) => Number(left) - Number(right))
        const pages = yield* pagesOf(
          (query) => ask("listWebhookEndpoints", query, operatorOf(acme, globex)),
          2
        )
        assert.deepStrictEqual(
          pages.map((page) => page.map(({ id }) => id)),
          [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]
        )
        assert.strictEqual(yield* outcome(ask("listWebhookEndpoints", {}, aPrincipal())), "FORBIDDEN")
        for (const after of ["x", "-1", "1.5", "9007199254740993", "0x10", " "]) {
          assert.deepStrictEqual(yield* faultsOf(ask("listWebhookEndpoints", { after })), {
            code: "INVALID_PARAMETER",
            errors: [{ path: "after", detail: "must be the next of the previous page" }]
          })
        }
      })
    )
  })
}
