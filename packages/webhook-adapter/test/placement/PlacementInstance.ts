/**
 * An instance of a service as a process of its own, that runs partitions and does nothing else, to be killed by a test.
 *
 * It writes a line for each partition that it starts or stops: `+` or `-`, and the partition.
 */
import * as Database from "@dockline/sql-storage/Database"
import * as ClusterPlacement from "@dockline/webhook-adapter/ClusterPlacement"
import { Placement } from "@dockline/webhook-adapter/Placement"
import { Effect, Layer, Logger, Redacted } from "effect"
import { writeSync } from "node:fs"

const tell = (sign: "+" | "-", partition: number) =>
  Effect.sync(() => {
    writeSync(1, `${sign}${partition}\n`)
  })

const database = Database.layer({
  ...Database.defaultDatabaseConfig,
  maxConnections: 1,
  url: Redacted.make(process.env["DATABASE_URL"]!)
})

await Effect.flatMap(
  Placement,
  ({ run }) =>
    run((partition) =>
      Effect.acquireUseRelease(tell("+", partition), () => Effect.never, () => tell("-", partition))
    )
).pipe(
  Effect.provide(ClusterPlacement.layer().pipe(Layer.provide(database))),
  Effect.provide(Logger.layer([])),
  Effect.runPromise
)
