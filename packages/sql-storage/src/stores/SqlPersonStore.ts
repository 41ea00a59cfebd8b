/** People on PostgreSQL. */
import { Grant } from "@dockline/core/access/Access"
import { identityLimit, PersonStore } from "@dockline/core/access/Person"
import type { Person } from "@dockline/core/access/Person"
import { Effect, Layer, Schema } from "effect"
import type { Result } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOrNull } from "../connections/Statements.ts"
import { operations } from "../connections/StoreOperations.ts"
import { pageOfGranted } from "../rows/Granted.ts"
import { readsOf } from "../rows/ListArguments.ts"

const PersonRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  email: Schema.NullOr(Schema.String),
  subject: Schema.NullOr(Schema.String),
  grants: Schema.Array(Grant)
})

/** People in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<PersonStore, never, SqlClient.SqlClient> = Layer.effect(
  PersonStore,
  Effect.map(operations, (means) => {
    const { operation, query, read, sql, transact } = means
    const columns = sql`id, name, email, subject, grants`

    const byIdentity = ({ email, subject }: Pick<Person, "email" | "subject">, limit: number | null) =>
      query(PersonRow)`select ${columns} from dockline.person
        where subject = ${subject}::text or email = ${email}::text
        order by subject is null, id collate "C" limit ${limit}::int`

    /** The people with the same address or subject. Until the transaction ends, none of them is added or changed. */
    const alike = ({ email, subject }: Person) =>
      Effect.andThen(
        sql`select pg_advisory_xact_lock(hashtextextended(${`dockline.person:${email ?? subject}`}, 0))`,
        byIdentity({ email, subject }, null)
      )

    const create = Effect.fnUntraced(function*(person: Person, isSame: (person: Person) => boolean) {
      const { email, grants, id, name, subject } = person
      if ((yield* alike(person)).some(isSame)) return false
      const rows = yield* sql`insert into dockline.person (${columns})
        values (${id}, ${name}, ${email}::text, ${subject}::text, ${JSON.stringify(grants)}::text::jsonb)
        on conflict do nothing returning id`
      return rows.length === 1
    })

    const lock = (id: string) =>
      query(PersonRow)`select ${columns} from dockline.person where id = ${id} for update`

    const update = Effect.fnUntraced(function*<E>(
      id: string,
      change: (
        person: Person,
        others: ReadonlyArray<Person>
      ) => Result.Result<Pick<Person, "name" | "grants">, E>
    ) {
      const [person] = yield* query(PersonRow)`select ${columns} from dockline.person where id = ${id}`
      if (person === undefined) return null
      const others = (yield* alike(person)).filter((other) => other.id !== id)
      const [before] = yield* lock(id)
      if (before === undefined) return null
      const { grants, name } = yield* Effect.fromResult(change(before, others))
      yield* sql`update dockline.person set name = ${name}, grants = ${JSON.stringify(grants)}::text::jsonb
        where id = ${id}`
      return { ...before, name, grants }
    })

    const remove = Effect.fnUntraced(function*<E>(
      id: string,
      check: (person: Person) => Result.Result<void, E>
    ) {
      const [before] = yield* lock(id)
      if (before === undefined) return false
      yield* Effect.fromResult(check(before))
      yield* sql`delete from dockline.person where id = ${id}`
      return true
    })

    const inTurn = (id: string) => transact({ turn: JSON.stringify(["person", id]) })

    return PersonStore.of({
      find: (id) =>
        operation(rowOrNull(query(PersonRow)`select ${columns} from dockline.person where id = ${id}`)),
      findIdentity: (identity) => operation(byIdentity(identity, identityLimit)),
      list: (scope, page) =>
        read(readsOf(scope))(pageOfGranted(means, "person", PersonRow, columns, scope, page)),
      create: (person, isSame) => inTurn(person.email ?? person.subject ?? "")(create(person, isSame)),
      update: (id, change) => inTurn(id)(update(id, change)),
      remove: (id, check) => inTurn(id)(remove(id, check))
    })
  })
)
