/**
 * Instances of the bundled server on one PostgreSQL, each with its name in the traces, and clients of the demo data.
 */
import { recently } from "@dockline/testing/generators/Given"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import * as ServerProcess from "../support/ServerProcess.ts"

/** The address that clients use, whichever instance answers. */
export const serviceUrl = "http://service.test"

/** Settings of a process. */
export type Env = Readonly<Record<string, string>>

const secretsKey = randomBytes(32).toString("base64")

/** Starts an instance on a database, which ends with the scope. */
export const instance = (url: Redacted.Redacted, env: Env) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      ServerProcess.serve({
        BASE_URL: serviceUrl,
        DATABASE_URL: Redacted.value(url),
        DEMO: "true",
        OUTBOUND_ALLOW: "127.0.0.0/8",
        SECRETS_KEY: secretsKey,
        ...env
      })
    ),
    ({ child, ended }) =>
      Effect.promise(async () => {
        child.kill("SIGKILL")
        await ended
      })
  )

/** An answer. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

/** Sends requests as a client of the demo data. */
export type Send = (path: string, body: unknown, headers?: Env) => Promise<Reply>

const sender = (baseUrl: string, token: string): Send => async (path, body, headers = {}) => {
  const response = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify(body)
  })
  const { status } = response
  return { status, headers: response.headers, body: await response.json() as Reply["body"] }
}

/** Signs a client in at an instance. */
export const signIn = async ({ baseUrl }: ServerProcess.ServerProcess, id: string): Promise<Send> => {
  const { body } = await sender(baseUrl, "")("/oauth/token", {
    client_id: id,
    client_secret: `${id}-secret`,
    audience: `${serviceUrl}/public_graphql`,
    grant_type: "client_credentials"
  })
  return sender(baseUrl, String(body["access_token"]))
}

/** Makes a shipment and returns its id. */
export const aShipment = async (owner: Send): Promise<unknown> => {
  const { body, status } = await owner("/v1/documents", {
    business: "acme",
    facility: "east",
    direction: "OUTBOUND",
    orderNumber: `SO-${randomUUID()}`
  })
  assert.strictEqual(status, 201, JSON.stringify(body))
  return (body["shipment"] as Readonly<Record<string, unknown>>)["id"]
}

/** A pallet event of a shipment. */
export const palletEvent = (shipmentId: unknown) => ({
  eventId: randomUUID(),
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: recently("17:00:00Z"),
  labels: [],
  shipmentId
})

/** Makes an endpoint for pallet events. */
export const anEndpoint = async (operator: Send, baseUrl: string): Promise<void> => {
  const { body, status } = await operator("/v1/operator/webhook-endpoints", {
    business: "acme",
    baseUrl,
    messageTypes: ["PALLET_EVENT"],
    authentication: { type: "none" },
    enabled: true
  })
  assert.strictEqual(status, 201, JSON.stringify(body))
}
