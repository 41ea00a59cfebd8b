/** An interrupted distribution: nothing is served before it is complete. */
import { sqlCapabilities } from "@dockline/server/Capabilities"
import * as Distribute from "@dockline/sql-storage/schema/cluster/Distribute"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { run } from "../Cluster.ts"

/** An empty database on all nodes. */
const empty = Effect.gen(function*() {
  const url = new URL(Redacted.value((yield* TestDatabase.create).url))
  const nodes = [
    url,
    ...inject("workerUrls").map((worker) => Object.assign(new URL(worker), { pathname: url.pathname }))
  ]
  yield* Effect.promise(async () => {
    for (const node of nodes) await run(node.href, "create extension citus")
    await run(
      url.href,
      ...nodes.map(({ hostname, port }, at) =>
        `select ${at === 0 ? "citus_set_coordinator_host" : "citus_add_node"}('${hostname}', ${port})`
      )
    )
  })
  return url.href
})

const migrate = Migrations.migrateWith(sqlCapabilities)

const ping = Migrations.pingWith(sqlCapabilities)

/** The steps that a dry run reports, in a session of its own. */
const planned = (url: string) =>
  Effect.gen(function*() {
    const steps: Array<string> = []
    yield* Effect.scoped(Effect.provide(
      Distribute.distribute(
        { shards: 2, capabilities: sqlCapabilities },
        (step) => Effect.sync(() => void steps.push(step)),
        true
      ),
      PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
    ))
    return steps
  })

/** Distributes in a session of its own, which ends at a step. */
const distribute = (url: string, endsAt?: RegExp) =>
  Effect.scoped(Effect.provide(
    Distribute.distribute({ shards: 2, capabilities: sqlCapabilities }, (step) =>
      endsAt?.test(step) === true ? Effect.interrupt : Effect.void, false),
    PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
  ))

describe("a distribution", () => {
  it.live("that was interrupted is repeated to its end, before which nothing is ready", () =>
    Effect.gen(function*() {
      const url = yield* empty
      const inDatabase = Effect.provide(PgClient.layer({ url: Redacted.make(url) }))
      yield* inDatabase(Effect.andThen(migrate, ping))
      for (const endsAt of [/^Distribute customer_order /, /^Name the shards/, /^Create the sequences/]) {
        assert.strictEqual((yield* Effect.exit(distribute(url, endsAt)))._tag, "Failure")
        yield* inDatabase(migrate)
        assert.match((yield* Effect.flip(inDatabase(ping))).message, /half distributed/)
      }
      yield* distribute(url)
      yield* inDatabase(ping)
      assert.deepStrictEqual(yield* distribute(url), { steps: 0 })
      assert.deepStrictEqual(yield* planned(url), [])
      // An upgrade that changes the text of one function, and no longer has another.
      yield* Effect.promise(() =>
        run(
          url,
          "update dockline.definition set hash = '' where name = 'list_place'",
          "create function dockline.outdated() returns int language sql as 'select 1'",
          "insert into dockline.definition (name, kind, hash, owner) values ('outdated', 'function', '', '')"
        )
      )
      assert.deepStrictEqual(yield* planned(url), ["Update 2 functions and views on every node"])
      assert.deepStrictEqual(yield* planned(url), ["Update 2 functions and views on every node"])
      assert.deepStrictEqual(yield* distribute(url), { steps: 1 })
      assert.deepStrictEqual(yield* planned(url), [])
    }))
})
