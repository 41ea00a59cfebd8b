/**
 * Running effects in resolvers: who asks, and how core's errors become GraphQL's.
 *
 * Guarantee: a promise made here is rejected with a `GraphQLError` only. A defect is logged under the correlation id
 * and shows nothing else.
 */
import type { Permission } from "@dockline/core/Access"
import type { Session } from "@dockline/core/Authenticator"
import type { CatalogueError } from "@dockline/core/internal/Categories"
import { countRefusal } from "@dockline/core/Refusals"
import { Cause, Context, Effect, Exit } from "effect"
import { internal, ofCatalogue } from "./GraphqlErrors.ts"

/** Where a mutation wrote, and what that took. */
export interface Written {
  readonly permission: Permission
  readonly business: string
  readonly facility: string
}

/** What resolvers see of who asks. */
export interface GraphqlContext {
  readonly session: Session
  readonly correlationId: string
  /** The references of the request's fiber, so that logs and spans of resolvers belong to the request. */
  readonly fiber?: Context.Context<never> | undefined
  /** Told of each mutation that succeeded. */
  readonly onWritten?: (written: Written) => void
  /**
   * Given what is to be counted and logged of each refusal, by whoever may yet give another answer; without it that is
   * done at once, as it is for defects.
   */
  readonly onRefused?: (note: Effect.Effect<void>) => void
}

/** Runs an effect of core for a resolver. */
export type Run = <A, E extends CatalogueError>(
  effect: Effect.Effect<A, E>,
  context: GraphqlContext
) => Promise<A>

/** Runs effects with these references, which a layer takes from where it is built; those of the request go first. */
export const makeRun = (references: Context.Context<never>): Run => async (effect, context) => {
  const { correlationId, fiber } = context
  const services = fiber === undefined ? references : Context.merge(references, fiber)
  const exit = await Effect.runPromiseExitWith(services)(
    effect.pipe(
      Effect.tapCause((cause) => tell(cause, context)),
      Effect.annotateLogs({ correlationId, clientId: context.session.principal.clientId })
    )
  )
  if (Exit.isSuccess(exit)) return exit.value
  const error = Cause.findErrorOption(exit.cause)
  throw error._tag === "Some" ? ofCatalogue(error.value) : internal(correlationId)
}

const tell = <E extends CatalogueError>(
  cause: Cause.Cause<E>,
  { onRefused }: GraphqlContext
): Effect.Effect<void> =>
  onRefused === undefined || Cause.findErrorOption(cause)._tag === "None"
    ? logFault(cause)
    : Effect.sync(() => onRefused(logFault(cause)))

/** Counts what a client is refused with, and logs what an operator has to know and the client is not shown. */
const logFault = <E extends CatalogueError>(cause: Cause.Cause<E>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Cause.findErrorOption(cause)
  const counted = countRefusal("graphql", error._tag === "None" ? "INTERNAL_ERROR" : error.value.code)
  if (error._tag === "None") return Effect.andThen(counted, Effect.logError("Request failed", cause))
  return error.value.category === "unavailable"
    ? Effect.andThen(counted, Effect.logWarning(`Answered ${error.value.code}`, cause))
    : counted
}
