/**
 * What is measured of the admission: what is worked on, what waits, and what is refused as there is too much to do.
 */
import * as Metrics from "@dockline/core/Metrics"
import { Effect, Layer } from "effect"
import type { Admission } from "./Admission.ts"

const lanes = ["work", "operator", "tokens", "probes"] as const

const requests = Metrics.sampled(
  "dockline_admission_requests",
  "Requests and operations by lane: those that are worked on, and those that wait for their turn",
  ["lane", "state"]
)

const shed = Metrics.counter(
  "dockline_admission_shed_total",
  "Requests and operations that were refused with 503 OVERLOADED before anything was done, by lane",
  [["lane", lanes]]
)

const bodies = Metrics.sampled(
  "dockline_admission_body_bytes",
  "Bytes of the bodies of requests that are held, as they were announced",
  []
)

/** Measures an admission as long as the layer lives. */
export const layer = (admission: Admission): Layer.Layer<never> =>
  Layer.effectDiscard(Effect.gen(function*() {
    for (const lane of lanes) {
      yield* Metrics.observe(requests.of(lane, "running"), () => admission.stats[lane].running)
      yield* Metrics.observe(requests.of(lane, "waiting"), () => admission.stats[lane].waiting)
      yield* Metrics.observeCounter(shed.of(lane), () => admission.stats[lane].refused)
    }
    yield* Metrics.observe(bodies.of(), () => admission.bodyBytes)
  }))
