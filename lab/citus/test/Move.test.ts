/** A business is moved back while a session still reads the tables that the first move left. */
import * as Move from "@dockline/sql-storage/schema/cluster/Move"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { inject } from "vitest"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

const connect = (url: URL, connections: number) =>
  Effect.map(
    Layer.build(PgClient.layer({ url: Redacted.make(url.href), maxConnections: connections })),
    Context.get(PgClient.PgClient)
  )

const pause = TestClock.withLive(Effect.sleep("5 millis"))

/** A business that was moved from one worker to another, while a session of the first continues to read its shipments. */
const movedAndRead = Effect.gen(function*() {
  const url = new URL(Redacted.value((yield* TestDatabase.createMigrated).url))
  const sql = yield* connect(url, 1)
  yield* sql`insert into dockline.business (slug, name) values ('acme', 'Acme')`
  const [place] = yield* sql<
    { readonly port: string; readonly table: string }
  >`select n.nodeport::text as port,
      'dockline.shipment_' || p.shardid as table
    from dockline.business b
    join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('dockline.shipment', b.id)
    join pg_dist_node n on n.groupid = p.groupid`
  const { port, table } = place!
  const other = inject("workerUrls").map((worker) => new URL(worker).port).find((each) => each !== port)!
  const moveTo = (to: string) =>
    Effect.provideService(
      Move.move("acme", `127.0.0.1:${to}`, () => Effect.void, false),
      SqlClient.SqlClient,
      sql
    )
  const worker = yield* connect(Object.assign(new URL(url), { port }), 2)
  const reader = yield* worker.reserve
  const read = (statement: string) => reader.executeUnprepared(statement, [], undefined)
  yield* read("begin")
  yield* read(`select from ${table}`)
  yield* moveTo(other)
  const back = yield* Effect.forkChild(Effect.exit(moveTo(port)))
  const dropsWait = (wanted: boolean) =>
    Effect.repeat(
      Effect.andThen(
        pause,
        worker<{ readonly waiting: boolean }>`select exists (select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query ilike 'drop table%') as waiting`
      ),
      { until: ([row]) => row!.waiting === wanted }
    )
  // Citus has tried to drop the table, and given up.
  yield* dropsWait(true)
  yield* dropsWait(false)
  return {
    port,
    table,
    endReading: read("commit"),
    // Ends the move back, while minutes pass.
    end: Effect.gen(function*() {
      while (back.pollUnsafe() === undefined) yield* Effect.andThen(TestClock.adjust("1 minute"), pause)
      return yield* Fiber.join(back)
    })
  }
})

describe("a move of a shard of which something was left", () => {
  it.effect("waits until it is not read any more", () =>
    Effect.gen(function*() {
      const { end, endReading } = yield* movedAndRead
      yield* endReading
      assert.isTrue((yield* end)._tag === "Success")
    }))

  it.effect("says what is left after a minute, and where", () =>
    Effect.gen(function*() {
      const { end, port, table } = yield* movedAndRead
      const refused = yield* Effect.flip(Effect.flatten(end))
      assert.strictEqual(
        refused.message,
        `127.0.0.1:${port} still has ${table}, which an earlier move left: it is in use, or the node is away; `
          + "see pg_locks there, end what holds it, and move the business again"
      )
    }))
})
