/** Outboxes on PostgreSQL, for suites and tests. */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { OutboxWriter } from "@dockline/testing/suites/delivery/OutboxSuite"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { operations } from "../../src/connections/StoreOperations.ts"

/** Appends as a store of a capability does in its transaction. */
export const writer: Layer.Layer<OutboxWriter, never, SqlClient.SqlClient> = Layer.effect(
  OutboxWriter,
  Effect.map(operations, ({ sql, write }) => ({
    append: ({ business, facility, mediaType, path, shipmentId, text, type }) =>
      Effect.gen(function*() {
        const now = yield* Timestamp.givenNow
        const [place] = yield* sql<{ readonly business: string; readonly facility: string }>`
          select b.id::text as business, f.id::text as facility
          from dockline.business b join dockline.facility f on f.business_id = b.id
          where b.slug = ${business} and f.slug = ${facility}`
        // In a cluster it is written on the node of the business.
        yield* write({ business: place!.business })(
          sql`select dockline.outbox_append(${place!.business}::bigint,
          ${
            place!.facility
          }::bigint, ${type}, ${shipmentId}::bigint, ${path}, ${mediaType}, ${text}, null, ${now}::timestamptz)`
        )
      }).pipe(Effect.orDie)
  }))
)
