/** Counts the refusals that clients get, over all interfaces alike. */
import { Metric } from "effect"
import type { Effect } from "effect"
import * as Metrics from "./Metrics.ts"

const refusals = Metrics.counter(
  "dockline_refusals_total",
  "Refusals that clients got, by interface and code",
  [["interface", ["rest", "graphql", "mcp"]], ["code", "chosen"]],
  // Alerts watch the growth of these series from 0, so they exist from the start.
  { known: [["rest", "INTERNAL_ERROR"], ["graphql", "INTERNAL_ERROR"], ["mcp", "INTERNAL_ERROR"]] }
)

/** Counts a refusal that a client is shown. `code` must be a code of the catalogue, never text from a client. */
export const countRefusal = (shownBy: "rest" | "graphql" | "mcp", code: string): Effect.Effect<void> =>
  Metric.update(refusals.of(shownBy, code), 1)
