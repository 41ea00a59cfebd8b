/** Runs suites beside each other on one storage, which each round finds as the round before has left it. */
import * as Suite from "@dockline/testing/Suite"
import { Effect } from "effect"
import type { Layer } from "effect"

/** What has failed in two rounds: the suites of `together` at once, and beside them those of `alone` one after another. */
export const failuresOf = <Stores, R>(
  stores: Layer.Layer<Stores, never, R>,
  together: ReadonlyArray<Suite.Suite<Stores>>,
  alone: ReadonlyArray<Suite.Suite<Stores>> = []
) => {
  const run = (suite: Suite.Suite<Stores>) => Suite.run(suite, stores)
  const round = Effect.all([...together.map(run), Effect.forEach(alone, run)], { concurrency: "unbounded" })
  return Effect.gen(function*() {
    const reports = [...yield* round, ...yield* round]
    return reports.flat().flatMap(({ failures }) => failures)
  })
}
