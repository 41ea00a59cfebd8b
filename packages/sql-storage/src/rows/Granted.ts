/** Pages of clients or people with grants in a scope. */
import { everything } from "@dockline/core/access/Access"
import type { BusinessScope } from "@dockline/core/access/Access"
import { cutPage } from "@dockline/core/values/Page"
import type { NamePageRequest } from "@dockline/core/values/Page"
import { Effect, Schema } from "effect"
import type { Statement } from "effect/sql"
import type { RowSchema } from "../connections/Statements.ts"
import type { Operations } from "../connections/StoreOperations.ts"
import { whole } from "./RowFields.ts"

/** The ids of a page, with the rows that their grants count for. */
const page = Schema.Array(Schema.Tuple([Schema.String, whole]))

/** A page of the columns of a table. A holder that left the scope between the two statements is not shown. */
export const pageOfGranted = Effect.fnUntraced(function*<Row>(
  { call, query, sql }: Operations,
  table: "client" | "person",
  row: RowSchema<Row>,
  columns: Statement.Fragment,
  scope: BusinessScope,
  { after, limit }: NamePageRequest
) {
  const businesses = scope === everything ? null : scope
  const entries = yield* call(page)`
    ${sql.literal(`dockline.${table}_page`)}(${businesses}, ${after}, ${limit + 1})`
  const { items, next } = cutPage(entries, limit, ([id, rows]) => ({ id, rows }))
  if (items.length === 0) return { items: [], next: null }
  const ids = items.map(([id]) => id)
  return {
    items: yield* query(row)`select ${columns} from unnest(${ids}::text[]) with ordinality as named(key, n)
      join ${sql.literal(`dockline.${table}`)} t on t.id = named.key
      where ${businesses}::text[] is null or dockline.client_within(t.grants, ${businesses}::text[]) order by named.n`,
    next
  }
})
