/**
 * Measurements in rounds: all contestants in turn, forwards in odd rounds and backwards in even ones, so that a machine that gets slower or
 * busier does so for all.
 */
import { Effect } from "effect"
import { say } from "./BenchError.ts"

/** The result of one contestant in one round. */
export interface Leg<Contestant, Measured> {
  readonly round: number
  readonly contestant: Contestant
  readonly measured: Measured
}

/** Measures all contestants in a number of rounds, and reports each measurement. */
export const inRounds = Effect.fnUntraced(function*<Contestant, Measured, E, R>(
  rounds: number,
  contestants: ReadonlyArray<Contestant>,
  measure: (contestant: Contestant, round: number) => Effect.Effect<Measured, E, R>,
  describe: (contestant: Contestant, measured: Measured) => string
) {
  const legs: Array<Leg<Contestant, Measured>> = []
  for (let round = 1; round <= rounds; round++) {
    for (const contestant of round % 2 === 1 ? contestants : contestants.toReversed()) {
      const measured = yield* measure(contestant, round)
      legs.push({ round, contestant, measured })
      const at = `[${legs.length}/${rounds * contestants.length}] round ${round}`
      yield* say(`${at} ${describe(contestant, measured)}`)
    }
  }
  return legs
})
