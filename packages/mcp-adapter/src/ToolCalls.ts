/**
 * Calls of tools: reads the arguments, does the work of the operation, and tells its answer or its refusal as JSON.
 *
 * Guarantee: a refusal is an error of the catalogue, told as a problem (D4.2). A defect is logged under the correlation id, and
 * the client sees only that id.
 */
import type { Principal } from "@dockline/core/Access"
import { Exceptions } from "@dockline/core/Exceptions"
import { Intake } from "@dockline/core/Intake"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { countRefusal } from "@dockline/core/internal/values/Refusals"
import * as RequestLog from "@dockline/core/internal/values/RequestLog"
import type * as Operation from "@dockline/core/Operation"
import { handlersOf } from "@dockline/core/Operations"
import { Pallets } from "@dockline/core/Pallets"
import { InternalError } from "@dockline/core/RequestErrors"
import { Search } from "@dockline/core/Search"
import { Shipments } from "@dockline/core/Shipments"
import * as Problem from "@dockline/wire/internal/Problem"
import { Cause, Effect } from "effect"
import type { Tool } from "./Tools.ts"
import type { Told } from "./ToolText.ts"

/** Calls a tool for a client. */
export type Call = (
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  principal: Principal
) => Effect.Effect<Told>

/** Makes the calls over the services of core. */
export const make = Effect.gen(function*() {
  const handlers = handlersOf({
    intake: yield* Intake,
    shipments: yield* Shipments,
    pallets: yield* Pallets,
    exceptions: yield* Exceptions,
    search: yield* Search
  })

  const call: Call = ({ method, read }, given, principal) =>
    Effect.fromResult(read(given)).pipe(
      Effect.flatMap((input) =>
        (handlers[method] as Operation.Handler<Operation.Any>)(input as never, principal) as Effect.Effect<
          object,
          CatalogueError
        >
      ),
      Effect.matchCauseEffect({
        onSuccess: (value) => Effect.succeed({ value, isError: false }),
        onFailure: refused
      })
    )
  return call
})

const refused = Effect.fnUntraced(function*(cause: Cause.Cause<CatalogueError>) {
  // The client is gone: nobody reads an answer.
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
  const found = Cause.findErrorOption(cause)
  const error: CatalogueError = found._tag === "Some"
    ? found.value
    : new InternalError({ correlationId: yield* RequestLog.correlationId })
  yield* countRefusal("mcp", error.code)
  if (found._tag === "None") yield* Effect.logError("Request failed", cause)
  else if (error.category === "unavailable") yield* Effect.logWarning(`Answered ${error.code}`, cause)
  return { value: Problem.problemOf(error), isError: true }
})
