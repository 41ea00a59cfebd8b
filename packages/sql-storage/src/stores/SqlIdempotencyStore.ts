/**
 * Answers kept by idempotency key, on PostgreSQL.
 *
 * A request runs in a transaction that begins with its first write (`LateTransaction.ts`), so a request with a key waits as
 * one without, and holds no connection meanwhile. The transaction locks the key and writes the answer: if the process dies,
 * the lock ends and nothing is kept. Of two instances with the same request, one runs it and the other gets its answer.
 * Documents share their transaction with others (`SqlIntakeStore.ts`).
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import { IdempotencyStore } from "@dockline/core/IdempotencyStore"
import type { FirstAnswer, IdempotentRequest, OnceOptions } from "@dockline/core/IdempotencyStore"
import { IdempotencyKeyInUse } from "@dockline/core/RequestErrors"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transaction } from "../connections/AfterCommit.ts"
import { operations } from "../connections/Deadline.ts"
import * as LateTransaction from "../connections/LateTransaction.ts"
import { Lending } from "../connections/Loan.ts"
import { refine } from "../connections/StorageErrors.ts"
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
    const lend = yield* Lending
    /** The keys whose first request runs or waits in this process. */
    const running = new Set<string>()
    const onItsOwn = lend({ lane: "requests" })
    const answers = KeptAnswers.make(sql)

    /** The transaction of a request whose key was free; another instance may have been faster. */
    const transact = Effect.fnUntraced(
      function*(request: IdempotentRequest, work: Effect.Effect<FirstAnswer>) {
        const [found] = yield* answers.claim([request])
        const kept = yield* found!
        if (kept !== undefined) return kept
        const first = yield* work
        yield* answers.keep([{ request, first }])
        return LateTransaction.firstAnswer(first)
      }
    )

    const once = <E, R>(
      request: IdempotentRequest,
      first: Effect.Effect<FirstAnswer, E, R>,
      { writesOnce = false }: OnceOptions
    ) => {
      const id = KeptAnswers.keyOf(request)
      const run = LateTransaction.run(
        { request, first, writesOnce },
        (claim, work) => refine(lend(claim)(transaction(sql)(transact(request, work))))
      )
      return Effect.acquireUseRelease(
        Effect.suspend(() =>
          running.has(id) ? Effect.fail(new IdempotencyKeyInUse()) : Effect.sync(() => running.add(id))
        ),
        () =>
          // A request that writes once does next to nothing before its key is claimed.
          writesOnce ? run : Effect.flatMap(
            Effect.flatMap(answers.find([request]), ([found]) => found!),
            (kept) => kept === undefined ? run : Effect.succeed(kept)
          ),
        () => Effect.sync(() => running.delete(id))
      )
    }

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
      once: (request, first, options = {}) => operation(once(request, first, options))
    })
  })
)
