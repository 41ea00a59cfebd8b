/**
 * Of two servers on one database the one is killed: the other one delivers what it was to deliver (D12.4), also behind
 * PgBouncer, whose sessions outlive the server that used them.
 */
import { partitionCount } from "@dockline/core/DeliveryStore"
import * as Database from "@dockline/sql-storage/Database"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes, randomUUID } from "node:crypto"
import { WebhookCustomer } from "../../../test/server/WebhookCustomer.ts"
import * as PgBouncer from "../../../test/support/database/PgBouncer.ts"
import * as ServerProcess from "../../../test/support/ServerProcess.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

/** Where clients find the service, whichever server answers. */
const serviceUrl = "http://service.test"

/** D12.4. */
const takeoverLimit = 30_000

type Body = Readonly<Record<string, unknown>>

type Call = (path: string, body: Body) => Promise<Body>

/** Calls a server as a client of the demo data. */
const client = (baseUrl: string, token: string): Call => async (path: string, body: Body): Promise<Body> => {
  const response = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body)
  })
  const text = await response.text()
  assert.isTrue(response.ok, text)
  return JSON.parse(text) as Body
}

const signIn = async (baseUrl: string, id: string): Promise<Call> => {
  const { access_token } = await client(baseUrl, "")("/oauth/token", {
    client_id: id,
    client_secret: `${id}-secret`,
    audience: `${serviceUrl}/public_graphql`,
    grant_type: "client_credentials"
  })
  return client(baseUrl, String(access_token))
}

/** Two servers of one service. */
const servers = Effect.fnUntraced(function*(url: string) {
  const env = {
    BASE_URL: serviceUrl,
    DATABASE_URL: url,
    DEMO: "true",
    OUTBOUND_ALLOW: "127.0.0.0/8",
    SECRETS_KEY: randomBytes(32).toString("base64")
  }
  const start = Effect.acquireRelease(
    Effect.promise(() => ServerProcess.serve(env)),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )
  return yield* Effect.all([start, start], { concurrency: 2 })
})

/** Waits until two instances hold half of the partitions each. */
const shared = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql<
    { readonly count: number }
  >`select count(*)::int as count from dockline.placement_locks group by address`.pipe(
    Effect.flatMap((held) =>
      held.length === 2 && held.every(({ count }) => count === partitionCount / 2)
        ? Effect.void
        : Effect.fail("not yet")
    ),
    Effect.retry(Schedule.spaced("50 millis"))
  )
})

/** Makes an endpoint in every partition: whichever server dies, half of them were its own. */
const makeEndpoints = async (operator: Call, baseUrl: string): Promise<void> => {
  for (let at = 0; at < partitionCount; at++) {
    await operator("/v1/operator/webhook-endpoints", {
      business: "acme",
      baseUrl: `${baseUrl}/${at}`,
      messageTypes: ["PALLET_EVENT"],
      authentication: { type: "none" },
      enabled: true
    })
  }
}

/** Reports pallets of one shipment, and gives the `webhook-id` of each message. */
const report = async (tower: Call, shipmentId: unknown, count: number): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let at = 0; at < count; at++) {
    const { messageId } = await tower("/v1/pallet-events", {
      eventId: randomUUID(),
      business: "acme",
      facility: "east",
      dockSlug: "D1",
      direction: "LOADING",
      occurredAt: "2026-11-20T17:00:00Z",
      labels: [],
      shipmentId
    })
    ids.push(`msg_${messageId}`)
  }
  return ids
}

const checkDelivered = (customer: WebhookCustomer, ids: ReadonlyArray<string>): void => {
  for (let at = 0; at < partitionCount; at++) {
    const got = customer.received.filter(({ path }) => path.startsWith(`/${at}/`)).map(({ webhookId }) =>
      webhookId
    )
    const repeated = got.findIndex((id, index) => id === got[index - 1])
    const once = repeated === -1 ? got : got.toSpliced(repeated, 1)
    assert.deepStrictEqual(once, ids, `endpoint ${at}: everything in order, one message at most twice`)
  }
}

/** What is sent before the kill, and after it. */
const [before, after] = [10, 10]

const takeOver = async (first: ServerProcess.ServerProcess, second: ServerProcess.ServerProcess) => {
  const customer = await WebhookCustomer.open()
  try {
    const [operator, owner, tower] = await Promise.all(
      ["operator", "acme-client", "tower"].map((id) => signIn(second.baseUrl, id))
    )
    await makeEndpoints(operator!, customer.baseUrl)
    const document = { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "TAKEOVER" }
    const { shipment } = await owner!("/v1/documents", document)
    const shipmentId = (shipment as Body)["id"]
    const reported = report(tower!, shipmentId, before)
    await customer.until(() => customer.received.length > partitionCount)
    first.child.kill("SIGKILL")
    const killed = performance.now()
    const ids = [...await reported, ...await report(tower!, shipmentId, after)]
    await customer.until(() =>
      new Set(customer.received.map(({ path, webhookId }) => `${path} ${webhookId}`)).size ===
        partitionCount * ids.length
    )
    const millis = Math.round(performance.now() - killed)
    console.log(`Everything was delivered ${millis} ms after kill -9`)
    checkDelivered(customer, ids)
    assert.isBelow(millis, takeoverLimit)
  } finally {
    customer.close()
  }
}

/** Kills one of two servers, which reach the database by what `through` makes of its URL. */
const oneIsKilled = (through: (direct: URL) => Effect.Effect<string, never, Scope.Scope>) =>
  Effect.gen(function*() {
    const { url } = yield* TestDatabase.createMigrated
    const [first, second] = yield* servers(yield* through(new URL(Redacted.value(url))))
    yield* Effect.provide(shared, Database.layer({ ...Database.defaultDatabaseConfig, url }))
    yield* Effect.promise(() => takeOver(first, second))
  })

const behindPgBouncer = (direct: URL) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await PgBouncer.set(direct)
      return await PgBouncer.start(direct, {
        pool_mode: "transaction",
        ignore_startup_parameters: PgBouncer.ignoredParameters
      })
    }),
    (bouncer) => Effect.promise(() => bouncer[Symbol.asyncDispose]())
  ).pipe(Effect.map(({ url }) => url))

describe("of two servers on one PostgreSQL (D12.4)", () => {
  it.live(
    "one is killed by kill -9: the other one delivers everything within 30 s, in order",
    () => oneIsKilled(({ href }) => Effect.succeed(href)),
    120_000
  )

  it.live.skipIf(!PgBouncer.isThere)(
    "one is killed by kill -9 behind PgBouncer, pool_mode=transaction: the same",
    () => oneIsKilled(behindPgBouncer),
    120_000
  )
})
