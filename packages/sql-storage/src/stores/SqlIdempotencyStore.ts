/**
 * Answers kept by idempotency key, on PostgreSQL: those of requests that have written nothing, and the expiry of all. The answer of a
 * write is kept in its transaction (`KeptAnswers.ts`).
 */
import { IdempotencyStore } from "@dockline/core/IdempotencyStore"
import type { IdempotentRequest } from "@dockline/core/Keep"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "../connections/Deadline.ts"
import { Lending, loans } from "../connections/Loan.ts"
import { noEnds } from "../connections/Pipeline.ts"
import * as Cleanup from "./Cleanup.ts"
import * as KeptAnswers from "./KeptAnswers.ts"

/** Kept answers in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old ones by itself. */
export const layer: Layer.Layer<IdempotencyStore, never, SqlClient.SqlClient> = Layer.effect(
  IdempotencyStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const operation = yield* operations
    const loan = yield* loans
    const onItsOwn = (yield* Lending)({ lane: "requests" })
    const answers = KeptAnswers.make(sql)

    const keep = Effect.fnUntraced(function*(request: IdempotentRequest, text: string) {
      const [taken] = yield* answers.claim([request], noEnds)
      if (taken === undefined) {
        yield* answers.put([{ request, text }])
        return null
      }
      return taken._tag === "KeptAnswer" ? taken : yield* taken
    })

    const kept = { name: "idempotent_answer", at: "kept_at", key: ["client_id", "key"] }
    yield* Cleanup.run(
      "idempotent_answers",
      Cleanup.ofTable(sql, kept, KeptAnswers.expiry, (statement) => operation(onItsOwn(statement)))
    )

    return IdempotencyStore.of({
      keep: (request, text) =>
        sql.withTransaction(keep(request, text)).pipe(
          // A kept answer may be large, so a client gets its own one after another.
          loan({ lane: "requests", turn: JSON.stringify(["kept", request.clientId]) }),
          operation
        )
    })
  })
)
