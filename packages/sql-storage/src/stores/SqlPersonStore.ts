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

    const identified = ({ email, subject }: Pick<Person, "email" | "subject">, limit: number | null) =>
      query(PersonRow)`select ${columns} from dockline.person
        where subject = ${subject}::text or email = ${email}::text
        order by subject is null, id collate "C" limit ${limit}::int`

    /** The people known by the same thing, of whom none is added and changed until the transaction ends. */
    const alike = ({ email, subject }: Person) =>
      Effect.andThen(
        sql`select pg_advisory_xact_lock(hashtextextended(${`dockline.person:${email ?? subject}`}, 0))`,
        identified({ email, subject }, null)
      )

    const create = Effect.fnUntraced(function*(person: Person, isSame: (known: Person) => boolean) {
      const { email, grants, id, name, subject } = person
      if ((yield* alike(person)).some(isSame)) return false
      const added = yield* sql`insert into dockline.person (${columns})
        values (${id}, ${name}, ${email}::text, ${subject}::text, ${JSON.stringify(grants)}::text::jsonb)
        on conflict do nothing returning id`
      return added.length === 1
    })

    const locked = (id: string) =>
      query(PersonRow)`select ${columns} from dockline.person where id = ${id} for update`

    const update = Effect.fnUntraced(function*<E>(
      id: string,
      change: (
        person: Person,
        others: ReadonlyArray<Person>
      ) => Result.Result<Pick<Person, "name" | "grants">, E>
    ) {
      const [found] = yield* query(PersonRow)`select ${columns} from dockline.person where id = ${id}`
      if (found === undefined) return null
      const others = (yield* alike(found)).filter((other) => other.id !== id)
      const [known] = yield* locked(id)
      if (known === undefined) return null
      const { grants, name } = yield* Effect.fromResult(change(known, others))
      yield* sql`update dockline.person set name = ${name}, grants = ${JSON.stringify(grants)}::text::jsonb
        where id = ${id}`
      return { ...known, name, grants }
    })

    const remove = Effect.fnUntraced(function*<E>(
      id: string,
      check: (person: Person) => Result.Result<void, E>
    ) {
      const [known] = yield* locked(id)
      if (known === undefined) return false
      yield* Effect.fromResult(check(known))
      yield* sql`delete from dockline.person where id = ${id}`
      return true
    })

    const inTurn = (id: string) => transact({ turn: JSON.stringify(["person", id]) })

    return PersonStore.of({
      find: (id) =>
        operation(rowOrNull(query(PersonRow)`select ${columns} from dockline.person where id = ${id}`)),
      findIdentity: (identity) => operation(identified(identity, identityLimit)),
      list: (scope, page) =>
        read(readsOf(scope))(pageOfGranted(means, "person", PersonRow, columns, scope, page)),
      create: (person, isSame) => inTurn(person.email ?? person.subject ?? "")(create(person, isSame)),
      update: (id, change) => inTurn(id)(update(id, change)),
      remove: (id, check) => inTurn(id)(remove(id, check))
    })
  })
)
