/**
 * Places partitions on several instances of a service, with Effect Cluster on the PostgreSQL of the service (D12.4).
 *
 * The engine of the cluster is used only for placement: each partition is a singleton on its own shard. The engine records live instances
 * in `dockline.placement_runners`, and holds each shard by a lease in `dockline.placement_locks`, so that nothing depends on a session of
 * PostgreSQL. Instances do not connect to each other, and no message passes through the cluster.
 *
 * Guarantee: an instance runs a partition only while it holds the lease of the partition, and ends the lease after the work has ended. An
 * instance that dies, or no longer reaches the database, is replaced within `expiryMillis` and one poll; an instance that stops, at the
 * next poll. While the database cannot be reached, no partition runs; when it returns, all run again.
 */
import { partitionCount } from "@dockline/core/webhooks/DeliveryStore"
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
import { forEveryPartition, Placement, supervise } from "./Placement.ts"

/** How soon instances notice each other. All instances of a service must use the same settings. */
export interface ClusterPlacementConfig {
  /**
   * The time without a sign of life after which other instances take over the partitions of an instance, in milliseconds; whole seconds. An
   * instance renews its leases every third of that time. If the database takes longer than a third to answer, the instance gives up all its
   * partitions.
   */
  readonly expiryMillis: number
  /** How often an instance looks for other instances, in milliseconds. */
  readonly pollMillis: number
}

/** By default, partitions move 5 seconds after the last sign of life, and other instances notice within half a second. */
export const defaultClusterPlacementConfig: ClusterPlacementConfig = { expiryMillis: 5000, pollMillis: 500 }

/** The number of connections of the pool that the placement reserves, so that no other work prevents it from renewing its leases. */
export const connections = 1

const prefix = "dockline.placement"

const group = "default"

/**
 * Finds a name for the singleton of a partition. The engine assigns a singleton to a shard by a hash of its name, so this searches for a
 * name that gives the shard of the partition. With one partition for each shard, partitions are spread as evenly as shards.
 */
const singletonName = (sharding: Sharding.Sharding["Service"], partition: number): string => {
  for (let n = 0;; n++) {
    const name = `partition ${partition}.${n}`
    if (sharding.getShardId(EntityId.make(name), group).id === partition + 1) return name
  }
}

const placement = Effect.map(Sharding.Sharding, (sharding) =>
  Placement.of({
    run: (work) => {
      const supervisedWork = supervise(work)
      // Each singleton has its own scope, because singletons in one scope would end one after another.
      return forEveryPartition((partition) =>
        sharding.registerSingleton(singletonName(sharding, partition), supervisedWork(partition)).pipe(
          Effect.andThen(Effect.never),
          Effect.scoped
        )
      )
    }
  }))

/** Makes the engine drop the rows of dead instances, which it does whenever any runner leaves: an instance that dies does not leave. */
const sweep = (address: RunnerAddress.RunnerAddress) =>
  Effect.ignore(Effect.flatMap(RunnerStorage, (storage) => storage.unregister(address)))

/**
 * Prevents a warning of the engine when the last instance leaves: the engine would warn about an empty list of instances, so the list is
 * then never returned.
 */
const leavingQuietly = (storage: (typeof RunnerStorage)["Service"], self: RunnerAddress.RunnerAddress) => {
  let hasLeft = false
  return RunnerStorage.of({
    ...storage,
    unregister: (address) =>
      Effect.suspend(() => {
        hasLeft ||= Equal.equals(address, self)
        return storage.unregister(address)
      }),
    getRunners: Effect.flatMap(
      storage.getRunners,
      (runners) => hasLeft && runners.length === 0 ? Effect.never : Effect.succeed(runners)
    )
  })
}

/**
 * Placement among all instances on the same database. Build this layer after the migrations, as it needs the schema. It
 * reserves one connection of the pool.
 */
export const layer = (
  config: ClusterPlacementConfig = defaultClusterPlacementConfig
): Layer.Layer<Placement, SqlError.SqlError, SqlClient.SqlClient> =>
  Layer.unwrap(Effect.sync(() => {
    // The address only distinguishes instances; nobody connects to it. Each start makes a new address, so that a dead instance does not
    // seem alive.
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
        shardLockDisableAdvisory: true,
        shardLockExpiration: config.expiryMillis,
        shardLockRefreshInterval: config.expiryMillis / 3,
        refreshAssignmentsInterval: config.pollMillis,
        // This is also the time that the engine waits after it failed to take a shard.
        entityMessagePollInterval: config.pollMillis
      }))
    )
  }))
