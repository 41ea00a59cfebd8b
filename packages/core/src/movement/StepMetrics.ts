/**
 * Counting the steps of shipments by what became of them.
 */
import { Effect, Metric } from "effect"
import { countAppended } from "../messages/Message.ts"
import * as Metrics from "../values/Metrics.ts"
import type { LinkPlan, StepPlan } from "./Movement.ts"

const stepNames = ["arrive", "depart", "link"] as const

const steps = Metrics.counter("dockline_shipment_steps_total", "Steps of shipments by what became of them", [
  ["step", stepNames],
  ["outcome", ["done", "unchanged", ...Metrics.refusals]]
])

/** Takes down what is decided about a step, and passes it on. */
export type Note = <D extends StepPlan | LinkPlan>(decided: D) => D

/** Counts a step: it was done unless what was decided last, which `note` is told, changes nothing. */
export const counted = <A, E, R>(
  step: (typeof stepNames)[number],
  take: (note: Note) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let last: StepPlan | LinkPlan = { _tag: "Unchanged" }
    const taken = take((decided) => {
      last = decided
      return decided
    })
    return Metrics.outcomes(taken, (outcome) => steps.of(step, outcome), () => {
      const outcome = last._tag === "Unchanged" ? "unchanged" : "done"
      const done = Metric.update(steps.of(step, outcome), 1)
      return last._tag === "Depart" ? Effect.andThen(done, countAppended("SHIPMENT_COMPLETE")) : done
    })
  })
