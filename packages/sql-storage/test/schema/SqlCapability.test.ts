/** The tables and functions of a capability are its own: they come up to date with the contract, and nobody else touches them. */
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as SqlCapability from "@dockline/sql-storage/schema/SqlCapability"
import { schemaOf } from "@dockline/sql-storage/schema/SqlSchema"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"

const photoCount = (body: string) => `
create or replace function dockline.photo_count(p_business bigint) returns bigint
language plpgsql stable as $$
begin
  return ${body};
end $$`

const first = {
  "1_photos": [
    "create table dockline.photo (business_id bigint not null, id bigint not null, primary key (business_id, id))"
  ]
}

const second = { ...first, "2_size": ["alter table dockline.photo add column size int not null default 0"] }

const photosOf = (
  migrations: typeof first,
  { body = "1", oldestServed = 1 }: { readonly body?: string; readonly oldestServed?: number } = {}
) =>
  SqlCapability.make("photos", {
    stores: Layer.empty,
    migrations,
    oldestServed,
    functions: [photoCount(body)],
    cluster: { tables: ["photo"] }
  })

const photos = photosOf(first)
const later = photosOf(second, { body: "2" })

/** The number that the function of the capability returns; `undefined` where there is no such function. */
const count = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [there] = yield* sql`select from pg_proc where proname = 'photo_count'`
  if (there === undefined) return undefined
  const [row] = yield* sql<{ readonly count: string }>`select dockline.photo_count(1)::text as count`
  return Number(row!.count)
})

const names = (ran: ReadonlyArray<readonly [number, string]>) => ran.map(([, name]) => name)

describe("the names of a capability", () => {
  const photosWith = (table: string, sequence: string) =>
    SqlCapability.make("photos", {
      stores: Layer.empty,
      migrations: first,
      functions: [photoCount("1")],
      cluster: { tables: [table], sequences: [sequence] }
    })

  it("are neither those of its other parts nor those of the contract", () => {
    schemaOf([photosWith("photo", "photo_id")])
    for (
      const [table, sequence] of [["photo_count", "photo_id"], ["photo", "photo"], [
        "shipment",
        "photo_id"
      ]] as const
    ) {
      assert.throws(
        () => schemaOf([photosWith(table, sequence)]),
        /^dockline\.\w+ is the name of two tables, .*: rename one of them$/
      )
    }
    assert.throws(
      () => schemaOf([photosWith("photo", "photo_id"), photosWith("picture", "picture_id")]),
      /^dockline\.photo_count /
    )
  })
})

over(TestDatabase.layerEmpty)("a capability in an empty database", (test) => {
  test("is migrated after the contract", function*() {
    const pending = yield* Migrations.pendingWith([photos])
    assert.deepStrictEqual(names(pending), ["initial", "photos 1_photos"])
    assert.deepStrictEqual(yield* Migrations.migrateWith([photos]), pending)
    assert.deepStrictEqual(yield* Migrations.pendingWith([photos]), [])
    assert.strictEqual(yield* count, 1)
    yield* Migrations.pingWith([photos])
  })
})

over(TestDatabase.layer)("a capability", (test) => {
  test("is lacking until it is migrated, in a database that has the contract", function*() {
    yield* Migrations.ping
    const lacking = yield* Effect.flip(Migrations.pingWith([photos]))
    assert.match(lacking.message, /^The schema of the database is older than this instance;/)
    assert.deepStrictEqual(names(yield* Migrations.migrateWith([photos])), ["photos 1_photos"])
    yield* Migrations.pingWith([photos])
    assert.deepStrictEqual(yield* Migrations.migrateWith([photos]), [])
  })

  test("is left as it is by a program whose list lacks it", function*() {
    assert.deepStrictEqual(yield* Migrations.migrate, [])
    assert.strictEqual(yield* count, 1)
    yield* Migrations.ping
  })

  test("comes up to date with its own numbers", function*() {
    const pending = yield* Migrations.pendingWith([later])
    assert.deepStrictEqual(names(pending), ["photos 2_size"])
    assert.deepStrictEqual(yield* Migrations.migrateWith([later]), pending)
    assert.strictEqual(yield* count, 2)
    const state = yield* Migrations.state
    assert.strictEqual(state.number, Migrations.newest)
    assert.deepStrictEqual(state.capabilities["photos"], { number: 2, oldestServed: 1 })
  })

  test("that a newer version has extended is used as it is by an older one", function*() {
    assert.deepStrictEqual(yield* Migrations.pendingWith([photos]), [])
    assert.deepStrictEqual(yield* Migrations.migrateWith([photos]), [])
    assert.strictEqual(yield* count, 2)
    yield* Migrations.pingWith([photos])
  })

  test("that no longer serves an older version is refused by it, and by nobody else", function*() {
    const third = { ...second, "3_last": ["alter table dockline.photo drop column size"] }
    yield* Migrations.migrateWith([photosOf(third, { oldestServed: 3 })])
    const refusal = yield* Effect.flip(Migrations.migrateWith([photos]))
    assert.deepStrictEqual(yield* Effect.flip(Migrations.pendingWith([photos])), refusal)
    assert.deepInclude(refusal, { _tag: "SchemaNewer", number: 3, newest: 1, owner: "photos" })
    assert.match(
      String(refusal.message),
      /^A newer version of Dockline has changed what the database has of photos: it is number 3, and this version knows 1;/
    )
    const unready = yield* Effect.flip(Migrations.pingWith([photos]))
    assert.instanceOf(unready.cause, Migrations.SchemaNewer)
    yield* Migrations.ping
  })

  test("loses the functions that it no longer has", function*() {
    const without = SqlCapability.make("photos", {
      stores: Layer.empty,
      migrations: { ...second, "3_last": [] },
      functions: []
    })
    yield* Migrations.migrateWith([without])
    assert.strictEqual(yield* count, undefined)
  })
})
