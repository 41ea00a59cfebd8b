/**
 * The functions and views of a database as definitions. {@link apply} brings a database to the current ones (ADR 20).
 *
 * Guarantee: a definition is created if it is missing or if the database has recorded another text for it, and dropped if it is no longer
 * listed. A change of parameters leaves no overload. Other definitions are untouched, so that their statements stay prepared.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { callsOf } from "../connections/Statements.ts"

/** A function or view: its name, and the statement that creates or replaces it. */
export interface Definition {
  /** The name; its schema comes first unless that is `dockline`. */
  readonly name: string
  readonly kind: "function" | "view"
  readonly text: string
  /** A hash of the text. */
  readonly hash: string
  /** The capability that owns the definition; `""` for the contract. */
  readonly owner: string
}

const heading = /^\s*create or replace (function|view) (?:dockline\.)?([\w.]+)/

/** The definition that a statement creates. The statement begins with its heading, `create or replace …`. */
export const define = (text: string, owner = ""): Definition => {
  const [, kind, name] = heading.exec(text)!
  const hash = createHash("sha256").update(text).digest("hex")
  return { name: name!, kind: kind as Definition["kind"], text, hash, owner }
}

/**
 * The rank in the order of creation: PostgreSQL reads a view, and a body in SQL, when it creates them, but a body in PL/pgSQL only when it
 * first runs.
 */
const rankOf = ({ kind, text }: Definition) => text.includes("language plpgsql") ? 2 : kind === "view" ? 1 : 0

/** Definitions in an order in which they can be created. */
export const inOrder = (all: ReadonlyArray<Definition>): ReadonlyArray<Definition> =>
  all.toSorted((left, right) => rankOf(left) - rankOf(right))

/**
 * The functions or views with a name in the database, in the form in which `drop` needs them: several functions if the name is overloaded.
 */
const idsOf = Effect.fnUntraced(function*({ kind, name }: Pick<Definition, "kind" | "name">) {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  const [localName = name, schema = "dockline"] = name.split(".").toReversed()
  const rows = yield* query(
    Schema.Struct({ id: Schema.String })
  )`select p.oid::regprocedure::text as id from pg_proc p
      where p.pronamespace = to_regnamespace(${schema}) and p.proname = ${localName} and ${kind} = 'function'
    union all
    select v.oid::regclass::text from pg_class v
      where v.relnamespace = to_regnamespace(${schema}) and v.relname = ${localName} and ${kind} = 'view'`
  return rows.map(({ id }) => id)
})

const drop = Effect.fnUntraced(function*(kind: Definition["kind"], ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  if (ids.length > 0) yield* sql.unsafe(`drop ${kind} ${ids.join(", ")}`)
})

const create = Effect.fnUntraced(function*(definition: Definition) {
  const sql = yield* SqlClient.SqlClient
  const { hash, kind, name, owner, text } = definition
  const present = yield* idsOf(definition)
  // If there are several, it would be unknown later which of them the text has replaced.
  if (present.length > 1) yield* drop(kind, present)
  const before = present.length > 1 ? [] : present
  yield* Effect.catch(
    sql.withTransaction(sql.unsafe(text)),
    // PostgreSQL does not replace a function whose result or parameter names change, so it is dropped first. Any other error occurs again.
    () => Effect.andThen(drop(kind, before), sql.unsafe(text))
  )
  const after = yield* idsOf(definition)
  if (after.length > 1) yield* drop(kind, before)
  yield* sql`insert into dockline.definition (name, kind, hash, owner) values (${name}, ${kind}, ${hash}, ${owner})
    on conflict (name) do update set kind = excluded.kind, hash = excluded.hash, owner = excluded.owner`
})

/** A row of `definition`. */
const RecordRow = Schema.Struct({
  name: Schema.String,
  kind: Schema.Literals(["function", "view"]),
  hash: Schema.String,
  owner: Schema.String
})

/** The definitions of some owners that differ from the database. */
export interface Difference {
  /** The definitions that are missing, or for which the database has recorded another text. */
  readonly changes: ReadonlyArray<Definition>
  /** The definitions in the database that are no longer listed. */
  readonly old: ReadonlyArray<Pick<Definition, "name" | "kind">>
}

/** Compares the definitions of these owners with the database. Changes nothing. */
export const differenceOf = Effect.fnUntraced(function*(
  all: ReadonlyArray<Definition>,
  owners: ReadonlyArray<string>
): Effect.fn.Return<Difference, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const definitionsOfOwners = all.filter(({ owner }) => owners.includes(owner))
  const records = yield* callsOf(sql).query(
    RecordRow
  )`select d.name, d.kind, d.hash, d.owner from dockline.definition d
    cross join lateral (select coalesce(substring(d.name from '(.*)\\.'), 'dockline') as schema,
      substring(d.name from '[^.]*$') as name) as named
    where exists (select from pg_proc p where p.pronamespace = to_regnamespace(named.schema) and p.proname = named.name)
      or exists (select from pg_class v where v.relnamespace = to_regnamespace(named.schema) and v.relname = named.name)`
  const names = new Set(definitionsOfOwners.map(({ name }) => name))
  const hashes = new Map(records.map(({ hash, name }) => [name, hash]))
  return {
    changes: definitionsOfOwners.filter(({ hash, name }) => hashes.get(name) !== hash),
    old: records.filter(({ name, owner }) => owners.includes(owner) && !names.has(name))
  }
})

/**
 * Brings the database to the definitions of these owners, in the transaction of the migrations; returns the names of the created
 * definitions. The definitions of other owners stay unchanged.
 */
export const apply = Effect.fnUntraced(function*(
  all: ReadonlyArray<Definition>,
  owners: ReadonlyArray<string> = [""]
): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const { changes, old } = yield* differenceOf(all, owners)
  const dropOld = (kind: Definition["kind"]) =>
    Effect.flatMap(
      Effect.forEach(old.filter((each) => each.kind === kind), idsOf),
      (ids) => drop(kind, ids.flat())
    )
  // Views need functions, so old views are dropped first and old functions last.
  yield* dropOld("view")
  yield* Effect.forEach(changes, create, { discard: true })
  yield* dropOld("function")
  if (old.length > 0) {
    yield* sql`delete from dockline.definition where ${sql.in("name", old.map(({ name }) => name))}`
  }
  return changes.map(({ name }) => name)
})
