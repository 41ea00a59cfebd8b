/**
 * `Idempotency-Key` on a mutation: the answer is kept in the transaction of the writes (D5.2). A client that has lost
 * the permission since is refused the kept answer (D10.3).
 */
import { allowsAny } from "@dockline/core/Access"
import { Forbidden, InvalidRequest } from "@dockline/core/Errors"
import { IdempotencyStore } from "@dockline/core/IdempotencyStore"
import { isKept } from "@dockline/core/internal/wire/Categories"
import { keyRefusalOf } from "@dockline/core/internal/wire/IdempotencyKey"
import { Effect } from "effect"
import { Kind } from "graphql"
import type {
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLError,
  OperationDefinitionNode
} from "graphql"
import { createHash } from "node:crypto"
import { categoryOf } from "../resolvers/GraphqlErrors.ts"
import type { GraphqlContext, Written } from "../resolvers/Run.ts"
import type { GraphqlEngine } from "./Engine.ts"
import { shown } from "./Engine.ts"
import type { Prepared } from "./Prepared.ts"

/** The answer to an operation, and whether it was kept from an earlier request. */
export interface OnceResult {
  readonly result: ExecutionResult | FormattedExecutionResult
  readonly replayed: boolean
}

/** Executes an operation: a mutation with a key once, everything else each time. Never rejected. */
export type Once = (
  key: string | undefined,
  prepared: Prepared,
  context: GraphqlContext
) => Promise<OnceResult>

interface KeptAnswer {
  readonly result: FormattedExecutionResult
  readonly written: ReadonlyArray<Written>
}

export const make = (engine: typeof GraphqlEngine.Service): Effect.Effect<Once, never, IdempotencyStore> =>
  Effect.map(IdempotencyStore, (store): Once => {
    const first = (
      prepared: Prepared,
      context: GraphqlContext,
      onRefused: NonNullable<GraphqlContext["onRefused"]>
    ) =>
      Effect.gen(function*() {
        const written: Array<Written> = []
        // With the references of this fiber, the mutation writes in the transaction that keeps its answer.
        const fiber = yield* Effect.context<never>()
        const result = yield* Effect.promise(() =>
          engine.execute(prepared, {
            ...context,
            fiber,
            onRefused,
            onWritten: (place) => void written.push(place)
          })
        )
        const keep = result.errors?.every(isGivenAgain) !== false
        return { answer: JSON.stringify({ result, written }), keep }
        // The mutation must not go on in a transaction that has ended.
      }).pipe(Effect.uninterruptible)

    const once = Effect.fnUntraced(function*(key: string, prepared: Prepared, context: GraphqlContext) {
      const badKey = keyRefusalOf(key)
      if (badKey !== undefined) return yield* badKey
      if (!isSingle(prepared.operation)) return yield* severalMutations
      const { principal } = context.session
      const fingerprint = yield* Effect.promise(() => fingerprintOf(prepared))
      // Counted once the answer is kept: an answer that is lost with its transaction reaches no client.
      const refused: Array<Effect.Effect<void>> = []
      const { answer, replayed } = yield* store.once(
        { clientId: principal.clientId, key, fingerprint },
        first(prepared, context, (note) => void refused.push(note))
      )
      yield* Effect.forEach(refused, (note) => note, { discard: true })
      const { result, written } = JSON.parse(answer) as KeptAnswer
      for (const { permissions, business, facility } of replayed ? written : []) {
        if (!allowsAny(principal, permissions, business, facility)) {
          return yield* new Forbidden({ permission: permissions.join(" or "), business, facility })
        }
      }
      return { result, replayed }
    })

    return async (key, prepared, context) => {
      if (key === undefined || prepared.operation.operation !== "mutation") {
        return { result: await engine.execute(prepared, context), replayed: false }
      }
      try {
        return await engine.services.run(once(key, prepared, context), context)
      } catch (error) {
        return { result: { errors: [shown(error, context, engine.services)] }, replayed: false }
      }
    }
  })

/** Whether a repeated request gets this error again: it does not get a defect again (D5.2). */
const isGivenAgain = (error: GraphQLError): boolean =>
  error.extensions["code"] !== "INTERNAL" && isKept(categoryOf(error) ?? "malformed")

const severalMutations = new InvalidRequest({
  errors: [{ path: "Idempotency-Key", detail: "covers one mutation; send each with a key of its own" }]
})

const isSingle = ({ selectionSet: { selections } }: OperationDefinitionNode): boolean =>
  selections.length === 1 && selections[0]?.kind === Kind.FIELD

/** A digest of the whole request: document, operation, variables, and the bytes of files among them. */
const fingerprintOf = async ({ source, operationName, variables }: Prepared): Promise<string> => {
  const files: Array<Blob> = []
  const text = JSON.stringify(["graphql", source, operationName ?? "", variables], (_key, value: unknown) => {
    if (!(value instanceof Blob)) return value
    files.push(value)
    return ["file", value.type, value.size]
  })
  const hash = createHash("sha256").update(text)
  for (const file of files) hash.update("\n").update(new Uint8Array(await file.arrayBuffer()))
  return hash.digest("hex")
}
