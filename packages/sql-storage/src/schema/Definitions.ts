/**
 * The functions and views of the schema, and how a database gets their present texts (ADR 20).
 *
 * Guarantee: a definition is created if it is missing or the database records another text, and dropped if it is no longer
 * listed; a change of parameters leaves no overload. All others are untouched, so their statements stay prepared.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { callsOf } from "../connections/Statements.ts"
import { functionsOf } from "./SqlText.ts"

/** The statements that create the functions and views of the contract, with one file for each subject. */
export const functions: ReadonlyArray<string> = [
  new URL("../../sql/access.sql", import.meta.url),
  new URL("../../sql/answers.sql", import.meta.url),
  new URL("../../sql/basics.sql", import.meta.url),
  new URL("../../sql/deliveries.sql", import.meta.url),
  new URL("../../sql/documents.sql", import.meta.url),
  new URL("../../sql/endpoints.sql", import.meta.url),
  new URL("../../sql/intake.sql", import.meta.url),
  new URL("../../sql/messages.sql", import.meta.url),
  new URL("../../sql/movement.sql", import.meta.url),
  new URL("../../sql/outboxes.sql", import.meta.url),
  new URL("../../sql/pallets.sql", import.meta.url),
  new URL("../../sql/places.sql", import.meta.url),
  new URL("../../sql/replays.sql", import.meta.url),
  new URL("../../sql/retention.sql", import.meta.url),
  new URL("../../sql/search.sql", import.meta.url),
  new URL("../../sql/shipment_lists.sql", import.meta.url),
  new URL("../../sql/shipments.sql", import.meta.url),
  new URL("../../sql/steps.sql", import.meta.url)
].flatMap(functionsOf)

/** A function or view: its name, and the statement that creates or replaces it. */
export interface Definition {
  /** Without its schema if that is `dockline`. */
  readonly name: string
  readonly kind: "function" | "view"
  readonly text: string
  /** A hash of the text. */
  readonly hash: string
  /** The capability that has it; `""` is the contract. */
  readonly owner: string
}

const heading = /^\s*create or replace (function|view) (?:dockline\.)?([\w.]+)/

/** The definition that a statement makes, which begins with a heading. */
export const define = (text: string, owner = ""): Definition => {
  const [, kind, name] = heading.exec(text)!
  const hash = createHash("sha256").update(text).digest("hex")
  return { name: name!, kind: kind as Definition["kind"], text, hash, owner }
}

/** PostgreSQL reads a body in SQL and a view when it creates them, a body in PL/pgSQL when it first runs. */
const rankOf = ({ kind, text }: Definition) => text.includes("language plpgsql") ? 2 : kind === "view" ? 1 : 0

/** Definitions in an order in which they can be created. */
export const inOrder = (all: ReadonlyArray<Definition>): ReadonlyArray<Definition> =>
  all.toSorted((left, right) => rankOf(left) - rankOf(right))

/** The definitions of the contract, in an order in which they can be created. */
export const definitions: ReadonlyArray<Definition> = inOrder(functions.map((text) => define(text)))

/** The functions or views of a name, as statements name them: several if a function is overloaded. */
const present = Effect.fnUntraced(function*({ kind, name }: Pick<Definition, "kind" | "name">) {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  const [inSchema = name, schema = "dockline"] = name.split(".").toReversed()
  const rows = yield* query(
    Schema.Struct({ id: Schema.String })
  )`select p.oid::regprocedure::text as id from pg_proc p
      where p.pronamespace = to_regnamespace(${schema}) and p.proname = ${inSchema} and ${kind} = 'function'
    union all
    select v.oid::regclass::text from pg_class v
      where v.relnamespace = to_regnamespace(${schema}) and v.relname = ${inSchema} and ${kind} = 'view'`
  return rows.map(({ id }) => id)
})

const drop = Effect.fnUntraced(function*(kind: Definition["kind"], ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  if (ids.length > 0) yield* sql.unsafe(`drop ${kind} ${ids.join(", ")}`)
})

const create = Effect.fnUntraced(function*(definition: Definition) {
  const sql = yield* SqlClient.SqlClient
  const { hash, kind, name, owner, text } = definition
  const before = yield* present(definition)
  yield* Effect.catch(
    sql.withTransaction(sql.unsafe(text)),
    // A changed result or parameter name needs a drop. Any other error occurs again.
    () => Effect.andThen(drop(kind, before), sql.unsafe(text))
  )
  const after = yield* present(definition)
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

/**
 * Brings the database to the definitions of some owners, in the transaction of the migrations; returns the names of those created. The
 * definitions of other owners are left as they are.
 */
export const apply = Effect.fnUntraced(function*(
  all: ReadonlyArray<Definition>,
  owners: ReadonlyArray<string> = [""]
): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const listing = all.filter(({ owner }) => owners.includes(owner))
  const records = yield* callsOf(sql).query(
    RecordRow
  )`select d.name, d.kind, d.hash, d.owner from dockline.definition d
    cross join lateral (select coalesce(substring(d.name from '(.*)\\.'), 'dockline') as schema,
      substring(d.name from '[^.]*$') as name) as named
    where exists (select from pg_proc p where p.pronamespace = to_regnamespace(named.schema) and p.proname = named.name)
      or exists (select from pg_class v where v.relnamespace = to_regnamespace(named.schema) and v.relname = named.name)`
  const names = new Set(listing.map(({ name }) => name))
  const old = records.filter(({ name, owner }) => owners.includes(owner) && !names.has(name))
  const dropOld = (kind: Definition["kind"]) =>
    Effect.flatMap(
      Effect.forEach(old.filter((each) => each.kind === kind), present),
      (ids) => drop(kind, ids.flat())
    )
  const hashes = new Map(records.map(({ hash, name }) => [name, hash]))
  const changes = listing.filter(({ hash, name }) => hashes.get(name) !== hash)
  // Views need functions, so old views are dropped first and old functions last.
  yield* dropOld("view")
  yield* Effect.forEach(changes, create, { discard: true })
  yield* dropOld("function")
  if (old.length > 0) {
    yield* sql`delete from dockline.definition where ${sql.in("name", old.map(({ name }) => name))}`
  }
  return changes.map(({ name }) => name)
})
