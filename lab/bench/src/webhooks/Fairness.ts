/**
 * The third part of the webhook benchmark: an endpoint that answers beside one that never does, against the same
 * endpoint alone, in turns.
 */
import { Effect } from "effect"
import { ratioLine, ratiosOf, sectionsOf } from "../Report.ts"
import type { Figure } from "../Report.ts"
import { inRounds } from "../Rounds.ts"
import type { Latency } from "./Pace.ts"
import { latency } from "./Rates.ts"
import type { Place, RatesOptions } from "./Rates.ts"
import { hangPath } from "./Workload.ts"

/** The aim: the most that the p99 beside one that hangs may be of that alone. */
const aim = 1.2

const titles = { beside: "beside one that hangs", alone: "alone" } as const

type Company = keyof typeof titles

const companies: ReadonlyArray<Company> = ["alone", "beside"]

const figures: ReadonlyArray<Figure<Latency>> = [
  { column: "p50 ms", digits: 1, of: ({ p50 }) => p50 },
  { column: "p99 ms", digits: 1, of: ({ p99 }) => p99 },
  { column: "stored after ms", digits: 1, of: ({ enqueue }) => enqueue }
]

/** Runs this part. */
export const fairness = Effect.fnUntraced(function*(place: Place, options: RatesOptions) {
  const database = yield* place.cluster.database("bench_webhooks_fairness")
  const urls = { alone: [place.url], beside: [`${place.url}${hangPath}`, place.url] }
  const legs = yield* inRounds(
    options.rounds,
    companies,
    (company) => latency(place, "dockline", database, urls[company], options),
    (company, { p50, p99 }) => `${titles[company]}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
  )
  return sectionsOf("An endpoint that answers", legs, titles, figures, [
    ratioLine(
      "p99 beside one that hangs / alone",
      ratiosOf(legs, "beside", "alone", ({ p99 }) => p99),
      { most: aim }
    )
  ])
})
