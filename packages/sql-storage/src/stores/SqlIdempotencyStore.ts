/**
 * Answers kept by idempotency key, on PostgreSQL: those of requests that have written nothing, and the expiry of all. The answer of a
 * write is kept in its transaction (`KeptAnswers.ts`).
 */
import { IdempotencyStore, retentionMillis } from "@dockline/core/access/Idempotency"
import type { IdempotentRequest } from "@dockline/core/access/Idempotency"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { noEnds } from "../connections/Pipeline.ts"
import { operations } from "../connections/StoreOperations.ts"
import * as Cleanup from "./Cleanup.ts"
import * as KeptAnswers from "./KeptAnswers.ts"

/** Kept answers in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old ones by itself. */
export const layer: Layer.Layer<IdempotencyStore, never, SqlClient.SqlClient> = Layer.effect(
  IdempotencyStore,
  Effect.gen(function*() {
    const means = yield* operations
    const answers = KeptAnswers.make(means)

    const keep = Effect.fnUntraced(function*(request: IdempotentRequest, text: string) {
      const [state] = yield* answers.claim([request], noEnds)
      if (state === undefined) {
        yield* answers.put([{ request, text }])
        return null
      }
      return state._tag === "KeptAnswer" ? state : yield* state
    })

    const answersTable = { name: "idempotent_answer", at: "kept_at", key: ["client_id", "key"] }
    yield* Cleanup.run(
      "idempotent_answers",
      Cleanup.ofTable(means, answersTable, retentionMillis)
    )

    return IdempotencyStore.of({
      // A kept answer may be large, so a client gets its own one after another.
      keep: (request, text) =>
        means.transact({ turn: JSON.stringify(["kept", request.clientId]) })(keep(request, text))
    })
  })
)
