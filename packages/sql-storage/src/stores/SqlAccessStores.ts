/**
 * Access on PostgreSQL: API clients and people with their grants, the sessions of browsers, the signing keys of tokens, which all instances
 * share, and the log of operators' actions.
 *
 * Guarantee: sessions expire by the clock of the database, unless the program provides one. An entry of the log is the last statement in
 * the transaction of its change.
 */
import { everything, Grant } from "@dockline/core/access/Access"
import type { BusinessScope } from "@dockline/core/access/Access"
import { AuditLog, auditRetentionMillis } from "@dockline/core/access/AuditLog"
import type { AuditRecord } from "@dockline/core/access/AuditLog"
import { SigningKeyStore } from "@dockline/core/access/Authenticator"
import type { SigningKey } from "@dockline/core/access/Authenticator"
import { answeredMillis, sessionsPerPrincipal, SessionStore } from "@dockline/core/access/BrowserSessions"
import type { SessionDraft } from "@dockline/core/access/BrowserSessions"
import { ClientStore, identityLimit, PersonStore } from "@dockline/core/access/Principals"
import type { Client, Person } from "@dockline/core/access/Principals"
import { cursorOf, cutPage } from "@dockline/core/values/Page"
import type { NamePageRequest } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer, Redacted, Schema } from "effect"
import type { Result } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { rowOrNull } from "../connections/Statements.ts"
import type { RowSchema } from "../connections/Statements.ts"
import { operations } from "../connections/StoreOperations.ts"
import type { Operations } from "../connections/StoreOperations.ts"
import { readsOf } from "../rows/BusinessRows.ts"
import { timestamp, whole } from "../rows/RowFields.ts"
import * as Cleanup from "./Cleanup.ts"

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
export const clientStore: Layer.Layer<ClientStore, never, SqlClient.SqlClient> = Layer.effect(
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

const PersonRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  email: Schema.NullOr(Schema.String),
  subject: Schema.NullOr(Schema.String),
  grants: Schema.Array(Grant)
})

/** People in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const personStore: Layer.Layer<PersonStore, never, SqlClient.SqlClient> = Layer.effect(
  PersonStore,
  Effect.map(operations, (means) => {
    const { operation, query, read, sql, transact } = means
    const columns = sql`id, name, email, subject, grants`

    const byIdentity = ({ email, subject }: Pick<Person, "email" | "subject">, limit: number | null) =>
      query(PersonRow)`select ${columns} from dockline.person
        where subject = ${subject}::text or email = ${email}::text
        order by subject is null, id collate "C" limit ${limit}::int`

    /** Finds the people with the same address or subject. None of them is added or changed before the transaction ends. */
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

/** The ids of a page. Each has the number of rows that its grants count as. */
const page = Schema.Array(Schema.Tuple([Schema.String, whole]))

/** A page of clients or people. If an entry leaves the scope between the two statements, it is left out. */
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

const SessionRow = Schema.Struct({ principalId: Schema.String, leftMillis: Schema.Number })

/** The sessions in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const sessionStore: Layer.Layer<SessionStore, never, SqlClient.SqlClient> = Layer.effect(
  SessionStore,
  Effect.map(operations, ({ operation, query, sql }) => {
    /** The current time, as a table of the statement. */
    const clock = Effect.map(
      Timestamp.givenNow,
      (now) => sql`clock as (select coalesce(${now}::timestamptz, clock_timestamp()) as now)`
    )

    // A single statement, so that adding a session and removing displaced ones is atomic.
    const add = ({ id, millis, principalId }: SessionDraft) =>
      Effect.flatMap(clock, (clock) =>
        sql`with ${clock}, expired as (
          delete from dockline.browser_session where expires_at <= (select now from clock)
        ), displaced as (
          delete from dockline.browser_session where client_id = ${principalId} and id in (
            select id from dockline.browser_session where client_id = ${principalId}
            order by created_at desc offset ${sessionsPerPrincipal - 1})
        )
        insert into dockline.browser_session (id, client_id, created_at, expires_at)
        select ${id}, ${principalId}, now, now + ${millis}::float8 * interval '1 millisecond' from clock`)

    const find = (id: string) =>
      Effect.flatMap(clock, (clock) =>
        rowOrNull(
          query(SessionRow)`with ${clock} select client_id as "principalId",
            trunc(extract(epoch from expires_at - now) * 1000)::float8 as "leftMillis"
          from dockline.browser_session, clock where id = ${id} and expires_at > now`
        ))

    const markAnswered = (id: string) =>
      Effect.flatMap(clock, (clock) =>
        sql`with ${clock}, expired as (
          delete from dockline.answered_sign_in where expires_at <= (select now from clock)
        )
        insert into dockline.answered_sign_in (id, expires_at)
        select ${id}, now + ${answeredMillis}::float8 * interval '1 millisecond' from clock
        on conflict do nothing returning id`.pipe(Effect.map((rows) => rows.length === 1)))

    return SessionStore.of({
      add: (session) => operation(Effect.asVoid(add(session))),
      find: (id) => operation(find(id)),
      remove: (id) => operation(Effect.asVoid(sql`delete from dockline.browser_session where id = ${id}`)),
      markAnswered: (id) => operation(markAnswered(id))
    })
  })
)

const KeyRow = Schema.Struct({ id: Schema.String, jwk: Schema.String, createdAt: timestamp })

const toKey = ({ jwk, ...key }: typeof KeyRow.Type): SigningKey => ({
  ...key,
  privateJwk: Redacted.make(jwk)
})

/** The signing keys in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const signingKeyStore: Layer.Layer<SigningKeyStore, never, SqlClient.SqlClient> = Layer.effect(
  SigningKeyStore,
  Effect.map(operations, ({ operation, query, sql, transact }) => {
    const list = query(KeyRow)`select id, private_jwk as jwk, dockline.rfc3339(created_at) as "createdAt"
      from dockline.signing_key order by signing_key.created_at desc, id`.pipe(
      Effect.map((rows) => rows.map(toKey))
    )

    const rotate = Effect.fnUntraced(function*(key: SigningKey, unlessSince: string, dropBefore: string) {
      // Without this lock, instances that start together would each find no key and add one.
      yield* sql`lock table dockline.signing_key in share row exclusive mode`
      yield* sql`insert into dockline.signing_key (id, private_jwk, created_at)
        select ${key.id}, ${Redacted.value(key.privateJwk)}, ${key.createdAt}::timestamptz
        where not exists (select from dockline.signing_key where created_at > ${unlessSince}::timestamptz)`
      yield* sql`delete from dockline.signing_key where created_at < ${dropBefore}::timestamptz
        and id <> (select id from dockline.signing_key order by created_at desc, id limit 1)`
      return yield* list
    })

    return SigningKeyStore.of({
      list: operation(list),
      rotate: (key, unlessSince, dropBefore) => transact()(rotate(key, unlessSince, dropBefore))
    })
  })
)

const AuditRow = Schema.Struct({
  id: whole,
  at: timestamp,
  clientId: Schema.String,
  address: Schema.String,
  action: Schema.String,
  business: Schema.String,
  subject: Schema.String,
  details: Schema.Record(Schema.String, Schema.Unknown)
})

/** The log of operators in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. It also drops old entries. */
export const auditLog: Layer.Layer<AuditLog, never, SqlClient.SqlClient> = Layer.effect(
  AuditLog,
  Effect.gen(function*() {
    const means = yield* operations
    const { query, read, sql, transact } = means

    const add = ({ action, address, at, business, clientId, details, subject }: AuditRecord) =>
      sql`insert into dockline.audit_entry (at, client_id, address, action, business, subject, details)
        values (coalesce(${at}::timestamptz, date_trunc('milliseconds', clock_timestamp())), ${clientId}, ${address}, ${action}, ${business}, ${subject},
          ${JSON.stringify(details)}::text::json)`

    const entries = { name: "audit_entry", at: "at", key: ["id"] }
    yield* Cleanup.run(
      "audit_entries",
      Cleanup.ofTable(means, entries, auditRetentionMillis)
    )

    return AuditLog.of({
      record: <A, E, R>(
        change: Effect.Effect<A, E, R>,
        recordOf: (change: A) => AuditRecord,
        turn?: string
      ) => transact({ turn })(Effect.tap(change, (value) => add(recordOf(value)))),
      list: Effect.fnUntraced(function*(scope, { clientId, from, subject, to }, { after, limit }) {
        // The position after all entries at the time `to`.
        const last = to === undefined ? undefined : { at: to, id: Number.MAX_SAFE_INTEGER }
        const before = last !== undefined && (after === undefined || last.at < after.at) ? last : after
        const rows = yield* query(AuditRow)`select id::float8 as id, dockline.rfc3339(at) as at,
            client_id as "clientId", address, action, business, subject, details
          from dockline.audit_page(${scope === everything ? null : scope}, ${clientId ?? null},
            ${subject ?? null}, ${from ?? "-infinity"}, ${before?.at ?? "infinity"}, ${before?.id ?? 0},
            ${limit + 1})`
        return cutPage(rows, limit, (entry) => ({ id: cursorOf(entry) }))
      }, (effect, scope) => read(readsOf(scope))(effect))
    })
  })
)
