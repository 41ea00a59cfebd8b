import { partitionCount } from "@dockline/core/webhooks/DeliveryStore"
import * as ClusterPlacement from "@dockline/webhook-adapter/placement/ClusterPlacement"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseWay } from "../../../../test/support/database/DatabaseWay.ts"
import { layer as layerWay, whileAway } from "../../../../test/support/database/DatabaseWay.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { connections, start } from "./PlacementInstances.ts"
import { PlacementLedger } from "./PlacementLedger.ts"

describe("instances on one database (D12.4)", () => {
  it.live(
    "that start together, on an empty one too, share the partitions evenly, and never run one twice at once",
    () =>
      Effect.gen(function*() {
        const { url } = yield* TestDatabase.create
        const ledger = new PlacementLedger()
        const names = ["a", "b", "c", "d"]
        yield* Effect.forEach(names, (name) => start(name, ledger, connections(url)), {
          concurrency: "unbounded"
        })
        yield* ledger.untilShared(...names)
        assert.deepStrictEqual(ledger.overlaps, [])
      })
  )

  it.live(
    "hand partitions to one that comes, and take those of one that stops within 2 s, after its work has ended",
    () =>
      Effect.gen(function*() {
        const { url } = yield* TestDatabase.create
        const ledger = new PlacementLedger()
        const first = yield* start("a", ledger, connections(url))
        yield* ledger.untilShared("a")
        yield* start("b", ledger, connections(url))
        yield* ledger.untilShared("a", "b")
        yield* first.stop
        yield* ledger.untilShared("b")
        assert.deepStrictEqual(ledger.overlaps, [])
        assert.strictEqual(ledger.countOf("a"), 0)
      })
  )

  it.live("give a partition up when the lease of it is gone, and get it back", () =>
    Effect.gen(function*() {
      const { url } = yield* TestDatabase.create
      const ledger = new PlacementLedger()
      yield* start("a", ledger, connections(url))
      yield* ledger.untilShared("a")
      yield* Effect.provide(
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const ended = yield* sql`delete from dockline.placement_locks returning shard_id`
          assert.lengthOf(ended, partitionCount)
        }),
        connections(url)
      )
      yield* ledger.until(() => ledger.countOf("a") === 0)
      yield* ledger.untilShared("a")
      assert.strictEqual(ledger.starts, 2 * partitionCount)
    }))

  it.live(
    "run nothing while it is away, and everything again after its return",
    () =>
      Effect.gen(function*() {
        const ledger = new PlacementLedger()
        const database = yield* Effect.context<SqlClient.SqlClient | DatabaseWay>()
        yield* start("a", ledger, Layer.succeedContext(database))
        yield* ledger.untilShared("a")
        yield* whileAway(ledger.until(() => ledger.countOf("a") === 0))
        yield* ledger.untilShared("a")
        assert.deepStrictEqual(ledger.overlaps, [])
      }).pipe(Effect.scoped, Effect.provide(layerWay))
  )

  it.live(
    "keep what they know of each other in our schema, and nothing of those that died",
    () =>
      Effect.gen(function*() {
        const { url } = yield* TestDatabase.create
        const elsewhere = new URL(Redacted.value(url))
        // Else tables without a schema are found in the one that is named as the user is.
        elsewhere.searchParams.set("options", "-c search_path=public")
        yield* Effect.provide(keptInOurSchema, connections(Redacted.make(elsewhere.href)))
      })
  )
})

const keptInOurSchema = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const placement = Layer.fresh(ClusterPlacement.layer())
  yield* Effect.scoped(Layer.build(placement))
  yield* sql`insert into dockline.placement_runners (address, runner, last_heartbeat)
    values ('dead:0', '{}', now() - interval '1 minute'), ('alive:0', '{}', now())`
  // While it runs: one that stops sweeps up as well.
  const addresses = yield* Effect.scoped(Effect.andThen(
    Layer.build(placement),
    sql<{ readonly address: string }>`select address from dockline.placement_runners`
  ))
  assert.includeDeepMembers([...addresses], [{ address: "alive:0" }])
  assert.notDeepInclude([...addresses], { address: "dead:0" })
})
