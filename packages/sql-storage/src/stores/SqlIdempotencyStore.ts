/**
 * Answers kept by idempotency key, on PostgreSQL: those of requests that have written nothing, and the expiry of all. The answer of a
 * write is kept in its transaction (`KeptAnswers.ts`).
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import { IdempotencyStore } from "@dockline/core/IdempotencyStore"
import type { IdempotentRequest } from "@dockline/core/Keep"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "../connections/Deadline.ts"
import { Lending, loans } from "../connections/Loan.ts"
import { noEnds } from "../connections/Pipeline.ts"
import * as Cleanup from "./Cleanup.ts"
import * as KeptAnswers from "./KeptAnswers.ts"

/** The most answers that one statement drops. */
const batchSize = 1000

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

    const expired: Cleanup.Expired<"all", StorageUnavailable> = {
      look: operation(onItsOwn(Effect.flatMap(KeptAnswers.expiry, (since) =>
        Effect.map(
          sql`select 1 as found from dockline.idempotent_answer where kept_at <= ${since}::timestamptz limit 1`,
          (rows) => rows.map(() => "all" as const)
        )))),
      // A row that a request is renewing is skipped.
      drop: () =>
        operation(onItsOwn(Effect.flatMap(KeptAnswers.expiry, (since) =>
          Effect.map(
            sql`delete from dockline.idempotent_answer a using (
              select client_id, key from dockline.idempotent_answer where kept_at <= ${since}::timestamptz
              order by kept_at limit ${batchSize}::int for update skip locked) as old
            where a.client_id = old.client_id and a.key = old.key and a.kept_at <= ${since}::timestamptz
            returning 1 as dropped`,
            ({ length }) => ({ dropped: length, next: length < batchSize ? null : 1 })
          ))))
    }
    yield* Cleanup.run("idempotent_answers", expired)

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
