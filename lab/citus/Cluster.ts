/**
 * A Citus cluster on this machine: a coordinator and workers, each a PostgreSQL of its own on a free port.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { start } from "../../test/deploy/Debian.ts"
import type { Running } from "../../test/deploy/Debian.ts"
import { eventually } from "../../test/support/Eventually.ts"
import { freePort } from "../../test/support/ServerProcess.ts"

/** PostgreSQL refuses root, which has another number in a user namespace, where files stay its own. */
const unprivileged = process.getuid?.() === 0
  ? ["unshare", "--user", "--map-user=65534", "--map-group=65534", "--"]
  : []

/** What nodes need: two-phase commits, and logical replication for moves. */
const settings = {
  listen_addresses: "127.0.0.1",
  shared_preload_libraries: "citus",
  wal_level: "logical",
  max_connections: "300",
  max_prepared_transactions: "300",
  max_wal_senders: "20",
  max_replication_slots: "20",
  max_logical_replication_workers: "20",
  max_worker_processes: "64",
  // Sixteen shards are asked at once by a few connections.
  "citus.max_adaptive_executor_pool_size": "4"
}

/** Nothing of the cluster outlives the run, unless it is about what outlives a crash. */
const hasty = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" }

/** A node of a cluster. */
export interface Node {
  readonly port: number
  readonly url: (database: string) => string
  readonly kill: () => Promise<void>
  readonly begin: () => Promise<void>
}

/** A running cluster. */
export interface Cluster {
  readonly coordinator: Node
  readonly workers: ReadonlyArray<Node>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** How a cluster is made. */
export interface ClusterOptions {
  /** The folder of PostgreSQL's programs, of an installation that has Citus. */
  readonly bin: string
  readonly workers: number
  /** Whether what was committed outlives a node that is killed. */
  readonly durable: boolean
}

/** Runs statements in a database, one after another. */
export const run = async <Row extends object = object>(
  url: string,
  ...statements: ReadonlyArray<string>
): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(Effect.scoped(
    Effect.flatMap(PgClient.PgClient, (sql) =>
      Effect.forEach(statements, (statement) => sql.unsafe<Row>(statement))).pipe(
        Effect.map((answers) =>
          answers.at(-1) ?? []
        ),
        Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
      )
  ))

const startNode = async (bin: string, data: string, durable: boolean): Promise<Node> => {
  const port = await freePort()
  const flags = Object.entries({ ...settings, ...(durable ? {} : hasty) }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`
  ])
  let running: Running | undefined
  const begin = async () => {
    const [first, ...rest] = [
      ...unprivileged,
      join(bin, "postgres"),
      "-D",
      data,
      "-p",
      String(port),
      "-k",
      data,
      ...flags
    ]
    const server = start(first!, rest, { cwd: data, detached: true })
    running = server
    await eventually("PostgreSQL is ready", () => {
      if (server.child.exitCode !== null) throw new Error(server.output())
      return server.output().includes("ready to accept connections")
    })
  }
  await begin()
  return {
    port,
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    kill: async () => {
      if (running === undefined) return
      const { child } = running
      running = undefined
      const closed = once(child, "close")
      process.kill(-child.pid!, "SIGKILL")
      await closed
    },
    begin
  }
}

/** Makes a database that is a cluster: Citus on each node, and the workers known to the coordinator. */
export const createDatabase = async (
  { coordinator, workers }: Omit<Cluster, typeof Symbol.asyncDispose>,
  name: string
) => {
  for (const node of [coordinator, ...workers]) {
    await run(node.url("postgres"), `create database ${name}`)
    await run(node.url(name), "create extension citus")
  }
  await run(
    coordinator.url(name),
    `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...workers.map(({ port }) => `select citus_add_node('127.0.0.1', ${port})`)
  )
  return coordinator.url(name)
}

/** Starts a cluster. */
export const open = async ({ bin, durable, workers: count }: ClusterOptions): Promise<Cluster> => {
  const folder = mkdtempSync(join(tmpdir(), "dockline-citus-"))
  const template = join(folder, "template")
  const [first, ...rest] = [
    ...unprivileged,
    join(bin, "initdb"),
    "-D",
    template,
    "-U",
    "postgres",
    "-A",
    "trust"
  ]
  const init = start(first!, [...rest, "-E", "UTF8", "--locale=C", "--no-sync"], { cwd: folder })
  if (await once(init.child, "close").then(([code]) => code) !== 0) throw new Error(init.output())
  const nodes: Array<Node> = []
  for (let at = 0; at <= count; at++) {
    const data = join(folder, `node-${at}`)
    cpSync(template, data, { recursive: true })
    chmodSync(data, 0o700)
    nodes.push(await startNode(bin, data, durable))
  }
  const [coordinator, ...workers] = nodes
  return {
    coordinator: coordinator!,
    workers,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(nodes.map(({ kill }) => kill()))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
