/**
 * Port: decides for which partitions of the endpoints this instance dispatches (D9, D12.4).
 *
 * Guarantee: while instances live and reach their shared state, each partition runs on one of them, and on none for a moment when it moves.
 * The work of a partition is interrupted as soon as the instance knows that it has lost the partition. A frozen instance learns this late;
 * the `DeliveryStore` of core then refuses its writes, because the instance no longer holds the leases.
 */
import { partitionCount } from "@dockline/core/webhooks/DeliveryStore"
import { Context, Effect, Layer } from "effect"

/** The work of one partition. It runs until it is interrupted. */
export type PartitionWork = (partition: number) => Effect.Effect<never>

const restartMillis = 1000

/** Logs a defect of the work and restarts the work. */
export const supervise = (work: PartitionWork): PartitionWork => (partition) =>
  Effect.suspend(() => work(partition)).pipe(
    Effect.catchDefect((defect) => Effect.logError(`The work of partition ${partition} died`, defect)),
    Effect.andThen(Effect.sleep(restartMillis)),
    Effect.forever
  )

const partitions = Array.from({ length: partitionCount }, (_, partition) => partition)

/** Runs an effect for every partition, all concurrently. */
export const forEveryPartition = (run: PartitionWork): Effect.Effect<never> =>
  Effect.andThen(Effect.forEach(partitions, run, { concurrency: "unbounded", discard: true }), Effect.never)

/** Runs work for the partitions of this instance. */
export class Placement extends Context.Service<Placement, {
  /**
   * Runs work for every partition of this instance, from 0 to `partitionCount` - 1: starts the work when the instance gains the partition,
   * interrupts it when the instance loses the partition, and starts it again when the partition returns. Runs until it is interrupted, and
   * ends when all work has ended. Call it once. Work that fails with a defect restarts.
   */
  readonly run: (work: PartitionWork) => Effect.Effect<never>
}>()("@dockline/webhook-adapter/placement/Placement") {
  /** The placement of a single instance, which has every partition from the start. */
  static readonly layerSingle: Layer.Layer<Placement> = Layer.succeed(
    Placement,
    Placement.of({ run: (work) => forEveryPartition(supervise(work)) })
  )
}
