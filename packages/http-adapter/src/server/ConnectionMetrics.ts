/**
 * What is measured of the connections of a server: how many there are, what waits in them, and which were cut.
 */
import * as Metrics from "@dockline/core/Metrics"
import { Effect, Layer } from "effect"
import type { Server } from "node:http"
import { stats } from "./ConnectionLimits.ts"
import type { ConnectionStats } from "./ConnectionLimits.ts"

const connections = Metrics.sampled(
  "dockline_http_connections",
  "Open connections of clients, sockets of GraphQL included",
  []
)

const answerBytes = Metrics.sampled(
  "dockline_http_answer_bytes",
  "Bytes of answers that clients have not taken yet",
  []
)

const reasons = ["refused", "slow_body", "stalled_answer"] as const

const cut = Metrics.counter(
  "dockline_http_connections_cut_total",
  "Connections that were refused as there were too many, or cut as a body came or an answer was taken too slowly",
  [["reason", reasons]]
)

/** Measures the connections of a server of `NodeServer` as long as the layer lives. */
export const layer = (server: Server): Layer.Layer<never> => {
  const read = (of: (stats: ConnectionStats) => number) => () => {
    const now = stats(server)
    return now === undefined ? 0 : of(now)
  }
  return Layer.effectDiscard(Effect.gen(function*() {
    yield* Metrics.observe(connections.of(), read((now) => now.connections))
    yield* Metrics.observe(answerBytes.of(), read((now) => now.answerBytes))
    yield* Metrics.observeCounter(cut.of("refused"), read((now) => now.refused))
    yield* Metrics.observeCounter(cut.of("slow_body"), read((now) => now.slowBodies))
    yield* Metrics.observeCounter(cut.of("stalled_answer"), read((now) => now.stalledAnswers))
  }))
}
