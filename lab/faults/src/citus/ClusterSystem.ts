/**
 * Two instances on a Citus cluster: a coordinator and two workers, each business on a worker. All of it belongs to one run, and is gone
 * when it is closed.
 */
import { sqlCapabilities } from "@dockline/server/Capabilities"
import { businessId } from "@dockline/sql-storage/rows/BusinessRows"
import * as ClusterCheck from "@dockline/sql-storage/schema/cluster/ClusterCheck"
import * as Distribute from "@dockline/sql-storage/schema/cluster/Distribute"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { signal } from "../../../../packages/sql-storage/src/embedded/EmbeddedProcess.ts"
import * as Cluster from "../../../citus/Cluster.ts"
import type { Node } from "../../../citus/Cluster.ts"
import type { Scene } from "../run/Play.ts"
import { attempt, inSession, query } from "../system/Database.ts"
import { awaitStandby, copy, standbyName } from "../system/PostgresServer.ts"
import { startInstances } from "../system/Served.ts"
import { past, until } from "../Until.ts"

const database = "dockline"

/** The number of shards: more of them take longer to distribute, and show no more. */
const shards = 4

export const businesses = ["acme", "globex"] as const

export type Business = (typeof businesses)[number]

/** Nodes settle prepared transactions of others this often, and no commit waits for a writer that writes late. */
const settings = { "citus.recover_2pc_interval": "2s", wal_writer_delay: "10s", shared_buffers: "32MB" }

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
  await inSession(
    url,
    Effect.andThen(
      Migrations.migrateWith(sqlCapabilities),
      Distribute.distribute({ shards, capabilities: sqlCapabilities }, () => Effect.void, false)
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

/** A transaction that waits for its second phase on a node: the group of the node that leads it, and its process there. */
interface Prepared {
  readonly gid: string
  readonly group: number
  readonly pid: number
}

/** The server checks this itself, because a second phase comes within a millisecond. */
const awaited = `create function pg_temp.awaited() returns text language plpgsql as $$
  declare v_gid text;
  begin
    for n in 1..4000 loop
      select gid into v_gid from pg_prepared_xacts where gid ~ '^citus_[1-9]' limit 1;
      if found then return v_gid; end if;
      perform pg_sleep(0.0002);
    end loop;
    return null;
  end $$`

/** Freezes the process that leads a transaction of two nodes between its phases; `undefined` if it could not be done in time. */
const holdSecondPhase = (on: Node, millis: number): Promise<Prepared | undefined> => {
  const isOver = past(millis)
  return inSession(
    on.url(database),
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(awaited)
      while (!isOver()) {
        const [found] = yield* sql.unsafe<{ readonly gid: string | null }>("select pg_temp.awaited() as gid")
        const gid = found!.gid
        if (gid === null) continue
        const [, group, pid] = gid.split("_").map(Number)
        signal(pid!, "SIGSTOP")
        const still = yield* sql`select from pg_prepared_xacts where gid = ${gid}`
        if (still.length > 0) return { gid, group: group!, pid: pid! }
        signal(pid!, "SIGCONT")
      }
      return undefined
    })
  )
}

export type ClusterSystem = Awaited<ReturnType<typeof openCluster>>

/** Starts it on a copy of a template. */
export const openCluster = async (scene: Scene, settings: Readonly<Record<string, string>>) => {
  const { opened, options: { folder, postgres, program, template } } = scene
  const bin = postgres!
  const nodes: Array<Node> = []
  for (let at = 0; at <= businesses.length; at++) {
    copy(join(template, `node-${at}`), folder)
    nodes.push(await startNode(scene, `node-${at}`))
  }
  const ports = nodes.map(({ port }, group) => `(${group}, ${port})`).join(", ")
  for (const node of nodes) {
    await query(
      node.url(database),
      `update pg_dist_node n set nodeport = p.port from (values ${ports}) as p(id, port) where n.groupid = p.id`
    )
  }
  const [coordinator, ...workers] = nodes as [Node, ...Array<Node>]
  const databaseUrl = coordinator.url(database)
  const served = await startInstances(scene, () => databaseUrl, settings)

  /** The prepared transactions on all nodes. */
  const prepared = async (): Promise<ReadonlyArray<string>> => {
    const all = await Promise.all(
      [coordinator, ...workers].map((node) =>
        attempt<{ readonly gid: string }>(node.url(database), "select gid from pg_prepared_xacts")
      )
    )
    return all.flatMap((rows, at) => rows?.map(({ gid }) => gid) ?? [`node ${at} is away`])
  }
  return {
    ...served,
    databaseUrl,
    coordinator,
    workers,
    holdSecondPhase,
    prepared,
    /** The worker that has a business. */
    workerOf: async (business: Business): Promise<Node> => {
      const [place] = await query<{ readonly port: number }>(databaseUrl, placeOf(business))
      return workers.find(({ port }) => port === place!.port)!
    },
    /** Moves a business as an operator does; says what the program said when it failed. */
    move: (business: Business, to: Node): Promise<string | undefined> =>
      new Promise((resolve) => {
        const args = [program.file, "business", "move", business, "--to", `127.0.0.1:${to.port}`]
        const env = { PATH: process.env["PATH"] ?? "", DATABASE_URL: databaseUrl }
        const child = execFile(process.execPath, args, { env }, (failure, output, errors) => {
          appendFileSync(join(folder, "move.log"), output + errors)
          resolve(failure === null ? undefined : `${failure.signal ?? failure.code}: ${errors}`)
        })
        opened.defer(() => void child.kill("SIGKILL"))
      }),
    /** Waits until nothing is prepared any more; says whether it came to be so. */
    isSettled: (millis: number): Promise<boolean> =>
      until(async () => (await prepared()).length === 0, millis, 200),
    /** What `dockline-server check` finds wrong with the cluster. */
    problems: async (): Promise<ReadonlyArray<string>> =>
      (await inSession(databaseUrl, ClusterCheck.check(sqlCapabilities)))?.problems ??
        ["the schema is not distributed"],
    /** Gives a worker a synchronous standby; returns it. */
    standbyOf: async (worker: Node): Promise<Node> => {
      const data = join(folder, "standby")
      const from = `host=127.0.0.1 port=${worker.port} user=postgres application_name=${standbyName}`
      await Cluster.tool(bin, "pg_basebackup", "-D", data, "-d", from, "-R", "-c", "fast", "--no-sync")
      const standby = await startNode(scene, "standby")
      await awaitStandby((statement) => query(worker.url("postgres"), statement))
      return standby
    },
    /** Has the standby of a worker, which is gone, take its place. */
    replace: async (worker: Node, standby: Node): Promise<void> => {
      await query(standby.url("postgres"), "select pg_promote(true, 30)")
      await query(
        databaseUrl,
        `select citus_update_node(nodeid, '127.0.0.1', ${standby.port}) from pg_dist_node where nodeport = ${worker.port}`
      )
      workers[workers.indexOf(worker)] = standby
    }
  }
}

/** Starts a node on its folder, which is gone at the end; what it said is kept beside it. */
const startNode = async ({ opened, options: { folder, postgres } }: Scene, name: string): Promise<Node> => {
  const data = join(folder, name)
  opened.defer(() => rmSync(data, { recursive: true, force: true }))
  const node = await Cluster.startNode({ bin: postgres!, data, durable: true, further: settings })
  return opened.adopt(node, async (node) => {
    await node.kill()
    if (existsSync(folder)) writeFileSync(join(folder, `${name}.log`), node.output())
  })
}
