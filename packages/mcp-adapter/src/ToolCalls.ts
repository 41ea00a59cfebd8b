/**
 * Calls of tools: reads the arguments, does the work of the operation, and tells its answer or its refusal as JSON.
 *
 * Guarantee: a refusal is an error of the catalogue, told as a problem (D4.2). A defect is logged under the correlation id, and
 * the client sees only that id.
 */
import type { Principal } from "@dockline/core/access/Access"
import { Keeping } from "@dockline/core/access/Keeping"
import type { Once, Outcome } from "@dockline/core/access/Keeping"
import { OperationRegistry, reading, writing } from "@dockline/core/capability/OperationRegistry"
import type { Document } from "@dockline/core/document/Document"
import { Intake } from "@dockline/core/document/Intake"
import { submitting } from "@dockline/core/operations/Handlers"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { countRefusal } from "@dockline/core/values/Refusals"
import { InternalError } from "@dockline/core/values/RequestErrors"
import * as RequestLog from "@dockline/core/values/RequestLog"
import * as Problem from "@dockline/wire/Problem"
import { Cause, Effect } from "effect"
import { createHash } from "node:crypto"
import type { Tool } from "./Tools.ts"
import type { Told } from "./ToolText.ts"

/** A client, and the `Idempotency-Key` of its request. */
export interface Caller {
  readonly principal: Principal
  readonly key: string | undefined
}

export type Call = (
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  caller: Caller
) => Effect.Effect<Told>

export const make = Effect.gen(function*() {
  const intake = yield* Intake
  const keeping = yield* Keeping
  const registry = yield* OperationRegistry
  const readEntity = reading(registry)
  const write = writing(registry)
  const submit = submitting(intake)

  /** A call is the same as another under its key if it names the same tool with the same arguments. */
  const onceOf = (
    { operation: { name } }: Tool,
    given: object,
    { key, principal }: Caller
  ): Once | undefined => {
    if (key === undefined) return undefined
    const fingerprint = createHash("sha256").update(JSON.stringify(["mcp", name, given])).digest("hex")
    return (permissions, run) => keeping.once({ key, fingerprint, principal, permissions }, run)
  }

  const valueOf = (
    tool: Tool,
    given: Readonly<Record<string, unknown>>,
    caller: Caller
  ): Effect.Effect<object, CatalogueError> => {
    const { method, operation, read } = tool
    const { principal } = caller
    const input = Effect.suspend(() => Effect.fromResult(read(given)))
    switch (operation.kind) {
      case "read":
      case "list":
        return Effect.flatMap(
          input,
          (input) => readEntity(method, { ...input }, principal)
        )
      case "upload":
        return done(
          submit(input as Effect.Effect<Document, CatalogueError>, {
            principal,
            dryRun: false,
            once: onceOf(tool, given, caller)
          })
        )
      case "write":
        return Effect.flatMap(input, (input) => {
          const { body, ...params } = input as { readonly body: unknown } & Readonly<Record<string, string>>
          return Effect.map(
            done(
              write(method, {
                params,
                body: Effect.succeed(body),
                principal,
                once: onceOf(tool, given, caller)
              })
            ),
            (value) => operation.receipt?.of(value) ?? operation.show?.(value) ?? value
          )
        })
    }
  }

  const call: Call = (tool, given, caller) =>
    Effect.matchCauseEffect(valueOf(tool, given, caller), {
      onSuccess: (value) => Effect.succeed({ value, isError: false }),
      onFailure: refused
    })
  return call
})

/** What a write came to, which a repetition under its key comes to again. */
const done = <A, E extends CatalogueError>(
  outcome: Effect.Effect<Outcome<A>, E>
): Effect.Effect<A, CatalogueError> => Effect.flatMap(outcome, ({ result }) => Effect.fromResult(result))

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
