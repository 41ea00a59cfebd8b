/** API clients on PostgreSQL. */
import { everything } from "@dockline/core/Access"
import type { BusinessScope } from "@dockline/core/Access"
import { ClientStore } from "@dockline/core/ClientStore"
import type { Client } from "@dockline/core/ClientStore"
import { cutPage } from "@dockline/core/Page"
import type { NamePageRequest } from "@dockline/core/Page"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "../connections/Deadline.ts"
import { loans } from "../connections/Loan.ts"
import { oneRow } from "../connections/OneRow.ts"
import { readsOf } from "../rows/ListArguments.ts"

/** What `client_page` returns. */
interface PageRow {
  readonly page: ReadonlyArray<readonly [id: string, rows: number]>
}

/** API clients in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ClientStore, never, SqlClient.SqlClient> = Layer.effect(
  ClientStore,
  Effect.map(Effect.all([SqlClient.SqlClient, operations, loans]), ([sql, operation, loan]) => {
    const columns = sql`id, name, enabled, secrets, grants`

    const rowsOf = (clients: ReadonlyArray<Client>) =>
      sql`select ${columns}
        from jsonb_populate_recordset(null::dockline.client, ${JSON.stringify(clients)}::text::jsonb)`

    const list = Effect.fnUntraced(function*(scope: BusinessScope, { limit, after }: NamePageRequest) {
      const businesses = scope === everything ? null : scope
      const found = yield* oneRow(sql<PageRow>`select dockline.client_page(
        ${businesses}::text[], ${after}, ${limit + 1}::int) as page`)
      const { items, next } = cutPage(found.page, limit, ([id, rows]) => ({ id, rows }))
      if (items.length === 0) return { items: [], next: null }
      // What left the scope since is not shown.
      const clients = yield* sql<Client>`select ${columns} from dockline.clients_shown(
        ${items.map(([id]) => id)}::text[], ${businesses}::text[])`
      return { items: clients, next }
    })

    const update = Effect.fnUntraced(function*<E>(
      id: string,
      change: (client: Client) => Result.Result<Omit<Client, "id">, E>
    ) {
      const [known] = yield* sql<Client>`select ${columns} from dockline.client where id = ${id} for update`
      if (known === undefined) return null
      const client: Client = { ...(yield* Effect.fromResult(change(known))), id }
      yield* sql`update dockline.client as c set name = given.name, enabled = given.enabled,
          secrets = given.secrets, grants = given.grants
        from (${rowsOf([client])}) as given where c.id = given.id`
      return client
    })

    return ClientStore.of({
      find: (id) =>
        sql<Client>`select ${columns} from dockline.client where id = ${id}`.pipe(
          Effect.map((rows) => rows[0] ?? null),
          operation
        ),
      list: (scope, page) => operation(loan(readsOf(scope))(list(scope, page))),
      create: (client) =>
        sql`insert into dockline.client (${columns}) ${rowsOf([client])} on conflict (id) do nothing
          returning id`.pipe(
          Effect.map((rows) => rows.length === 1),
          operation
        ),
      update: (id, change) =>
        sql.withTransaction(update(id, change)).pipe(
          loan({ lane: "requests", turn: JSON.stringify(["client", id]) }),
          operation
        ),
      put: (clients) =>
        sql`insert into dockline.client (${columns}) ${rowsOf(clients)}
          on conflict (id) do update set name = excluded.name, enabled = excluded.enabled,
            secrets = excluded.secrets, grants = excluded.grants`.pipe(Effect.asVoid, operation)
    })
  })
)
