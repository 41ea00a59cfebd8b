/**
 * `Idempotency-Key` on a mutation (D5.2). Core keeps the answer of its operation, or the refusal; a repeat shows that as the
 * mutation selects it.
 */
import { Keeping } from "@dockline/core/access/Keeping"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { InvalidRequest } from "@dockline/core/values/Errors"
import { Effect, Result } from "effect"
import { Kind } from "graphql"
import type { OperationDefinitionNode } from "graphql"
import { createHash } from "node:crypto"
import { ofCatalogue } from "../resolvers/Run.ts"
import type { GraphqlContext, MutationKey } from "../resolvers/Run.ts"
import { publicError } from "./Engine.ts"
import type { GraphqlEngine } from "./Engine.ts"
import type { GraphqlOperation, Result as OperationResult } from "./GraphqlOperation.ts"

/** The answer to an operation, and whether it was kept from an earlier request. */
export interface OnceResult {
  readonly result: OperationResult
  readonly replayed: boolean
}

/** Executes an operation: a mutation with a key once, everything else each time. Never rejected. */
export type Once = (
  key: string | undefined,
  operation: GraphqlOperation,
  context: GraphqlContext
) => Promise<OnceResult>

export const make = (engine: typeof GraphqlEngine.Service): Effect.Effect<Once, never, Keeping> =>
  Effect.map(Keeping, (keeping): Once => {
    const onceByKey = async (
      key: string,
      operation: GraphqlOperation,
      context: GraphqlContext
    ): Promise<OnceResult> => {
      if (!isSingle(operation.definition)) await engine.services.run(Effect.fail(severalMutations), context)
      const request = {
        key,
        principal: context.session.principal,
        fingerprint: await fingerprintOf(operation)
      }
      /** Why the mutation gets neither its answer nor an earlier one. */
      let refusal: CatalogueError | undefined
      let replayed = false
      const mutationKey: MutationKey = {
        refusal: undefined,
        once: (permissions, run) =>
          keeping.once({ ...request, permissions }, run).pipe(
            Effect.tapError((error) => Effect.sync(() => void (refusal = error))),
            Effect.tap((outcome) =>
              Effect.sync(() => {
                replayed = outcome.replayed
                if (replayed && Result.isFailure(outcome.result)) mutationKey.refusal = outcome.result.failure
              })
            )
          )
      }
      const result = await engine.execute(operation, { ...context, key: mutationKey })
      return refusal === undefined
        ? { result, replayed }
        : { result: { errors: [ofCatalogue(refusal)] }, replayed: false }
    }

    return async (key, operation, context) => {
      if (key === undefined || operation.type !== "mutation") {
        return { result: await engine.execute(operation, context), replayed: false }
      }
      try {
        return await onceByKey(key, operation, context)
      } catch (error) {
        return { result: { errors: [publicError(error, context, engine.services)] }, replayed: false }
      }
    }
  })

const severalMutations = new InvalidRequest({
  errors: [{ path: "Idempotency-Key", detail: "covers one mutation; send each with a key of its own" }]
})

const isSingle = ({ selectionSet: { selections } }: OperationDefinitionNode): boolean =>
  selections.length === 1 && selections[0]?.kind === Kind.FIELD

/** A digest of the whole request: document, operation, variables, and the bytes of files among them. */
const fingerprintOf = async ({ source, operationName, variables }: GraphqlOperation): Promise<string> => {
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
