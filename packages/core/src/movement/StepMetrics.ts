import { Effect, Metric } from "effect"
import { countAppended } from "../messages/Message.ts"
import * as Metrics from "../values/Metrics.ts"
import type { LinkPlan, StepPlan } from "./Movement.ts"

const stepNames = ["arrive", "depart", "link", "cancel", "check_in"] as const

const steps = Metrics.counter("dockline_shipment_steps_total", "Steps of shipments by outcome", [
  ["step", stepNames],
  ["outcome", ["done", "unchanged", ...Metrics.refusals]]
])

/**
 * Takes a step in a span of its own and counts it. Its outcome is `done` unless the last decision, which `take` passes to
 * `note`, is `Unchanged`.
 */
export const counted = <A, E>(
  step: (typeof stepNames)[number],
  take: (note: <D extends StepPlan | LinkPlan>(decided: D) => D) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    let last: StepPlan | LinkPlan = { _tag: "Unchanged" }
    const note = <D extends StepPlan | LinkPlan>(decided: D): D => {
      last = decided
      return decided
    }
    const taken = Effect.withSpan(take(note), `Shipments.${step}`)
    return Metrics.outcomes(taken, (outcome) => steps.of(step, outcome), () => {
      const outcome = last._tag === "Unchanged" ? "unchanged" : "done"
      const done = Metric.update(steps.of(step, outcome), 1)
      return "messages" in last ? Effect.andThen(done, countAppended(last.messages)) : done
    })
  })
