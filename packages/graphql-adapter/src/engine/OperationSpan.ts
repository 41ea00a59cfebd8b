/**
 * A query or a mutation as a span. Without a tracer nothing happens. Texts of clients are clipped, and arguments and
 * variables are in no span.
 */
import { clip } from "@dockline/core/values/Clip"
import * as TraceContext from "@dockline/core/values/TraceContext"
import { Context, Effect, Tracer } from "effect"
import type { ExecutionResult } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { Prepared } from "./Prepared.ts"

/** Executes in a span if a tracer is among the references; those of the request go first. */
export const inSpan = (
  references: Context.Context<never>,
  { operation: { name, operation } }: Prepared,
  context: GraphqlContext,
  execute: (context: GraphqlContext) => Promise<ExecutionResult>
): Promise<ExecutionResult> => {
  const given = context.fiber === undefined ? references : Context.merge(references, context.fiber)
  if (!TraceContext.isTraced(given)) return execute(context)
  const isFirst = Context.getOrUndefined(given, Tracer.ParentSpan) === undefined
  const attributes: Record<string, unknown> = {
    "graphql.operation.type": operation,
    ...(name === undefined ? {} : { "graphql.operation.name": clip(name.value) }),
    ...(isFirst
      ? {
        "correlation.id": context.correlationId,
        "dockline.client.id": context.session.principal.clientId
      }
      : {})
  }
  const spanned = Effect.useSpan(
    `GraphQL ${operation}`,
    { kind: isFirst ? "server" : "internal", attributes },
    (span) => {
      const fiber = Context.add(given, Tracer.ParentSpan, span)
      return Effect.tap(
        Effect.promise(() => execute({ ...context, fiber })),
        ({ errors = [] }) =>
          Effect.sync(() => {
            if (errors.length > 0) span.attribute("graphql.error.codes", codesOf(errors))
          })
      )
    }
  )
  return Effect.runPromiseWith(given)(spanned)
}

const codesOf = (errors: NonNullable<ExecutionResult["errors"]>): ReadonlyArray<string> =>
  Array.from(new Set(errors.map(({ extensions }) => String(extensions["reason"] ?? extensions["code"]))))
