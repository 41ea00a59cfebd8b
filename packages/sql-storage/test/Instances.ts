/** Several instances on one PostgreSQL database, at which operators do the same at once. */
import { outcome } from "@dockline/testing/worlds/OperatorWorld"
import { Context, Effect, Layer } from "effect"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { atOnce, times } from "./Movements.ts"

/** Three instances of services with their stores, and ways to use them. */
export const instancesOf = <Services, E, R>(instance: Layer.Layer<Services, E, R>) => {
  const instances = Effect.all(times(3).map(() => Layer.build(Layer.fresh(instance))))
  class Instances extends Context.Service<Instances, Effect.Success<typeof instances>>()("test/Instances") {}

  /** Runs so many effects at once, each at one of the instances. */
  const together = <A, E>(count: number, one: (index: number) => Effect.Effect<A, E, Services>) =>
    Instances.use((instances) =>
      Effect.all(
        times(count).map((index) => Effect.provideContext(one(index), instances[index % instances.length]!)),
        atOnce
      )
    )

  return {
    layer: Layer.effect(Instances, instances).pipe(Layer.provideMerge(Layer.orDie(TestDatabase.layer))),
    /** How often each outcome came of so many effects at once. */
    outcomes: <E extends { readonly code: string }>(
      count: number,
      one: (index: number) => Effect.Effect<unknown, E, Services>
    ) =>
      Effect.map(together(count, (index) => outcome(one(index))), (all) => {
        const counts: Record<string, number> = {}
        for (const each of all) counts[each] = (counts[each] ?? 0) + 1
        return counts
      }),
    /** Runs an effect at the first one. */
    at: <A, E>(one: Effect.Effect<A, E, Services>) => Effect.map(together(1, () => one), ([only]) => only!)
  }
}
