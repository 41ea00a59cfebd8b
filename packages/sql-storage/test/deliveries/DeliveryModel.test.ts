/** One random history of webhook endpoints in memory and on PostgreSQL: every answer and every state the same. */
import * as Memory from "@dockline/core/memory/Memory"
import { MemoryDatabase } from "@dockline/core/memory/MemoryDatabase"
import { MessageLogConfig } from "@dockline/core/messages/MessageLog"
import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import { repeatConflicts } from "@dockline/sql-storage/connections/StorageErrors"
import * as SqlDeliveryStore from "@dockline/sql-storage/stores/SqlDeliveryStore"
import * as SqlDirectory from "@dockline/sql-storage/stores/SqlDirectory"
import * as SqlMessageLog from "@dockline/sql-storage/stores/SqlMessageLog"
import * as SqlWebhookEndpointStore from "@dockline/sql-storage/stores/SqlWebhookEndpointStore"
import * as Law from "@dockline/testing/Law"
import { OutboxWriter } from "@dockline/testing/suites/delivery/OutboxSuite"
import { defaultSettings } from "@dockline/testing/worlds/MessageLogWorld"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { afterAll } from "vitest"
import { often, runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { keptSeconds, play, sameAsModel } from "./DeliveryHistory.ts"
import { writer } from "./Outbox.ts"

const settings = Layer.succeed(MessageLogConfig, { ...defaultSettings, retentionMillis: keptSeconds * 1000 })

const memory = Layer.merge(Memory.layerOverDatabase, OutboxWriter.layerMemory).pipe(
  Layer.provide(MemoryDatabase.layer),
  Layer.provide(settings)
)

const postgres = ManagedRuntime.make(
  Layer.mergeAll(
    SqlDeliveryStore.layer,
    SqlDirectory.layer,
    SqlMessageLog.layer,
    SqlWebhookEndpointStore.layer,
    writer
  ).pipe(
    Layer.provide(Announcer.layer),
    Layer.provide(settings),
    // By the clock of the machine all messages of a history have expired: only the history drops messages.
    Layer.provide(TestClock.layer()),
    Layer.provideMerge(TestDatabase.layer)
  )
)
afterAll(() => postgres.dispose())

const emptyTables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // The look for expired messages at the start may hold some of them.
  yield* repeatConflicts(
    sql`truncate dockline.webhook_endpoint, dockline.webhook_delivery, dockline.message, dockline.message_log,
      dockline.outbox, dockline.outbox_entry restart identity`
  )
  yield* sql`alter sequence dockline.message_id restart`
})

Law.register(runner, "webhook endpoints in memory and on PostgreSQL", [
  sameAsModel(
    (steps) => Effect.promise(() => postgres.runPromise(Effect.andThen(emptyTables, play(steps)))),
    (steps) => Effect.provide(play(steps), Layer.fresh(memory), { local: true })
  )
], often)
