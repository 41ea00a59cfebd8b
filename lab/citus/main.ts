/**
 * `npm run test:citus -- --postgres FOLDER`: the suites of the ports and of the wire on a Citus cluster.
 *
 * FOLDER is that of the programs of a PostgreSQL that has Citus, as `pg_config --bindir` tells it.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { parseArgs } from "node:util"
import * as Cluster from "./Cluster.ts"

/** What depends on the database and holds on a cluster too. */
const suites = [
  "packages/sql-storage/test/stores",
  "packages/sql-storage/test/deliveries/DeliveryModel.test.ts",
  "test/storage",
  "test/http",
  "test/graphql",
  "lab/citus/test"
]

/**
 * What these tests look at is of one PostgreSQL: locks of rows that the test takes itself, counts of statements, the way to the
 * coordinator that they cut, and ids that are those of another storage.
 */
const ofOnePostgres = [
  "a client that goes away leaves the key",
  "a database session that is killed midway",
  "D5 the same answers on memory and on PostgreSQL",
  "while the first runs the key is in use",
  "leaves connections to",
  "costs the same number of statements",
  "two statements at most",
  "are two statements",
  "waits for the lock of its shipment"
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
