/**
 * One of two servers on one database is killed: the other one delivers its messages (D12.4).
 */
import { partitionCount } from "@dockline/core/webhooks/DeliveryStore"
import * as Database from "@dockline/sql-storage/connections/Database"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import {
  anEndpoint,
  aShipment,
  instance,
  palletEvent,
  signIn
} from "../../../test/observability/Instances.ts"
import type { Send } from "../../../test/observability/Instances.ts"
import { WebhookCustomer } from "../../../test/server/WebhookCustomer.ts"
import type * as ServerProcess from "../../../test/support/ServerProcess.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

/** D12.4. */
const takeoverLimit = 30_000

/** Waits until each of two instances has half of the partitions. */
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

/** Reports pallets of one shipment, and returns the `webhook-id` of each message. */
const report = async (tower: Send, shipmentId: unknown, count: number): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let at = 0; at < count; at++) {
    const { body, status } = await tower("/v1/pallet-events", palletEvent(shipmentId))
    assert.strictEqual(status, 201, JSON.stringify(body))
    ids.push(`msg_${body["messageId"]}`)
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

/** The numbers of messages before the kill and after it. */
const [before, after] = [10, 10]

const takeOver = async (first: ServerProcess.ServerProcess, second: ServerProcess.ServerProcess) => {
  const customer = await WebhookCustomer.open()
  try {
    const [operator, owner, tower] = await Promise.all(
      ["operator", "acme-client", "tower"].map((id) => signIn(second, id))
    )
    // One in every partition: so half of them belong to the server that is killed.
    for (let at = 0; at < partitionCount; at++) await anEndpoint(operator!, `${customer.baseUrl}/${at}`)
    const shipmentId = await aShipment(owner!)
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

/** Kills one of two servers, which reach the database at the URL that `through` returns. */
const oneIsKilled = Effect.gen(function*() {
  const { url } = yield* TestDatabase.createMigrated
  const start = instance(url, {})
  const [first, second] = yield* Effect.all([start, start], { concurrency: 2 })
  yield* Effect.provide(shared, Database.layer({ ...Database.defaultDatabaseConfig, url }))
  yield* Effect.promise(() => takeOver(first, second))
})

describe("of two servers on one PostgreSQL (D12.4)", () => {
  it.live(
    "one is killed by kill -9: the other one delivers everything within 30 s, in order",
    () => oneIsKilled,
    120_000
  )
})
