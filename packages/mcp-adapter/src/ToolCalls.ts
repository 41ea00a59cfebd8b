/**
 * Calls of tools: reads the arguments, does the work of the operation, and answers its result or its refusal as JSON.
 *
 * Guarantee: a refusal is an error of the catalogue, answered as a problem (D4.2). A defect is logged under the correlation id, and
 * the client sees only that id.
 */
import type { Principal } from "@dockline/core/access/Access"
import { Keeping } from "@dockline/core/access/Idempotency"
import type { Once, Outcome } from "@dockline/core/access/Idempotency"
import { OperationRegistry, reading, writing } from "@dockline/core/capability/OperationRegistry"
import { Intake } from "@dockline/core/document/Intake"
import * as JsonWriter from "@dockline/core/input/JsonWriter"
import { submitting } from "@dockline/core/operations/Handlers"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { countRefusal } from "@dockline/core/values/Metrics"
import { InternalError } from "@dockline/core/values/RequestErrors"
import * as RequestLog from "@dockline/core/values/RequestLog"
import * as Problem from "@dockline/wire/Problem"
import type { CallToolResult } from "@modelcontextprotocol/server"
import { Cause, Effect } from "effect"
import { createHash, randomUUID } from "node:crypto"
import type { Tool } from "./Tools.ts"

/** The answer of a tool: a result, or a problem if `isError`. */
export interface ToolAnswer {
  readonly value: object
  readonly isError: boolean
}

/** An answer, and the mark that stands for it. */
export interface MarkedAnswer {
  readonly answer: ToolAnswer
  readonly mark: string
}

/** Gives an answer a mark that nobody can guess. */
export const withMark = (answer: ToolAnswer): MarkedAnswer => ({ answer, mark: randomUUID() })

const textOf = (mark: string) => `${mark} text`

const structureOf = (mark: string) => ({ [`${mark} structure`]: 0 })

/** The result of a call for the SDK, with marks in place of the answer. */
export const resultOf = ({ answer: { isError }, mark }: MarkedAnswer): CallToolResult => ({
  content: [{ type: "text", text: textOf(mark) }],
  structuredContent: structureOf(mark),
  ...(isError ? { isError } : {})
})

/**
 * The parts of the SDK's text `frame`, with the answer of the tool in place of its marks.
 *
 * Guarantee: the whole text of a long answer, which the frame contains twice, is never in memory: it is written as the client reads it.
 */
export function* parts(
  frame: string,
  { answer: { value }, mark }: MarkedAnswer
): Generator<string, void, void> {
  const [start = "", rest] = frame.split(JSON.stringify(textOf(mark)))
  // The SDK has answered without the result of the tool, such as with an error of its own.
  if (rest === undefined) return yield frame
  const [middle = "", end = ""] = rest.split(JSON.stringify(structureOf(mark)))
  yield `${start}"`
  for (const part of JsonWriter.parts(value)) yield JSON.stringify(part).slice(1, -1)
  yield `"${middle}`
  yield* JsonWriter.parts(value)
  yield end
}

/** A client, and the `Idempotency-Key` of its request. */
export interface Caller {
  readonly principal: Principal
  readonly key: string | undefined
}

export type Call = (
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  caller: Caller
) => Effect.Effect<ToolAnswer>

export const make = Effect.gen(function*() {
  const intake = yield* Intake
  const keeping = yield* Keeping
  const registry = yield* OperationRegistry
  const readEntity = reading(registry)
  const write = writing(registry)
  const submit = submitting(intake)

  /** Two calls under the same key are the same call if they name the same tool with the same arguments. */
  const onceOf = (
    { operation: { name } }: Tool,
    args: object,
    { key, principal }: Caller
  ): Once | undefined => {
    if (key === undefined) return undefined
    const fingerprint = createHash("sha256").update(JSON.stringify(["mcp", name, args])).digest("hex")
    return (permissions, run) => keeping.once({ key, fingerprint, principal, permissions }, run)
  }

  const valueOf = (
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    caller: Caller
  ): Effect.Effect<object, CatalogueError> => {
    const { principal } = caller
    if ("readDocument" in tool) {
      const document = Effect.suspend(() => Effect.fromResult(tool.readDocument(args)))
      const once = onceOf(tool, args, caller)
      return valueOfWrite(submit(document, { principal, dryRun: false, once }))
    }
    const { method, operation, read } = tool
    const input = Effect.suspend(() => Effect.fromResult(read(args)))
    switch (operation.kind) {
      case "read":
      case "list":
        return Effect.flatMap(
          input,
          (input) => readEntity(method, { ...input }, principal)
        )
      case "write":
        return Effect.flatMap(input, (input) => {
          const { body, ...params } = input as { readonly body: unknown } & Readonly<Record<string, string>>
          return Effect.map(
            valueOfWrite(
              write(method, {
                params,
                body: Effect.succeed(body),
                principal,
                once: onceOf(tool, args, caller)
              })
            ),
            (value) => operation.receipt?.of(value) ?? operation.show?.(value) ?? value
          )
        })
    }
  }

  const call: Call = (tool, args, caller) =>
    Effect.matchCauseEffect(valueOf(tool, args, caller), {
      onSuccess: (value) => Effect.succeed({ value, isError: false }),
      onFailure: refusalOf
    })
  return call
})

/** The result of a write; a repetition under the same key gets the same result. */
const valueOfWrite = <A, E extends CatalogueError>(
  outcome: Effect.Effect<Outcome<A>, E>
): Effect.Effect<A, CatalogueError> => Effect.flatMap(outcome, ({ result }) => Effect.fromResult(result))

const refusalOf = Effect.fnUntraced(function*(cause: Cause.Cause<CatalogueError>) {
  // The client is gone: nobody reads an answer.
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
  const failure = Cause.findErrorOption(cause)
  const error: CatalogueError = failure._tag === "Some"
    ? failure.value
    : new InternalError({ correlationId: yield* RequestLog.correlationId })
  yield* countRefusal("mcp", error.code)
  if (failure._tag === "None") yield* Effect.logError("Request failed", cause)
  else if (error.category === "unavailable") yield* Effect.logWarning(`Answered ${error.code}`, cause)
  return { value: Problem.problemOf(error), isError: true }
})
