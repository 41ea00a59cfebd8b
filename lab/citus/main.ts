/**
 * `npm run test:citus -- --postgres FOLDER`: the suites of the ports and of the wire on a Citus cluster.
 *
 * FOLDER has the programs of a PostgreSQL with Citus, as `pg_config --bindir` prints it.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { parseArgs } from "node:util"
import * as Cluster from "./Cluster.ts"

/** The tests that depend on the database and also hold on a cluster. */
const suites = [
  "packages/sql-storage/test/stores",
  "packages/sql-storage/test/day",
  "packages/sql-storage/test/exceptions",
  "packages/sql-storage/test/skus",
  "packages/sql-storage/test/trace",
  "packages/sql-storage/test/MovementRaces.test.ts",
  "packages/sql-storage/test/OperatorRaces.test.ts",
  "packages/sql-storage/test/Retention.test.ts",
  "packages/sql-storage/test/Stamps.test.ts",
  "packages/edi/test/exchange/Apart.test.ts",
  "packages/edi/test/storage",
  "packages/alerts/test/storage",
  "packages/epcis/test/storage",
  "test/storage",
  "test/http",
  "test/graphql",
  "lab/citus/test",
  "lab/faults/test/Database.test.ts"
]

/** These tests check properties of a single PostgreSQL (README). */
const ofOnePostgres = [
  // Numbers of transactions
  "go alone where a lock is taken, or they are large",
  "of two with one key in a batch",
  "share transactions",
  // Counts of statements
  "are two statements",
  "is that of what they concern",
  "costs the same number of statements",
  "two statements at most",
  // Rows are inserted by hand with ids of the only sequence
  "that has its id and not its row yet",
  "are dropped while others write to the log",
  "of other logs are dropped while one is held",
  "up to the mark of a log are dropped",
  "of other endpoints is dropped while one is held",
  // Ids follow each other without a gap
  "are all written before the log is locked",
  // Idempotency keys have no guard against a jump of the clock on a cluster (docs/operations/cluster.md)
  "are done once though the clocks of the database and of the instance have jumped",
  // Only the connection to the coordinator is cut
  "calls fail with StorageUnavailable, leave nothing"
]

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: "string" }, workers: { type: "string", default: "2" } }
})

const bin = values.postgres
const reason = Cluster.leftOut(bin)
if (bin === undefined || reason !== undefined) {
  console.log(reason)
} else {
  await using cluster = await Cluster.open({ bin, workers: Number(values.workers), durable: false })
  const child = spawn(process.execPath, [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config=lab/citus/vitest.config.ts",
    "--exclude",
    "**/DatabaseAway.test.ts",
    "--exclude",
    "**/*Cost.test.ts",
    "--testNamePattern",
    `^(?!.*(?:${ofOnePostgres.join("|")}))`,
    ...(positionals.length > 0 ? positionals : suites)
  ], {
    env: {
      ...process.env,
      TEST_POSTGRES_URL: cluster.coordinator.url("postgres"),
      TEST_POSTGRES_WORKERS: cluster.workers.map((worker) => worker.url("postgres")).join(",")
    },
    stdio: "inherit"
  })
  const [code] = await once(child, "close")
  process.exitCode = Number(code ?? 1)
}
