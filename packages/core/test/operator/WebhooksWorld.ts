/**
 * Webhook endpoints as operators make and change them, for the suites of them.
 */
import { whole } from "@dockline/testing/worlds/OperatorWorld"
import { Effect, Redacted } from "effect"
import { secretsContext, SecretsVault } from "../../src/webhooks/SecretsVault.ts"
import { defaultSchemes, WebhookEndpointStore } from "../../src/webhooks/WebhookEndpoint.ts"
import * as WebhookInput from "../../src/webhooks/WebhookInput.ts"
import { ask, readWith } from "./OperatorServices.ts"

/** A time of the tests. */
export const noon = Date.parse("2026-11-20T12:00:00.000Z")

/** In milliseconds. */
export const hour = 3_600_000

/** Basic authentication with a password that must not be seen. */
export const basic = { type: "basic", username: "us", password: "canary-password" }

/** Token authentication with a password that must not be seen. */
export const token = {
  type: "token",
  loginUrl: "https://customer.example/login",
  username: "us",
  password: "canary-token"
}

/** A new endpoint as it is read. */
export const input = (business: string, fields: Record<string, unknown> = {}, schemes = defaultSchemes) =>
  readWith(WebhookInput.endpointReader(schemes), {
    business,
    baseUrl: "https://customer.example:8443/",
    messageTypes: ["PALLET_EVENT"],
    authentication: { type: "none" },
    ...fields
  })

/** A change as it is read. */
export const patch = (fields: Record<string, unknown>) => readWith(WebhookInput.endpointPatchReader(), fields)

/** Makes an endpoint. */
export const create = (business: string, fields: Record<string, unknown> = {}, principal = whole) =>
  ask("createWebhookEndpoint", { body: input(business, fields) }, principal)

/** Changes an endpoint. */
export const update = (id: string, fields: Record<string, unknown>, principal = whole) =>
  ask("updateWebhookEndpoint", { endpointId: id, body: patch(fields) }, principal)

/** An endpoint as it is stored. */
export const storedEndpoint = (id: string) =>
  Effect.map(Effect.flatMap(WebhookEndpointStore, ({ find }) => find(Number(id))), (e) => e!)

/** The secrets of an endpoint as they open for its business: those of its authentication, then what it signs with. */
export const openedSecrets = Effect.fnUntraced(function*(id: string) {
  const vault = yield* SecretsVault
  const { business, authentication, headers, signingSecrets } = yield* storedEndpoint(id)
  const open = (text: Parameters<typeof vault.open>[0]) =>
    Effect.map(vault.open(text, secretsContext(business)), Redacted.value)
  const secrets: Record<string, string> = {}
  for (const [name, text] of Object.entries(authentication.secrets)) secrets[name] = yield* open(text)
  return {
    authentication: secrets,
    headers: yield* Effect.forEach(
      headers,
      ({ name, sealed }) => Effect.map(open(sealed), (value) => ({ name, value }))
    ),
    signing: yield* Effect.forEach(signingSecrets, ({ sealed }) => open(sealed))
  }
})
