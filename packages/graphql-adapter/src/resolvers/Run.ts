/**
 * Runs effects in resolvers, and turns core's errors into GraphQL's. A defect is logged under the correlation id, and
 * the client sees only that id.
 */
import type { Session } from "@dockline/core/access/Authenticator"
import type { Once } from "@dockline/core/access/Keeping"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { countRefusal } from "@dockline/core/values/Refusals"
import { Cause, Context, Effect, Exit } from "effect"
import { internal, ofCatalogue } from "./GraphqlErrors.ts"

/** The key of a mutation whose answer is kept. */
export interface Keyed {
  readonly once: Once
  /** The refusal that was kept, and is given again. */
  repeated: CatalogueError | undefined
}

/** What resolvers know of the request: its session, its correlation id, and its key if a mutation has one. */
export interface GraphqlContext {
  readonly session: Session
  readonly correlationId: string
  /** The references of the request's fiber, so that logs and spans of resolvers belong to the request. */
  readonly fiber?: Context.Context<never> | undefined
  readonly keyed?: Keyed
}

/** Runs an effect for a resolver; rejects with a `GraphQLError` only. */
export type Run = <A, E extends CatalogueError>(
  effect: Effect.Effect<A, E>,
  context: GraphqlContext
) => Promise<A>

/** Runs effects with these references; those of the request go first. */
export const makeRun = (references: Context.Context<never>): Run => async (effect, context) => {
  const { correlationId, fiber } = context
  const services = fiber === undefined ? references : Context.merge(references, fiber)
  const exit = await Effect.runPromiseExitWith(services)(
    effect.pipe(
      Effect.tapCause((cause) => logFault(cause, context)),
      Effect.annotateLogs({ correlationId, clientId: context.session.principal.clientId })
    )
  )
  if (Exit.isSuccess(exit)) return exit.value
  const error = Cause.findErrorOption(exit.cause)
  throw error._tag === "Some" ? ofCatalogue(error.value) : internal(correlationId)
}

/** Counts refusals, and logs defects and failures of the storage, which clients do not see. One that is repeated was counted. */
const logFault = <E extends CatalogueError>(
  cause: Cause.Cause<E>,
  { keyed }: GraphqlContext
): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Cause.findErrorOption(cause)
  if (error._tag === "Some" && error.value === keyed?.repeated) return Effect.void
  const counted = countRefusal("graphql", error._tag === "None" ? "INTERNAL_ERROR" : error.value.code)
  if (error._tag === "None") return Effect.andThen(counted, Effect.logError("Request failed", cause))
  return error.value.category === "unavailable"
    ? Effect.andThen(counted, Effect.logWarning(`Answered ${error.value.code}`, cause))
    : counted
}
