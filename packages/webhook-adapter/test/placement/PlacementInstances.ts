/**
 * Instances of a service that share partitions: several in this process, with connections of their own.
 */
import * as Database from "@dockline/sql-storage/connections/Database"
import type { InvalidPostgresUrl } from "@dockline/sql-storage/connections/PostgresUrl"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as ClusterPlacement from "@dockline/webhook-adapter/placement/ClusterPlacement"
import { Placement } from "@dockline/webhook-adapter/placement/Placement"
import { Effect, Exit, Layer, Scope } from "effect"
import type { Redacted } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { PlacementLedger } from "./PlacementLedger.ts"

/** How long the work of a partition takes to end. */
const endingMillis = 200

/** How an instance may fail to connect. */
type ConnectError = SqlError.SqlError | Migrations.MigrateError | InvalidPostgresUrl

/** As few connections as placement can live on: the one that it keeps, and one for everything else. */
export const connections = (url: Redacted.Redacted): Layer.Layer<SqlClient.SqlClient, ConnectError> =>
  Layer.provideMerge(
    Migrations.layer,
    Database.layer({ ...Database.defaultDatabaseConfig, maxConnections: 1, url })
  )

/** Starts an instance. It stops with the scope, or by `stop`, which waits until its work has ended. */
export const start = Effect.fnUntraced(function*<E>(
  name: string,
  ledger: PlacementLedger,
  database: Layer.Layer<SqlClient.SqlClient, E>
) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const work = (partition: number) =>
    Effect.acquireUseRelease(
      Effect.sync(() => ledger.start(name, partition)),
      () => Effect.never,
      () => Effect.andThen(Effect.sleep(endingMillis), Effect.sync(() => ledger.stop(name, partition)))
    )
  yield* Placement.pipe(
    Effect.flatMap(({ run }) => Effect.forkScoped(run(work))),
    Effect.provide(
      yield* Scope.provide(
        Layer.build(Layer.fresh(Layer.provide(ClusterPlacement.layer(), database))),
        scope
      )
    ),
    Scope.provide(scope)
  )
  return { stop: Scope.close(scope, Exit.void) }
})
