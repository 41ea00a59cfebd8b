import { partitionOf } from "@dockline/core/webhooks/DeliveryStore"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { deliveryStoreSuite } from "@dockline/testing/suites/delivery/DeliveryStoreSuite"
import { outboxSuite } from "@dockline/testing/suites/delivery/OutboxSuite"
import { webhookEndpointStoreSuite } from "@dockline/testing/suites/WebhookEndpointStoreSuite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { writer } from "../deliveries/Outbox.ts"

Suite.register(runner, webhookEndpointStoreSuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, deliveryStoreSuite, Sql.layer, TestDatabase.layer)
Suite.register(runner, outboxSuite, Layer.merge(Sql.layer, writer), TestDatabase.layer)

it.effect("an endpoint has the same partition in SQL, whatever its id", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ids = [1, 64, 1024, 1025, 2 ** 31, 2 ** 32, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER]
    for (let id = 7; ids.length < 1000; id += 1024) ids.push(id)
    const rows = yield* sql<
      { readonly partition: number }
    >`select dockline.endpoint_partition(id::bigint) as partition
      from unnest(${ids.map(String)}::text[]) with ordinality as e(id, n) order by n`
    assert.deepStrictEqual(rows.map(({ partition }) => partition), ids.map(partitionOf))
  }).pipe(Effect.provide(TestDatabase.layer)))
