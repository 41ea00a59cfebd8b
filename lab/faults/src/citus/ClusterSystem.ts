/**
 * Two instances on a Citus cluster: a coordinator and two workers, each business on a worker. All of it belongs to one run, and
 * nothing of it is left when it is closed.
 */
import { businessId } from "@dockline/sql-storage/internal/rows/BusinessId"
import * as ClusterCheck from "@dockline/sql-storage/internal/schema/cluster/ClusterCheck"
import * as Distribute from "@dockline/sql-storage/internal/schema/cluster/Distribute"
import * as Migrations from "@dockline/sql-storage/Migrations"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { signal } from "../../../../packages/sql-storage/src/embedded/EmbeddedProcess.ts"
import * as Cluster from "../../../citus/Cluster.ts"
import type { Node } from "../../../citus/Cluster.ts"
import { attempt, inSession, query } from "../system/Database.ts"
import { standbyName } from "../system/PostgresServer.ts"
import { Served, startInstances } from "../system/Served.ts"
import type { ServedOptions, ServedParts } from "../system/Served.ts"
import type { System } from "../system/System.ts"
import { past, until } from "../Until.ts"

const database = "dockline"

/** More of them take longer to distribute, and show no more. */
const shards = 4

/** The businesses of the workload, by the worker that has them at first. */
export const businesses = ["acme", "globex"] as const

export type Business = (typeof businesses)[number]

/** Nodes settle what others left prepared this often, and no commit waits for a writer that writes late. */
const settings = { "citus.recover_2pc_interval": "2s", wal_writer_delay: "10s", shared_buffers: "32MB" }

/** How long a standby may take to confirm commits, in milliseconds. */
const joiningMillis = 20_000

const shardOf = (business: Business): string =>
  `get_shard_id_for_distribution_column('dockline.shipment', ${businessId(business)}::bigint)`

const placeOf = (business: Business): string =>
  `select nodename as host, nodeport as port from pg_dist_placement p
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where p.shardid = ${shardOf(business)}`

/** Makes a cluster with the schema laid out over it, which each run copies. */
export const makeClusterTemplate = async (folder: string, bin: string): Promise<void> => {
  mkdirSync(folder)
  const nodes = await Cluster.openIn(folder, { bin, workers: businesses.length, durable: false })
  const url = await Cluster.createDatabase(nodes, database)
  await Effect.runPromise(
    Effect.provide(
      Effect.andThen(Migrations.migrate, Distribute.distribute({ shards }, () => Effect.void, false)),
      PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
    )
  )
  // Nothing is in the shards yet.
  for (const [at, business] of businesses.entries()) {
    const [place] = await query<{ readonly host: string; readonly port: number }>(url, placeOf(business))
    const worker = nodes.workers[at]!
    if (place!.port === worker.port) continue
    await query(
      url,
      `select citus_move_shard_placement(${shardOf(business)}, '${place!.host}', ${place!.port},
        '${place!.host}', ${worker.port}, 'block_writes')`
    )
  }
  for (const node of [nodes.coordinator, ...nodes.workers]) await node.stop()
}

/** What it is started with. */
export interface ClusterOptions extends Omit<ServedOptions, "urlFor"> {
  readonly template: string
  /** The folder of PostgreSQL's programs. */
  readonly bin: string
}

/** A transaction whose second phase is awaited on a node. */
export interface Prepared {
  readonly gid: string
  /** The group of the node that leads it, and the number of the process there. */
  readonly group: number
  readonly pid: number
}

/** A cluster, and the instances on it. */
export class ClusterSystem extends Served implements System {
  readonly coordinator: Node
  readonly #options: ClusterOptions
  readonly #opened: AsyncDisposableStack
  readonly #workers: Array<Node>

  private constructor(
    options: ClusterOptions,
    opened: AsyncDisposableStack,
    [coordinator, ...workers]: ReadonlyArray<Node>,
    served: ServedParts
  ) {
    super(served)
    this.#options = options
    this.#opened = opened
    this.coordinator = coordinator!
    this.#workers = workers
  }

  /** Starts it on a copy of a template. */
  static async open(options: ClusterOptions): Promise<ClusterSystem> {
    const opened = new AsyncDisposableStack()
    try {
      const nodes: Array<Node> = []
      for (let at = 0; at <= businesses.length; at++) {
        const name = `node-${at}`
        execFileSync("cp", ["--archive", "--reflink=auto", join(options.template, name), options.folder])
        nodes.push(await startNode(options, name, opened))
      }
      const ports = nodes.map(({ port }, group) => `(${group}, ${port})`).join(", ")
      for (const node of nodes) {
        await query(
          node.url(database),
          `update pg_dist_node n set nodeport = p.port from (values ${ports}) as p(id, port) where n.groupid = p.id`
        )
      }
      const served = await startInstances({ ...options, urlFor: () => nodes[0]!.url(database) }, opened)
      return new ClusterSystem(options, opened, nodes, served)
    } catch (failure) {
      await opened.disposeAsync()
      throw failure
    }
  }

  get databaseUrl(): string {
    return this.coordinator.url(database)
  }

  get workers(): ReadonlyArray<Node> {
    return this.#workers
  }

  get nodes(): ReadonlyArray<Node> {
    return [this.coordinator, ...this.workers]
  }

  /** The worker that has a business. */
  async workerOf(business: Business): Promise<Node> {
    const [place] = await query<{ readonly port: number }>(this.databaseUrl, placeOf(business))
    return this.workers.find(({ port }) => port === place!.port)!
  }

  /** Moves a business as an operator does; says what the program said when it failed. */
  move(business: Business, to: Node): Promise<string | undefined> {
    const { folder, program } = this.#options
    const log = openSync(join(folder, "move.log"), "a")
    const child = spawn(process.execPath, [
      program.file,
      "business",
      "move",
      business,
      "--to",
      `127.0.0.1:${to.port}`
    ], {
      env: { PATH: process.env["PATH"] ?? "", DATABASE_URL: this.databaseUrl },
      stdio: ["ignore", log, "pipe"]
    })
    let text = ""
    child.stderr!.on("data", (chunk: Buffer) => (text += chunk.toString()))
    this.#opened.defer(() => void child.kill("SIGKILL"))
    return new Promise((resolve) => {
      child.once("close", (code, signal) => {
        appendFileSync(log, text)
        resolve(code === 0 ? undefined : `${signal ?? code}: ${text}`)
      })
    })
  }

  /** Freezes the process that leads a transaction of two nodes between its phases; `undefined` if it could not be done in time. */
  holdSecondPhase(on: Node, millis: number): Promise<Prepared | undefined> {
    const isOver = past(millis)
    const hunt = Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      // The server looks itself: a second phase comes within a millisecond.
      yield* sql.unsafe(`create function pg_temp.awaited() returns text language plpgsql as $$
        declare v_gid text;
        begin
          for n in 1..4000 loop
            select gid into v_gid from pg_prepared_xacts where gid ~ '^citus_[1-9]' limit 1;
            if found then return v_gid; end if;
            perform pg_sleep(0.0002);
          end loop;
          return null;
        end $$`)
      while (!isOver()) {
        const [found] = yield* sql.unsafe<{ readonly gid: string | null }>("select pg_temp.awaited() as gid")
        const gid = found!.gid
        if (gid === null) continue
        const [, group, pid] = gid.split("_")
        signal(Number(pid), "SIGSTOP")
        const still = yield* sql`select from pg_prepared_xacts where gid = ${gid}`
        if (still.length > 0) return { gid, group: Number(group), pid: Number(pid) }
        signal(Number(pid), "SIGCONT")
      }
      return undefined
    })
    return Effect.runPromise(inSession(on.url(database), hunt))
  }

  /** What is prepared anywhere. */
  async prepared(): Promise<ReadonlyArray<string>> {
    const all = await Promise.all(
      this.nodes.map((node) =>
        attempt<{ readonly gid: string }>(node.url(database), "select gid from pg_prepared_xacts")
      )
    )
    return all.flatMap((rows, at) => rows?.map(({ gid }) => gid) ?? [`node ${at} is away`])
  }

  /** Waits until nothing is prepared any more; says whether it came to be so. */
  isSettled(millis: number): Promise<boolean> {
    return until(async () => (await this.prepared()).length === 0, millis, 200)
  }

  /** What `dockline-server check` finds wrong with the cluster. */
  async problems(): Promise<ReadonlyArray<string>> {
    const state = await Effect.runPromise(Effect.scoped(Effect.provide(
      ClusterCheck.check,
      PgClient.layer({ url: Redacted.make(this.databaseUrl), maxConnections: 1 })
    )))
    return state?.problems ?? ["the schema is not distributed"]
  }

  /** Gives a worker a synchronous standby; returns it. */
  async standbyOf(worker: Node): Promise<Node> {
    const { bin, folder } = this.#options
    const name = "standby"
    const data = join(folder, name)
    const from = `host=127.0.0.1 port=${worker.port} user=postgres application_name=${standbyName}`
    await Cluster.tool(bin, "pg_basebackup", "-D", data, "-d", from, "-R", "-c", "fast", "--no-sync")
    const standby = await startNode(this.#options, name, this.#opened)
    const url = worker.url("postgres")
    await query(url, `alter system set synchronous_standby_names = '${standbyName}'`)
    await query(url, "select pg_reload_conf()")
    const joined = "select from pg_stat_replication where sync_state = 'sync'"
    if (await until(async () => (await query(url, joined)).length > 0, joiningMillis)) return standby
    throw new Error("the standby of a worker confirmed nothing")
  }

  /** Has the standby of a worker, which is gone, take its place. */
  async replace(worker: Node, standby: Node): Promise<void> {
    await query(standby.url("postgres"), "select pg_promote(true, 30)")
    await query(
      this.databaseUrl,
      `select citus_update_node(nodeid, '127.0.0.1', ${standby.port}) from pg_dist_node where nodeport = ${worker.port}`
    )
    this.#workers[this.#workers.indexOf(worker)] = standby
  }

  /** Stops everything. */
  close(): Promise<void> {
    return this.#opened.disposeAsync()
  }
}

/** Starts a node on its folder, which is gone at the end; what it said is kept beside it. */
const startNode = async (
  { bin, folder }: ClusterOptions,
  name: string,
  opened: AsyncDisposableStack
): Promise<Node> => {
  const data = join(folder, name)
  opened.defer(() => rmSync(data, { recursive: true, force: true }))
  const node = await Cluster.startNode({ bin, data, durable: true, further: settings })
  return opened.adopt(node, async (node) => {
    await node.kill()
    if (existsSync(folder)) writeFileSync(join(folder, `${name}.log`), node.output())
  })
}
