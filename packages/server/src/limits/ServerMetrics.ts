/** Measures a `NodeServer`: connections, waiting answers, running and waiting work, refusals and cuts. */
import * as Metrics from "@dockline/core/values/Metrics"
import { Effect, Layer } from "effect"
import type { Admission } from "./Admission.ts"
import type { AnswerBudget } from "./AnswerBudget.ts"
import type { ConnectionLimits } from "./ConnectionLimits.ts"
import * as Lanes from "./Lanes.ts"

const gauge = (name: string, description: string) => Metrics.sampledGauge(name, description, []).of()

const connections = gauge(
  "dockline_http_connections",
  "Open connections of clients, sockets of GraphQL included"
)

const answerBytes = gauge("dockline_http_answer_bytes", "Bytes of answers that clients have not taken yet")

const reasons = ["refused", "slow_request", "stalled_answer"] as const

const cuts = Metrics.counter(
  "dockline_http_connections_cut_total",
  "Connections that were refused as there were too many, or cut as a request came or an answer was taken too slowly",
  [["reason", reasons]]
)

const requests = Metrics.sampledGauge(
  "dockline_admission_requests",
  "Requests and operations by lane: those that are worked on, those that wait for the storage or room, and those that wait for a turn",
  ["lane", "state"]
)

const sheds = Metrics.counter(
  "dockline_admission_shed_total",
  "Requests and operations that were refused with 503 OVERLOADED before anything was done, by lane",
  [["lane", Lanes.names]]
)

const bodies = gauge(
  "dockline_admission_body_bytes",
  "Bytes of the bodies of requests that are held, as they were announced"
)

const answers = gauge(
  "dockline_answer_budget_characters",
  "Characters of large answers that are made or that clients have not taken yet, as they were estimated"
)

const waitingAnswers = gauge("dockline_answer_budget_waiting", "Large answers that wait for room")

const refusedAnswers = Metrics.counter(
  "dockline_answer_budget_refused_total",
  "Large answers that were refused with 503 OVERLOADED as they had no room",
  []
)

export const layer = (
  { admission, connectionLimits }: {
    readonly admission: Admission | undefined
    readonly connectionLimits: ConnectionLimits
  },
  budget: AnswerBudget
): Layer.Layer<never> =>
  Layer.effectDiscard(Effect.all([
    Metrics.observe(connections, () => connectionLimits.stats.connections),
    Metrics.observe(answerBytes, () => connectionLimits.stats.answerBytes),
    Metrics.observeCounter(cuts.of("refused"), () => connectionLimits.stats.refused),
    Metrics.observeCounter(cuts.of("slow_request"), () => connectionLimits.stats.slowRequests),
    Metrics.observeCounter(cuts.of("stalled_answer"), () => connectionLimits.stats.stalledAnswers),
    Metrics.observe(answers, () => budget.stats.held),
    Metrics.observe(waitingAnswers, () => budget.stats.waiting),
    Metrics.observeCounter(refusedAnswers.of(), () => budget.stats.refused),
    ...(admission === undefined ? [] : [
      Metrics.observe(bodies, () => admission.bodyBytes),
      ...Lanes.names.flatMap((lane) => [
        Metrics.observe(requests.of(lane, "running"), () => admission.stats[lane].running),
        Metrics.observe(requests.of(lane, "idle"), () => admission.stats[lane].idle),
        Metrics.observe(requests.of(lane, "waiting"), () => admission.stats[lane].waiting),
        Metrics.observeCounter(sheds.of(lane), () => admission.stats[lane].refused)
      ])
    ])
  ], { discard: true }))
