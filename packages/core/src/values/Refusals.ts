/**
 * Counting refusals, by the code of the catalogue that each of them carries.
 */
import { Metric } from "effect"
import type { Effect } from "effect"
import * as Metrics from "./Metrics.ts"

const refusals = Metrics.counter(
  "dockline_refusals_total",
  "Refusals that clients were shown, by interface and by the code that says why",
  [["interface", ["rest", "graphql"]], ["code", "chosen"]],
  // An alert is for the first one of these: it is seen only as a growth from 0.
  [["rest", "INTERNAL_ERROR"], ["graphql", "INTERNAL_ERROR"]]
)

/** Counts a refusal that a client is shown. `code` is one of the catalogue, never a text of the client. */
export const countRefusal = (shownBy: "rest" | "graphql", code: string): Effect.Effect<void> =>
  Metric.update(refusals.of(shownBy, code), 1)
