/** API clients on PostgreSQL. */
import { Grant } from "@dockline/core/access/Access"
import { ClientStore } from "@dockline/core/access/ClientStore"
import type { Client } from "@dockline/core/access/ClientStore"
import { Effect, Layer, Schema } from "effect"
import type { Result } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOrNull } from "../connections/Statements.ts"
import { operations } from "../connections/StoreOperations.ts"
import { pageOfGranted } from "../rows/Granted.ts"
import { readsOf } from "../rows/ListArguments.ts"
import { timestamp } from "../rows/RowFields.ts"

const ClientRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  enabled: Schema.Boolean,
  secrets: Schema.Array(
    Schema.Struct({ id: Schema.String, hash: Schema.String, createdAt: Schema.optionalKey(timestamp) })
  ),
  grants: Schema.Array(Grant)
})

/** API clients in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ClientStore, never, SqlClient.SqlClient> = Layer.effect(
  ClientStore,
  Effect.map(operations, (means) => {
    const { operation, query, read, sql, transact } = means
    const columns = sql`id, name, enabled, secrets, grants`

    const rowsOf = (clients: ReadonlyArray<Client>) =>
      sql`select ${columns}
        from jsonb_populate_recordset(null::dockline.client, ${JSON.stringify(clients)}::text::jsonb)`

    const update = Effect.fnUntraced(function*<E>(
      id: string,
      change: (client: Client) => Result.Result<Omit<Client, "id">, E>
    ) {
      const [present] = yield* query(
        ClientRow
      )`select ${columns} from dockline.client where id = ${id} for update`
      if (present === undefined) return null
      const client: Client = { ...(yield* Effect.fromResult(change(present))), id }
      yield* sql`update dockline.client as c set name = given.name, enabled = given.enabled,
          secrets = given.secrets, grants = given.grants
        from (${rowsOf([client])}) as given where c.id = given.id`
      return client
    })

    return ClientStore.of({
      find: (id) =>
        operation(rowOrNull(query(ClientRow)`select ${columns} from dockline.client where id = ${id}`)),
      list: (scope, page) =>
        read(readsOf(scope))(pageOfGranted(means, "client", ClientRow, columns, scope, page)),
      create: (client) =>
        sql`insert into dockline.client (${columns}) ${rowsOf([client])} on conflict (id) do nothing
          returning id`.pipe(
          Effect.map((rows) => rows.length === 1),
          operation
        ),
      update: (id, change) => transact({ turn: JSON.stringify(["client", id]) })(update(id, change)),
      put: (clients) =>
        sql`insert into dockline.client (${columns}) ${rowsOf(clients)}
          on conflict (id) do update set name = excluded.name, enabled = excluded.enabled,
            secrets = excluded.secrets, grants = excluded.grants`.pipe(Effect.asVoid, operation)
    })
  })
)
