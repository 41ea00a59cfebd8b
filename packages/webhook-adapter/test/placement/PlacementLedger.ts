/**
 * Who runs which partition, as the instances of a test tell it, and whether two ever ran the same one at once.
 */
import { partitionCount } from "@dockline/core/webhooks/DeliveryStore"
import { Deferred, Effect } from "effect"

/** What instances tell of the partitions that they run. */
export class PlacementLedger {
  readonly #runners = Array.from({ length: partitionCount }, () => new Set<string>())
  readonly #waiting = new Set<() => void>()
  /** Partitions that were started while another instance ran them, with both instances. */
  readonly overlaps: Array<string> = []
  /** How often partitions were started. */
  starts = 0

  start(instance: string, partition: number): void {
    const runners = this.#runners[partition]!
    for (const other of runners) this.overlaps.push(`${partition}: ${other} and ${instance}`)
    runners.add(instance)
    this.starts++
    this.#told()
  }

  stop(instance: string, partition: number): void {
    this.#runners[partition]!.delete(instance)
    this.#told()
  }

  /** How many partitions an instance runs. */
  countOf(instance: string): number {
    return this.#runners.filter((runners) => runners.has(instance)).length
  }

  /** Waits until something is so. */
  until(holds: () => boolean): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (holds()) return Effect.void
      const done = Deferred.makeUnsafe<void>()
      const look = () => {
        if (holds()) Deferred.doneUnsafe(done, Effect.void)
      }
      this.#waiting.add(look)
      return Effect.ensuring(Deferred.await(done), Effect.sync(() => this.#waiting.delete(look)))
    })
  }

  /** Waits until these instances run every partition, each as many as the others. */
  untilShared(...instances: ReadonlyArray<string>): Effect.Effect<void> {
    return this.until(() =>
      instances.every((name) => this.countOf(name) === partitionCount / instances.length)
    )
  }

  #told(): void {
    this.#waiting.forEach((look) => look())
  }
}
