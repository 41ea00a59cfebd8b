/** One random history of webhook endpoints in memory and on PostgreSQL: every answer and every state the same. */
import { Directory } from "@dockline/core/Directory"
import * as Memory from "@dockline/core/Memory"
import { MessageLogConfig } from "@dockline/core/MessageLog"
import { keptSeconds, observe } from "@dockline/core/testing/DeliveryHistory"
import { deliveryHistories } from "@dockline/core/testing/DeliverySteps"
import type { Step } from "@dockline/core/testing/DeliverySteps"
import { runs } from "@dockline/core/testing/Generators"
import { defaultSettings } from "@dockline/core/testing/MessageLogWorld"
import { Announcer } from "@dockline/sql-storage/Announcer"
import * as SqlDeliveryStore from "@dockline/sql-storage/SqlDeliveryStore"
import * as SqlDirectory from "@dockline/sql-storage/SqlDirectory"
import * as SqlMessageLog from "@dockline/sql-storage/SqlMessageLog"
import * as SqlWebhookEndpointStore from "@dockline/sql-storage/SqlWebhookEndpointStore"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { afterAll } from "vitest"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

const settings = Layer.succeed(MessageLogConfig, { ...defaultSettings, retentionMillis: keptSeconds * 1000 })

const memory = Layer.provide(Memory.layer, settings)

const postgres = ManagedRuntime.make(
  Layer.mergeAll(
    SqlDeliveryStore.layer,
    SqlDirectory.layer,
    SqlMessageLog.layer,
    SqlWebhookEndpointStore.layer
  ).pipe(Layer.provide(Announcer.layer), Layer.provide(settings), Layer.provideMerge(TestDatabase.layer))
)
afterAll(() => postgres.dispose())

const emptyTables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate dockline.webhook_endpoint, dockline.webhook_delivery, dockline.message, dockline.message_log
    restart identity`
  yield* sql`alter sequence dockline.message_id restart`
})

const run = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const directory = yield* Directory
    const facility = { name: "", docks: [] }
    const facilities = [{ slug: "east", ...facility }, { slug: "west", ...facility }]
    yield* directory.put([{ slug: "acme", name: "Acme", fieldMap: [], facilities }])
    return yield* observe("acme", steps)
  })

describe("webhook endpoints in memory and on PostgreSQL", () => {
  it(
    "random histories give the same answers, and of each shipment the earliest pending delivery alone has a time",
    () =>
      fc.assert(
        fc.asyncProperty(deliveryHistories, async (steps) => {
          const inMemory = await Effect.runPromise(run(steps).pipe(Effect.provide(memory)))
          const onPostgres = await postgres.runPromise(Effect.andThen(emptyTables, run(steps)))
          assert.deepStrictEqual(onPostgres, inMemory)
        }),
        runs(40)
      ),
    120_000
  )
})
