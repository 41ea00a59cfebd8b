/**
 * The third part of the webhook benchmark: an endpoint that answers beside one that never does, against the same
 * endpoint alone, in turns.
 */
import { Effect } from "effect"
import { attempt, say } from "../BenchError.ts"
import type { BenchDatabase } from "../Cluster.ts"
import { complete, start } from "./Contestants.ts"
import type { StartOptions } from "./Contestants.ts"
import * as Pace from "./Pace.ts"
import type { Latency } from "./Pace.ts"
import type { Place } from "./Rates.ts"
import { hangPath } from "./SinkProtocol.ts"

/** How it is measured. */
export interface FairnessOptions extends StartOptions {
  readonly rounds: number
  readonly warmup: number
  readonly pace: number
  readonly paced: number
}

/** One measurement of the endpoint that answers. */
export interface FairnessLeg {
  readonly round: number
  readonly company: "alone" | "beside one that hangs"
  readonly latency: Latency
}

const companies = ["alone", "beside one that hangs"] as const

const measure = Effect.fnUntraced(function*(
  place: Place,
  company: FairnessLeg["company"],
  database: BenchDatabase,
  options: FairnessOptions
) {
  const urls = company === "alone" ? [place.url] : [`${place.url}${hangPath}`, place.url]
  const sender = yield* start("dockline", database, urls, options)
  yield* place.cluster.settle(database)
  const warmup = Math.ceil(options.pace * options.warmup)
  const count = warmup + options.paced
  yield* attempt("fairness", () => place.sink.reset(count))
  yield* attempt("fairness", () => sender.go())
  const enqueued = yield* attempt("fairness", () => Pace.send(sender, 0, count, options.pace))
  yield* attempt("fairness", () => Pace.arrived(place.sink, sender))
  const { arrivals, repeats } = yield* attempt("fairness", () => place.sink.report())
  yield* complete("dockline", arrivals.length, count, repeats)
  return Pace.latencyOf(enqueued.slice(warmup), arrivals, "")
}, Effect.scoped)

/** Runs this part. */
export const fairness = Effect.fnUntraced(function*(place: Place, options: FairnessOptions) {
  const database = yield* place.cluster.database("bench_webhooks_fairness")
  const legs: Array<FairnessLeg> = []
  for (let round = 1; round <= options.rounds; round++) {
    for (const company of round % 2 === 1 ? companies : companies.toReversed()) {
      const latency = yield* measure(place, company, database, options)
      legs.push({ round, company, latency })
      yield* say(
        `Fairness, round ${round}: ${company}: p50 ${latency.p50.toFixed(1)} ms, p99 ${
          latency.p99.toFixed(1)
        } ms, of which ${latency.enqueue.toFixed(1)} ms to be stored`
      )
    }
  }
  return legs
})
