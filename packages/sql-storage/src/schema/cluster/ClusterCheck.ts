/** Looks at the nodes of a cluster for what would go wrong. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { clusterDefinitions } from "./ClusterDefinitions.ts"
import { citusVersion, layout, schemaOf } from "./Layout.ts"
import { sequences } from "./Names.ts"

/** What a node says of itself. */
interface Facts {
  readonly node: string
  readonly success: boolean
  readonly result: string
}

/** A node, as JSON of the statement below. */
interface NodeFacts {
  readonly citus: string
  readonly postgres: string
  readonly prepared: number
  readonly wal: string
  readonly functions: number
  readonly sequences: number
  readonly leftOver: number
}

/** A cluster as it is found. */
export interface ClusterState {
  readonly version: string
  readonly nodes: number
  readonly shards: number
  /** What is wrong, with what to do. */
  readonly problems: ReadonlyArray<string>
}

/** How long a transaction may be prepared; Citus ends those of nodes that died within a minute. */
const longPrepared = "5 minutes"

/** The state of the cluster; `undefined` where the schema is not distributed. */
export const check: Effect.Effect<ClusterState | undefined, SqlError.SqlError, SqlClient.SqlClient> = Effect
  .gen(
    function*() {
      const sql = yield* SqlClient.SqlClient
      const laid = yield* layout
      if (laid === undefined) return undefined
      const version = (yield* citusVersion)!
      const schemas = laid.shards.map(schemaOf).map((name) => `'${name}'`).join(", ")
      const rows = yield* sql<Facts>`select n.nodename || ':' || n.nodeport as node, r.success, r.result
      from run_command_on_all_nodes(${`select json_build_object(
          'citus', (select extversion from pg_extension where extname = 'citus'),
          'postgres', current_setting('server_version'),
          'prepared', current_setting('max_prepared_transactions')::int,
          'wal', current_setting('wal_level'),
          'functions', (select count(*) from pg_proc where pronamespace::regnamespace::text in (${schemas})),
          'sequences', (select count(*) from pg_sequences where schemaname in (${schemas})),
          'leftOver', (select count(*) from pg_prepared_xacts
            where database = current_database() and prepared < now() - interval '${longPrepared}'))`}) as r join pg_dist_node n on n.nodeid = r.nodeid order by n.groupid`
      const inactive = yield* sql<
        { readonly node: string }
      >`select nodename || ':' || nodeport as node from pg_dist_node
      where noderole = 'primary' and not (isactive and hasmetadata and metadatasynced)`
      const problems = inactive.map(({ node }) =>
        `${node} does not have the metadata of the cluster; run select citus_activate_node(host, port) on the coordinator`
      )
      const wanted = clusterDefinitions(laid).filter(({ name }) => name.includes(".")).length
      for (const [at, { node, result, success }] of rows.entries()) {
        if (!success) {
          problems.push(`${node} cannot be reached: ${result}`)
          continue
        }
        const facts = JSON.parse(result) as NodeFacts
        if (facts.citus !== version) {
          problems.push(`${node} has Citus ${facts.citus}, and the coordinator ${version}; update it`)
        }
        if (facts.prepared === 0) {
          problems.push(`${node} has max_prepared_transactions = 0; set it to max_connections`)
        }
        if (facts.wal !== "logical") {
          problems.push(
            `${node} has wal_level = ${facts.wal}; set it to logical, so that businesses can be moved`
          )
        }
        const lacks = at > 0 && facts.sequences < laid.shards.length * sequences.length
        if (facts.functions < wanted || lacks) {
          problems.push(
            `${node} lacks functions or sequences of shards; run dockline-server migrate --distribute`
          )
        }
        if (facts.leftOver > 0) {
          problems.push(
            `${node} has ${facts.leftOver} transactions that have been prepared for more than ${longPrepared} and hold locks; `
              + "see pg_prepared_xacts there, and run select recover_prepared_transactions() on the coordinator"
          )
        }
      }
      return { version, nodes: rows.length, shards: laid.shards.length, problems }
    }
  )
