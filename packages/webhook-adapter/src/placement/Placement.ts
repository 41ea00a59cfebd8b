/**
 * Port: which partitions of the endpoints this instance of the service dispatches for (D9, D12.4).
 *
 * Guarantee: while instances live and reach what they share, every partition is run by exactly one of them. Work is
 * interrupted as soon as its partition is known to be lost. An instance that was frozen learns that late: what it
 * still writes is refused by the lease of core's `DeliveryStore`.
 */
import { partitionCount } from "@dockline/core/DeliveryStore"
import { Context, Effect, Layer } from "effect"

/** The work of one partition. It goes on until it is interrupted. */
export type PartitionWork = (partition: number) => Effect.Effect<never>

/** How long work that died waits before it is started again, in milliseconds. */
const restartMillis = 1000

/** Work that is logged when it dies by a defect, and started again. */
export const supervised = (work: PartitionWork): PartitionWork => (partition) =>
  Effect.suspend(() => work(partition)).pipe(
    Effect.catchDefect((defect) => Effect.logError(`The work of partition ${partition} died`, defect)),
    Effect.andThen(Effect.sleep(restartMillis)),
    Effect.forever
  )

/** The partitions, from 0. */
const partitions = Array.from({ length: partitionCount }, (_, partition) => partition)

/** Runs an effect for every partition, all at once. */
export const forEveryPartition = (run: PartitionWork): Effect.Effect<never> =>
  Effect.andThen(Effect.forEach(partitions, run, { concurrency: "unbounded", discard: true }), Effect.never)

/** Runs work for the partitions of this instance. */
export class Placement extends Context.Service<Placement, {
  /**
   * Runs work for every partition that is this instance's, from 0 to `partitionCount` - 1: starts it when the partition
   * comes, interrupts it when the partition goes, starts it again when the partition comes back. It goes on until it is
   * interrupted, and then ends when all work has ended. It is to be run once. Work that dies is started again.
   */
  readonly run: (work: PartitionWork) => Effect.Effect<never>
}>()("@dockline/webhook-adapter/Placement") {
  /** One instance alone: every partition is its own, from the start. */
  static readonly layerSingle: Layer.Layer<Placement> = Layer.succeed(
    Placement,
    Placement.of({ run: (work) => forEveryPartition(supervised(work)) })
  )
}
