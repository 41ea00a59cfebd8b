/** The publishing of events on PostgreSQL; an unfinished transaction changes nothing (D24.5). */
import { EpcisStore } from "@dockline/epcis/domain/EpcisStore"
import { epcisSql } from "@dockline/epcis/storage/EpcisSql"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { aBusiness, aDraft, append } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { publishingSuite } from "../publish/Publishing.ts"

Suite.register(runner, publishingSuite, Sql.layerWith([epcisSql]), TestDatabase.layer)

layer(Layer.provideMerge(Sql.layerWith([epcisSql]), TestDatabase.layer), { excludeTestServices: true })(
  "a transaction that publishes",
  (it) => {
    it.effect("that does not end leaves the cursor where it was (D24.5)", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const store = yield* EpcisStore
        const business = yield* aBusiness
        yield* store.setSettings(business, { companyPrefixes: [], publishes: true })
        const [message] = yield* append(aDraft(business, 1))
        const own = Effect.map(
          store.behind(10_000),
          (all) => all.filter((each) => each.business === business)
        )
        const before = yield* own
        const step = { ...before[0]!, toId: message!.id, entries: [] }
        const end = yield* Effect.flip(
          sql.withTransaction(Effect.andThen(store.publish(step), Effect.fail("ended" as const)))
        )
        assert.strictEqual(end, "ended")
        assert.deepStrictEqual(yield* own, before)
        assert.isTrue(yield* store.publish(step))
        assert.deepStrictEqual(yield* own, [])
      }))
  }
)
