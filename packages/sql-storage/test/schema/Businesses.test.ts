/**
 * Whatever belongs to a business names it, first in its keys, and functions touch one business: what lets a business be
 * in a partition, on a node or in a database of its own (ADR 20).
 */
import { sqlCapabilities } from "@dockline/server/Capabilities"
import { businessId } from "@dockline/sql-storage/rows/BusinessRows"
import { schemaOf } from "@dockline/sql-storage/schema/SqlSchema"
import { assert, it } from "@effect/vitest"
import { SqlClient } from "effect/sql"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"

const { definitions } = schemaOf(sqlCapabilities)

/** The tables that businesses share: small ones, and what is kept for a client, who may work at several businesses. */
const shared = [
  "answered_sign_in",
  "audit_entry",
  "browser_session",
  "business",
  "capability_migration",
  "client",
  "definition",
  "dock",
  "facility",
  "idempotent_answer",
  "migration",
  "person",
  "retention_clock",
  "signing_key"
]

/** The functions of the contract that are given no business, and why. */
const ofContract: Readonly<Record<string, string>> = {
  answers_keep: "answers are kept for a client",
  answers_kept: "answers are kept for a client",
  answers_since: "answers are kept for a client",
  audit_page: "lists what an operator may see",
  client_page: "clients are shared",
  day_shipments: "lists what a client may see",
  document_drop: "drops what has expired of all businesses",
  document_oldest: "finds whether there is something to drop",
  document_page: "lists what a client may see",
  document_shown: "requests name a document by its id only",
  edi_behind: "finds the EDI partners that are to be told something, of any business",
  edi_between: "finds the partners of an envelope, among the businesses of a client",
  edi_expired: "finds the businesses with expired files",
  edi_file_business: "finds the business of a file",
  edi_file_page: "lists what a client may see",
  exception_page: "lists what a client may see",
  facilities_within: "places are shared",
  id_beyond: "is of a sequence",
  item_with_lpn: "lists what a client may see",
  message_advance: "operators move all logs together",
  message_append_named: "messages of several businesses may be appended together",
  message_expired: "finds the businesses with expired messages",
  message_newest: "is of the sequence of all messages",
  message_text: "reads nothing",
  order_page: "lists what a client may see",
  orders_shown: "lists what a client may see",
  pallet_page: "lists what a client may see",
  person_page: "people are shared",
  retention_time: "is of the one clock of the database",
  rfc3339: "reads nothing",
  search_entries: "lists what a client may see",
  shipment_business: "finds the business of a shipment",
  shipment_page: "lists what a client may see",
  shipment_page_by_time: "lists what a client may see",
  shipment_with_lpn: "lists what a client may see",
  shipments_shown: "lists what a client may see",
  shipments_with_lpn: "lists what a client may see",
  shipments_within: "lists what a client may see",
  webhook_backlog: "counts for the metrics of all endpoints",
  webhook_business: "finds the business of an endpoint",
  webhook_endpoint_page: "lists what an operator may see",
  webhook_expired: "finds the endpoints with expired deliveries",
  webhook_ready: "finds the endpoints with work, those of a partition of them",
  webhooks_open: "opens the endpoints that have work, of any business",
  webhooks_shown: "lists what an operator may see"
}

/** With those of capabilities, which say how a cluster asks its shards for them. */
const spanning: Readonly<Record<string, unknown>> = Object.assign(
  {},
  ofContract,
  ...sqlCapabilities.map(({ cluster }) => cluster?.spanning)
)

interface Key {
  readonly table: string
  readonly name: string
  readonly columns: ReadonlyArray<string>
}

const views: Readonly<Record<string, string>> = {
  document_body: "document_record",
  order_body: "customer_order",
  shipment_body: "shipment",
  webhook_delivery_body: "webhook_delivery",
  webhook_endpoint_body: "webhook_endpoint"
}

/** What a text takes of businesses without naming theirs: by alias, as often as it is taken; else in the words after it. */
const unnamedIn = (text: string): ReadonlyArray<string> => {
  const parts = text.split(/(?=\b(?:from|join|using|update|insert into) dockline\.)/).slice(1)
    .filter((part) => !/^insert into [^(]*\(business_id/.test(part))
  const tables = parts.flatMap((part) => {
    const [, name, alias] =
      /dockline\.(\w+)(?!\w*\()(?: (?:as )?(?!set\b|where\b|for\b)([a-z]+)\b)?/.exec(part) ?? []
    const table = name === undefined ? undefined : views[name] ?? name
    return table === undefined || shared.includes(table) ? [] : [{ table, alias, part }]
  })
  return tables.filter(({ alias, part }) => {
    if (alias === undefined) return !part.includes("business_id")
    const uses = text.split(`${alias}.business_id`).length - 1
    return uses < tables.filter((other) => other.alias === alias).length
  }).map(({ alias, table }) => `${table} ${alias ?? ""}`)
}

it("functions that are given a business name it wherever they read or write what belongs to it", () => {
  const names = definitions.filter(({ kind, name }) => kind === "function" && spanning[name] === undefined)
    .flatMap(({ name, text }) => unnamedIn(text).map((table) => `${name}: ${table}`))
  assert.deepStrictEqual(names, [])
  assert.deepStrictEqual(unnamedIn("select from dockline.shipment s where s.id = p_id"), ["shipment s"])
  assert.deepStrictEqual(unnamedIn("delete from dockline.pallet where id = p_id"), ["pallet "])
})

over(TestDatabase.layer)("a table of what belongs to businesses", (test) => {
  test("begins its keys and unique indexes with the business", function*() {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* sql<Key>`select c.relname as table, x.relname as name, (
          select json_agg(a.attname order by k.n) from unnest(i.indkey) with ordinality as k(number, n)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number) as columns
        from pg_class c left join pg_index i on i.indrelid = c.oid and i.indisunique
        left join pg_class x on x.oid = i.indexrelid
        where c.relnamespace = 'dockline'::regnamespace and c.relkind = 'r'`
    const own = keys.filter(({ table }) => !shared.includes(table))
    assert.deepStrictEqual(own.filter(({ columns }) => columns?.[0] !== "business_id"), [])
    // None is listed in vain.
    const tables = new Set(keys.map(({ table }) => table))
    assert.deepStrictEqual(shared.filter((table) => !tables.has(table)), [])
  })

  test("refers to others of them by business too", function*() {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* sql<Key & { readonly target: string; readonly to: ReadonlyArray<string> }>`select
          k.conrelid::regclass::text as name, c.relname as table, r.relname as target, (
            select json_agg(a.attname order by o.n) from unnest(k.conkey) with ordinality as o(number, n)
            join pg_attribute a on a.attrelid = k.conrelid and a.attnum = o.number) as columns, (
            select json_agg(a.attname order by o.n) from unnest(k.confkey) with ordinality as o(number, n)
            join pg_attribute a on a.attrelid = k.confrelid and a.attnum = o.number) as to
        from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class r on r.oid = k.confrelid
        where k.connamespace = 'dockline'::regnamespace and k.contype = 'f'`
    const wrong = keys.filter(({ columns, target, to }) =>
      !shared.includes(target) && (columns[0] !== "business_id" || to[0] !== "business_id")
    )
    assert.deepStrictEqual(wrong, [])
    // What is shared refers to nothing that belongs to one business.
    assert.deepStrictEqual(
      keys.filter(({ target, table }) => shared.includes(table) && !shared.includes(target)),
      []
    )
  })

  test("is touched by functions that are given the business first", function*() {
    const sql = yield* SqlClient.SqlClient
    const functions = yield* sql<
      { readonly name: string; readonly first: string | null; readonly type: string | null }
    >`
        select proname as name, proargnames[1] as first, proargtypes[0]::regtype::text as type from pg_proc
        where pronamespace = 'dockline'::regnamespace and provolatile <> 'i' order by proname`
    // Immutable functions read nothing.
    const without = functions.filter(({ first, type }) => first !== "p_business" || type !== "bigint")
    assert.deepStrictEqual(without.map(({ name }) => name), Object.keys(spanning).toSorted())
    const immutable = yield* sql<{ readonly name: string }>`select proname as name from pg_proc
      where pronamespace = 'dockline'::regnamespace and provolatile = 'i'`
    const { definitions, tables } = schemaOf(sqlCapabilities)
    const tableName = new RegExp(`dockline\\.(?:${[...tables, ...shared].join("|")})\\b(?!\\()`)
    const reading = definitions.filter(({ name, text }) =>
      immutable.some((each) => each.name === name) && tableName.test(text)
    )
    assert.deepStrictEqual(reading.map(({ name }) => name), [])
  })

  test("has businesses by the id that is made of their slugs", function*() {
    const sql = yield* SqlClient.SqlClient
    const slugs = ["acme", "0", "a-b-c", "z".repeat(63)]
    yield* sql`insert into dockline.business (slug, name) select slug, slug from unnest(${slugs}::text[]) as slug`
    const rows = yield* sql<
      { readonly slug: string; readonly id: string }
    >`select slug, id::text as id from dockline.business`
    assert.sameDeepMembers([...rows], slugs.map((slug) => ({ slug, id: businessId(slug) })))
  })
})
