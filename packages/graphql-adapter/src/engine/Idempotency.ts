/**
 * `Idempotency-Key` on a mutation: a repeated request gets the first answer (D5.2).
 *
 * Guarantee: the answer is kept in the transaction of what the mutation wrote. A client that has lost the permission
 * since is refused the kept answer (D10.3).
 */
import { allows } from "@dockline/core/Access"
import { Forbidden, InvalidParameter, InvalidRequest } from "@dockline/core/Errors"
import { IdempotencyStore } from "@dockline/core/IdempotencyStore"
import { isKept } from "@dockline/core/internal/Categories"
import { Effect } from "effect"
import { Kind } from "graphql"
import type { FormattedExecutionResult, GraphQLError, OperationDefinitionNode } from "graphql"
import { createHash } from "node:crypto"
import type { GraphqlEngine, Prepared } from "./Engine.ts"
import { categoryOf } from "./GraphqlErrors.ts"
import type { GraphqlContext, Written } from "./Run.ts"

/** The longest key, in characters. */
const maxKeyLength = 255

/** An answer, and whether it is that of an earlier request. */
export interface OnceResult {
  readonly result: FormattedExecutionResult
  readonly replayed: boolean
}

/** Executes a mutation under a key; rejected with a `GraphQLError` when the key cannot be used. */
export type Once = (key: string, prepared: Prepared, context: GraphqlContext) => Promise<OnceResult>

interface KeptAnswer {
  readonly result: FormattedExecutionResult
  readonly written: ReadonlyArray<Written>
}

/** Makes the execution under keys. */
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
      if (key === "" || key.length > maxKeyLength) return yield* badKey
      if (!isSingle(prepared.operation)) return yield* severalMutations
      const { principal } = context.session
      const fingerprint = yield* Effect.promise(() => fingerprintOf(prepared))
      // Told of once the answer stands: one that is lost with the transaction around it is never given.
      const refused: Array<Effect.Effect<void>> = []
      const { answer, replayed } = yield* store.once(
        { clientId: principal.clientId, key, fingerprint },
        first(prepared, context, (note) => void refused.push(note))
      )
      yield* Effect.forEach(refused, (note) => note, { discard: true })
      const { result, written } = JSON.parse(answer) as KeptAnswer
      for (const { permission, business, facility } of replayed ? written : []) {
        if (!allows(principal, permission, business, facility)) {
          return yield* new Forbidden({ permission, business, facility })
        }
      }
      return { result, replayed }
    })

    return (key, prepared, context) => engine.services.run(once(key, prepared, context), context)
  })

/** Whether a refusal is given again: what GraphQL itself refuses is, a defect is not (D5.2). */
const isGivenAgain = (error: GraphQLError): boolean =>
  error.extensions["code"] !== "INTERNAL" && isKept(categoryOf(error) ?? "malformed")

const badKey = new InvalidParameter({
  errors: [{ path: "Idempotency-Key", detail: `must be 1 to ${maxKeyLength} characters long` }]
})

const severalMutations = new InvalidRequest({
  errors: [{ path: "Idempotency-Key", detail: "covers one mutation; send each with a key of its own" }]
})

const isSingle = ({ selectionSet: { selections } }: OperationDefinitionNode): boolean =>
  selections.length === 1 && selections[0]?.kind === Kind.FIELD

/** A digest of all that makes the request: document, operation, variables, and the bytes of files among them. */
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
