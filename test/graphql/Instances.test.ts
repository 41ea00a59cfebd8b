/**
 * Two instances on one PostgreSQL behave as one service (D12.4).
 */
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Scope } from "effect"
import { GraphqlServer, layerSql } from "../support/GraphqlServer.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { TestServer } from "../support/TestServer.ts"
import { history } from "./Sample.ts"
import type { HistoryData } from "./Sample.ts"
import { everyReaderSeesEverything } from "./Writers.ts"
import type { Server } from "./Writers.ts"

/** Two servers with their own connections to one database. */
class Instances extends Context.Service<Instances, {
  readonly first: Server
  readonly second: Server
}>()("test/Instances") {
  static readonly layer = Layer.effect(
    Instances,
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      const { url } = yield* TestDatabase.createMigrated
      const database = () => Database.layer({ ...Database.defaultDatabaseConfig, url })
      yield* Layer.buildWithMemoMap(
        Migrations.layer.pipe(Layer.provide(database())),
        Layer.makeMemoMapUnsafe(),
        scope
      )
      // They share only the database.
      const start = (scope: Scope.Scope) =>
        Layer.buildWithMemoMap(layerSql().pipe(Layer.provide(database())), Layer.makeMemoMapUnsafe(), scope)
      return Instances.of({ first: yield* start(scope), second: yield* start(scope) })
    })
  )
}

layer(Instances.layer, { excludeTestServices: true })("D12.4 two instances on one PostgreSQL", (it) => {
  it.effect("8 writers on one, all kinds of readers on the other, each message once and in order", () =>
    Effect.gen(function*() {
      const { first, second } = yield* Instances
      const { messages } = yield* everyReaderSeesEverything(
        { appends: 100, posts: 20 },
        first,
        second
      )
      assert.strictEqual(messages, 8 * 120)
    }))

  it.effect("a token of one is good on the other, and history is the same", () =>
    Effect.gen(function*() {
      const { first, second } = yield* Instances
      const token = yield* Context.get(first, TestServer).token("acme-client")
      const { query, variables } = history({ limit: 50 })
      const [here, there] = [Context.get(first, GraphqlServer), Context.get(second, GraphqlServer)]
      const other = yield* there.fetch({
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify({ query, variables })
      }, null)
      assert.strictEqual(other.status, 200)
      assert.strictEqual((other.data as HistoryData).pushMessages.length, 50)
      assert.deepStrictEqual((yield* here.execute(history({ limit: 50 }))).data, other.data)
    }))
})
