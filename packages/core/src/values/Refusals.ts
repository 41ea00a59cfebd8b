/** Counts the refusals that clients get, over all interfaces alike. */
import { Cause, Effect, Metric } from "effect"
import type { CatalogueError } from "./CatalogueError.ts"
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

/** Counts the refusal of a whole request, and logs why the service is unavailable: the answer does not tell, and an operator has to know. */
export const noteRefusal = (
  shownBy: "rest" | "graphql" | "mcp",
  error: CatalogueError
): Effect.Effect<void> => Effect.andThen(countRefusal(shownBy, error.code), logUnavailable(error))

/** Logs an error if the service is unavailable. */
export const logUnavailable = (error: CatalogueError): Effect.Effect<void> =>
  error.category === "unavailable"
    ? Effect.logWarning(`Answered 503 ${error.code}`, Cause.fail(error))
    : Effect.void
