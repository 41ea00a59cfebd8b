/**
 * A Citus cluster on this machine: a coordinator and workers, each a PostgreSQL of its own on a free port.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { postgresProcessesOf, signal } from "../../packages/sql-storage/src/embedded/EmbeddedProcess.ts"
import { start } from "../../test/deploy/Debian.ts"
import type { Running } from "../../test/deploy/Debian.ts"
import { eventually } from "../../test/support/Eventually.ts"
import { freePort } from "../../test/support/ProgramSettings.ts"

/** Whether to drop root's rights: PostgreSQL refuses root, so it runs in a user namespace, where the files keep their owner. */
const unprivileged = process.getuid?.() === 0
  ? ["unshare", "--user", "--map-user=65534", "--map-group=65534", "--"]
  : []

/** The settings that nodes need: two-phase commits, and logical replication for moves. */
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
  // A few connections query sixteen shards at once.
  "citus.max_adaptive_executor_pool_size": "4"
}

/** Settings for speed: nothing of the cluster outlives the run, unless the test is about a crash. */
const hasty = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" }

/** A node of a cluster. */
export interface Node {
  readonly port: number
  /** Its data folder. */
  readonly data: string
  readonly url: (database: string) => string
  /** Its output. */
  readonly output: () => string
  /** Ends all its processes at once. */
  readonly kill: () => Promise<void>
  /** Ends it in order. */
  readonly stop: () => Promise<void>
  readonly begin: () => Promise<void>
}

/** The nodes of a cluster. */
export interface Nodes {
  readonly coordinator: Node
  readonly workers: ReadonlyArray<Node>
}

/** A running cluster. */
export interface Cluster extends Nodes {
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Options of a cluster. */
export interface ClusterOptions {
  /** The folder of PostgreSQL's programs, of an installation that has Citus. */
  readonly bin: string
  readonly workers: number
  /** Whether committed data survives the killing of a node. */
  readonly durable: boolean
}

/** Options of a node. */
export interface NodeOptions extends Pick<ClusterOptions, "bin" | "durable"> {
  /** An initialised data folder. */
  readonly data: string
  /** Settings beside those of every node. */
  readonly further?: Readonly<Record<string, string>>
}

/** The reason why no cluster can be made with the programs of a folder; `undefined` if one can. */
export const leftOut = (bin: string | undefined): string | undefined => {
  if (bin !== undefined && existsSync(join(bin, "postgres")) && hasCitus(bin)) return undefined
  const what = bin ?? "no --postgres FOLDER"
  return `Left out: ${what} has no PostgreSQL with Citus. Build Citus 13 from its source (lab/citus/README.md), `
    + "and name the folder of its programs."
}

const hasCitus = (bin: string): boolean => {
  const libraries = execFileSync(join(bin, "pg_config"), ["--pkglibdir"], { encoding: "utf8" }).trim()
  return [libraries, join(bin, "../lib")].some((folder) => existsSync(join(folder, "citus.so")))
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

/** Runs one of PostgreSQL's programs to its end. */
export const tool = async (bin: string, name: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const [first, ...rest] = [...unprivileged, join(bin, name), ...args]
  const { child, output } = start(first!, rest, { cwd: tmpdir() })
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(output())
}

/** Starts a node on a free port. */
export const startNode = async ({ bin, data, durable, further = {} }: NodeOptions): Promise<Node> => {
  const port = await freePort()
  const all = { ...settings, ...(durable ? {} : hasty), ...further }
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const lives: Array<Running> = []
  let running: Running | undefined
  const begin = async () => {
    const args = [join(bin, "postgres"), "-D", data, "-p", String(port), "-k", data, ...flags]
    const [first, ...rest] = [...unprivileged, ...args]
    const server = start(first!, rest, { cwd: data, detached: true })
    lives.push(server)
    running = server
    await eventually("PostgreSQL is ready", () => {
      if (server.child.exitCode !== null) throw new Error(server.output())
      return /ready to accept (?:read-only )?connections/.test(server.output())
    })
  }
  const end = async (how: (pid: number) => void) => {
    if (running === undefined) return
    const { child } = running
    running = undefined
    const closed = once(child, "close")
    how(child.pid!)
    await closed
  }
  await begin()
  return {
    port,
    data,
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    output: () => lives.map(({ output }) => output()).join(""),
    kill: () =>
      end((pid) => {
        // No process may notice another's end: the first one starts no others while it is frozen.
        signal(pid, "SIGSTOP")
        const others = postgresProcessesOf(realpathSync(data)).filter((each) => each !== pid)
        for (const each of [...others, pid]) signal(each, "SIGKILL")
      }),
    stop: () => end((pid) => signal(pid, "SIGINT")),
    begin
  }
}

/** Makes a database that is a cluster: with Citus on each node, and with the workers registered at the coordinator. */
export const createDatabase = async (
  { coordinator, workers }: Nodes,
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

/** Starts a cluster in an empty folder. */
export const openIn = async (
  folder: string,
  { bin, durable, workers: count }: ClusterOptions
): Promise<Nodes> => {
  const template = join(folder, "template")
  const how = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
  await tool(bin, "initdb", "-D", template, ...how)
  const nodes: Array<Node> = []
  for (let at = 0; at <= count; at++) {
    const data = join(folder, `node-${at}`)
    cpSync(template, data, { recursive: true })
    chmodSync(data, 0o700)
    nodes.push(await startNode({ bin, data, durable }))
  }
  const [coordinator, ...workers] = nodes
  return { coordinator: coordinator!, workers }
}

/** Starts a cluster. */
export const open = async (options: ClusterOptions): Promise<Cluster> => {
  const folder = mkdtempSync(join(tmpdir(), "dockline-citus-"))
  const nodes = await openIn(folder, options)
  return {
    ...nodes,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([nodes.coordinator, ...nodes.workers].map(({ kill }) => kill()))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
