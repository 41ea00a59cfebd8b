/** Outboxes on PostgreSQL, for suites and tests. */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { OutboxWriter } from "@dockline/testing/suites/delivery/OutboxSuite"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Appends as a store of a capability does in its transaction. */
export const writer: Layer.Layer<OutboxWriter, never, SqlClient.SqlClient> = Layer.effect(
  OutboxWriter,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    append: ({ business, facility, mediaType, path, shipmentId, text, type }) =>
      Effect.flatMap(
        Timestamp.givenNow,
        (now) =>
          Effect.orDie(sql`select dockline.outbox_append(b.id, f.id, ${type}, ${shipmentId}::bigint, ${path},
          ${mediaType}, ${text}, null, ${now}::timestamptz)
        from dockline.business b join dockline.facility f on f.business_id = b.id and f.slug = ${facility}
        where b.slug = ${business}`)
      )
  }))
)
