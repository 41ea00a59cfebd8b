/** Checks the nodes of a cluster for problems. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { callsOf } from "../../connections/Statements.ts"
import type * as SqlCapability from "../SqlCapability.ts"
import { schemaOf as sqlSchemaOf } from "../SqlSchema.ts"
import { clusterDefinitions } from "./ClusterDefinitions.ts"
import { citusVersion, faultOfRelease, layout, schemaOf } from "./Layout.ts"

const AnswerRow = Schema.Struct({ node: Schema.String, success: Schema.Boolean, result: Schema.String })

/** The facts that a node reports, as JSON. */
const NodeFacts = Schema.Struct({
  citus: Schema.String,
  release: Schema.String,
  prepared: Schema.Int,
  wal: Schema.String,
  functions: Schema.Int,
  sequences: Schema.Int,
  leftOver: Schema.Int
})

const readFacts = Schema.decodeUnknownSync(Schema.fromJsonString(NodeFacts))

/** The state of a cluster: the version of Citus on the coordinator, the numbers of nodes and of shards, and the problems. */
export interface ClusterState {
  readonly version: string
  readonly nodes: number
  readonly shards: number
  /** The problems, each with its remedy. */
  readonly problems: ReadonlyArray<string>
}

/** The longest time for which a transaction may stay prepared. If a node dies, Citus ends its prepared transactions within a minute. */
const longPrepared = "5 minutes"

/** The state of a cluster with these capabilities; `undefined` if the schema is not distributed. */
export const check = Effect.fnUntraced(function*(capabilities: SqlCapability.List) {
  const { query } = callsOf(yield* SqlClient.SqlClient)
  const clusterLayout = yield* layout
  if (clusterLayout === undefined) return undefined
  const version = yield* citusVersion
  const schemas = clusterLayout.shards.map((shard) => `'${schemaOf(shard)}'`).join(", ")
  const facts = `select json_build_object(
    'citus', (select extversion from pg_extension where extname = 'citus'),
    'release', citus_version(),
    'prepared', current_setting('max_prepared_transactions')::int,
    'wal', current_setting('wal_level'),
    'functions', (select count(*) from pg_proc where pronamespace::regnamespace::text in (${schemas})),
    'sequences', (select count(*) from pg_sequences where schemaname in (${schemas})),
    'leftOver', (select count(*) from pg_prepared_xacts
      where database = current_database() and prepared < now() - interval '${longPrepared}'))`
  const answers = yield* query(AnswerRow)`select n.nodename || ':' || n.nodeport as node, r.success, r.result
    from run_command_on_all_nodes(${facts}) as r join pg_dist_node n on n.nodeid = r.nodeid order by n.groupid`
  const inactive = yield* query(
    Schema.Struct({ node: Schema.String })
  )`select nodename || ':' || nodeport as node from pg_dist_node
    where noderole = 'primary' and not (isactive and hasmetadata and metadatasynced)`
  const schema = sqlSchemaOf(capabilities)
  const wantedCount = clusterDefinitions(schema, clusterLayout).filter(({ name }) =>
    name.includes(".")
  ).length
  const problems = inactive.map(({ node }) =>
    `${node} does not have the metadata of the cluster; run select citus_activate_node(host, port) on the coordinator`
  )
  for (const [at, { node, result, success }] of answers.entries()) {
    if (!success) {
      problems.push(`${node} cannot be reached: ${result}`)
      continue
    }
    const { citus, functions, leftOver, prepared, release, sequences: sequenceCount, wal } = readFacts(result)
    const fault = faultOfRelease(release)
    const isIncomplete = functions < wantedCount ||
      at > 0 && sequenceCount < clusterLayout.shards.length * schema.sequences.length
    const faults: ReadonlyArray<readonly [isFault: boolean, problem: string]> = [
      [citus !== version, `has Citus ${citus}, and the coordinator ${version}; update it`],
      [fault !== undefined, `has a faulty release: ${fault}`],
      [prepared === 0, "has max_prepared_transactions = 0; set it to max_connections"],
      [wal !== "logical", `has wal_level = ${wal}; set it to logical, so that businesses can be moved`],
      [isIncomplete, "lacks functions or sequences of shards; run dockline-server migrate --distribute"],
      [
        leftOver > 0,
        `has ${leftOver} transactions that have been prepared for more than ${longPrepared} and hold locks; `
        + "see pg_prepared_xacts there, and run select recover_prepared_transactions() on the coordinator"
      ]
    ]
    for (const [isFault, problem] of faults) if (isFault) problems.push(`${node} ${problem}`)
  }
  return {
    version: version ?? "",
    nodes: answers.length,
    shards: clusterLayout.shards.length,
    problems
  } satisfies ClusterState
})
