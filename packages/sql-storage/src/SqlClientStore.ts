/**
 * API clients on PostgreSQL.
 */
import type { Client } from "@dockline/core/ClientStore"
import { ClientStore } from "@dockline/core/ClientStore"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "./Deadline.ts"

/** API clients in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ClientStore, never, SqlClient.SqlClient> = Layer.effect(
  ClientStore,
  Effect.map(Effect.all([SqlClient.SqlClient, operations]), ([sql, operation]) =>
    ClientStore.of({
      find: (id) =>
        sql<Client>`select id, name, enabled, secrets, grants from dockline.client where id = ${id}`.pipe(
          Effect.map((rows) => rows[0] ?? null),
          operation
        ),
      put: (clients) =>
        sql`insert into dockline.client (id, name, enabled, secrets, grants)
          select id, name, enabled, secrets, grants
          from jsonb_populate_recordset(null::dockline.client, ${JSON.stringify(clients)}::text::jsonb)
          on conflict (id) do update set name = excluded.name, enabled = excluded.enabled,
            secrets = excluded.secrets, grants = excluded.grants`.pipe(Effect.asVoid, operation)
    }))
)
