/**
 * Placement over several instances of a service, by Effect Cluster on the service's own PostgreSQL (D12.4).
 *
 * The cluster's engine is used for placement alone: each partition is one of its singletons, on a shard of its own. It
 * keeps who is alive in `dockline.placement_runners` and who holds a shard as an advisory lock of one connection, which
 * is reserved for it. Instances do not talk to each other, and no message goes through the cluster.
 *
 * Guarantee: an instance runs a partition only while it holds its lock, and gives the lock back after the work has
 * ended. An instance that dies, or no longer reaches the database, is replaced within its expiry and a poll; one that
 * stops, at the next poll. While the database is away nothing runs; when it is back, everything does again.
 */
import { partitionCount } from "@dockline/core/DeliveryStore"
import { Effect, Equal, Layer, Option } from "effect"
import * as EntityId from "effect/cluster/EntityId"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import type { SqlClient, SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import { forEveryPartition, Placement, supervised } from "./Placement.ts"

/** How soon instances learn of each other. All instances of a service have the same. */
export interface ClusterPlacementConfig {
  /**
   * How long an instance may give no sign of life before others take its partitions, in milliseconds; whole seconds. It
   * gives one every third of that, and a third is also what its database may take to answer it: then it lets go of
   * everything by itself.
   */
  readonly expiryMillis: number
  /** How often an instance looks which others there are, in milliseconds. */
  readonly pollMillis: number
}

/** 5 seconds without a sign of life, and half a second until others see it. */
export const defaultClusterPlacementConfig: ClusterPlacementConfig = { expiryMillis: 5000, pollMillis: 500 }

/** How many connections of the pool it keeps for itself: the locks are held on it. */
export const connections = 1

/** The tables of the engine are in our schema; their names begin with this. */
const prefix = "dockline.placement"

/** The group of shards that the engine has by default. */
const group = "default"

/**
 * The name of a partition's singleton. The engine finds the shard of a singleton by a hash of its name, so a name is
 * looked for that leads to the shard of the partition: one partition for each shard, so that they are spread as evenly
 * as shards are.
 */
const singletonName = (sharding: Sharding.Sharding["Service"], partition: number): string => {
  for (let n = 0;; n++) {
    const name = `partition ${partition}.${n}`
    if (sharding.getShardId(EntityId.make(name), group).id === partition + 1) return name
  }
}

/** Each partition's work as a singleton of the cluster, that ends with its scope. */
const placement = Effect.map(Sharding.Sharding, (sharding) =>
  Placement.of({
    run: (work) => {
      const watched = supervised(work)
      // A scope for each: singletons of one scope would be ended one after another.
      return forEveryPartition((partition) =>
        sharding.registerSingleton(singletonName(sharding, partition), watched(partition)).pipe(
          Effect.andThen(Effect.never),
          Effect.scoped
        )
      )
    }
  }))

/**
 * Drops the rows of instances that died: the engine does so for a runner that leaves, whoever it is, and none that
 * dies does.
 */
const sweep = (address: RunnerAddress.RunnerAddress) =>
  Effect.ignore(Effect.flatMap(RunnerStorage, (storage) => storage.unregister(address)))

/**
 * The storage of an instance that leaves as the last one: the engine still looks for instances then, and warns that there
 * are none. It is told of them as long as there are others.
 */
const leavingQuietly = (storage: (typeof RunnerStorage)["Service"], self: RunnerAddress.RunnerAddress) => {
  let left = false
  return RunnerStorage.of({
    ...storage,
    unregister: (address) =>
      Effect.suspend(() => {
        left ||= Equal.equals(address, self)
        return storage.unregister(address)
      }),
    getRunners: Effect.flatMap(
      storage.getRunners,
      (runners) => left && runners.length === 0 ? Effect.never : Effect.succeed(runners)
    )
  })
}

/**
 * Placement among all instances on the same database. The schema must be there: build it after the migrations. It takes
 * one connection of the pool for good, and needs PostgreSQL 14 or newer to take partitions from a frozen instance.
 */
export const layer = (
  config: ClusterPlacementConfig = defaultClusterPlacementConfig
): Layer.Layer<Placement, SqlError.SqlError, SqlClient.SqlClient> =>
  Layer.unwrap(Effect.sync(() => {
    // Nobody connects to it: it only tells instances apart. A new one for each start, so that a dead one is not revived.
    const address = RunnerAddress.make(randomUUID(), 0)
    const engineStorage = Layer.tap(SqlRunnerStorage.layerWith({ prefix }), (context) =>
      Effect.provideContext(sweep(address), context))
    const storage = Layer.effect(
      RunnerStorage,
      Effect.map(RunnerStorage, (inner) =>
        leavingQuietly(inner, address))
    ).pipe(Layer.provide(engineStorage))
    return Layer.effect(Placement, placement).pipe(
      Layer.provide(Sharding.layer),
      Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop, storage]),
      Layer.provide(MessageStorage.layerNoop),
      Layer.provide(ShardingConfig.layer({
        runnerAddress: Option.some(address),
        shardsPerGroup: partitionCount,
        shardLockExpiration: config.expiryMillis,
        shardLockRefreshInterval: config.expiryMillis / 3,
        refreshAssignmentsInterval: config.pollMillis,
        // Also how long the engine waits before it looks again after it could not take a shard.
        entityMessagePollInterval: config.pollMillis
      }))
    )
  }))
