/**
 * Requests of operators to a cluster with only new connections, as after a start or a pause, are answered at once. The first statements of
 * a connection take many times as long there, because each node plans for its shards.
 */
import { Effect, Exit, Redacted, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { eventually } from "../../../test/support/Eventually.ts"
import * as Server from "../../../test/support/ServerProcess.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { run } from "../Cluster.ts"

const scope = Scope.makeUnsafe()
let nodes: ReadonlyArray<string> = []
let server: Server.ServerProcess
let token = ""

/** Ends all sessions of the server, and of the nodes with each other, except the one that listens. */
const chill = () =>
  Promise.all(nodes.map((node) =>
    run(
      node,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend' and query not ilike 'listen%'`
    )
  ))

/** Sends a request as an operator; returns the body of the answer. */
const ask = async (method: string, path: string, body?: object) => {
  const begun = Date.now()
  const answer = await fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await answer.text()
  assert.isTrue(answer.ok, `${method} ${path} after ${Date.now() - begun} ms: ${answer.status} ${text}`)
  return text === "" ? {} : JSON.parse(text) as { readonly id?: string }
}

/** Sends all requests at once on new connections, twice each. */
const atOnce = async (asked: (n: number) => ReadonlyArray<ReturnType<typeof ask>>) => {
  await chill()
  return Promise.all([1, 2].flatMap(asked))
}

beforeAll(async () => {
  const { url } = await Effect.runPromise(
    Effect.provideService(TestDatabase.createMigrated, Scope.Scope, scope)
  )
  const coordinator = new URL(Redacted.value(url))
  nodes = [
    coordinator.href,
    ...inject("workerUrls").map((worker) =>
      Object.assign(new URL(worker), { pathname: coordinator.pathname }).href
    )
  ]
  server = await Server.start({
    DATABASE_URL: coordinator.href,
    DEMO: "true",
    OUTBOUND_ALLOW: "127.0.0.0/8",
    SECRETS_KEY: randomBytes(32).toString("base64")
  })
  await eventually(
    "the server is ready",
    () => fetch(`${server.baseUrl}/readyz`).then(({ ok }) => ok, () => false)
  )
  const answer = await fetch(`${server.baseUrl}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_id: "operator",
      client_secret: "operator-secret",
      audience: `${server.baseUrl}/public_graphql`,
      grant_type: "client_credentials"
    })
  })
  token = ((await answer.json()) as { readonly access_token: string }).access_token
}, 300_000)

afterAll(async () => {
  server.child.kill("SIGTERM")
  await server.ended
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

describe("on a cold cluster, operators", () => {
  it("get all lists that they ask for at once", async () => {
    const business = "/v1/operator/businesses/acme"
    const lists = [
      "/v1/operator/businesses",
      `${business}/facilities`,
      `${business}/facilities/east/docks`,
      `${business}/edi-partners`,
      "/v1/operator/clients",
      "/v1/operator/people",
      "/v1/operator/webhook-endpoints",
      "/v1/operator/audit"
    ]
    await atOnce(() => lists.map((path) => ask("GET", path)))
  }, 60_000)

  it("make all that they make at once, and change it", async () => {
    const business = "/v1/operator/businesses/acme"
    const grants = [{ business: "acme", facilities: "*", permissions: ["messages:read"] }]
    const endpoints: Array<string> = []
    const endpoint = async (path: string) => {
      const { id } = await ask("POST", "/v1/operator/webhook-endpoints", {
        business: "acme",
        baseUrl: `http://127.0.0.1:9/${path}`,
        authentication: { type: "none" }
      })
      endpoints.push(`/v1/operator/webhook-endpoints/${id}`)
      return { id: id! }
    }
    await atOnce((n) => [
      ask("POST", "/v1/operator/businesses", { slug: `cold-${n}`, name: "Cold" }),
      ...[0, 1].map((m) =>
        ask("POST", `${business}/facilities`, { slug: `cold-${n}-${m}`, name: "Cold", timeZone: "UTC" })
      ),
      ...[0, 1].map((m) => ask("POST", `${business}/facilities/east/docks`, { slug: `C${n}-${m}` })),
      ...[0, 1].map((m) => endpoint(`${n}-${m}`)),
      ask("POST", "/v1/operator/clients", { name: `Cold ${n}`, grants }),
      ask("POST", "/v1/operator/people", { email: `cold-${n}@example.com`, name: "Cold", grants })
    ])
    await atOnce((n) =>
      endpoints.flatMap((path) => [
        ask("PATCH", path, { enabled: n === 1 }),
        ask("POST", `${path}/rotate-secret`, {}),
        ask("GET", `${path}/deliveries`)
      ])
    )
    await chill()
    await Promise.all(endpoints.map((path) => ask("DELETE", path)))
  }, 120_000)
})
