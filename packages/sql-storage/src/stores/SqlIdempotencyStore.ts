/**
 * Answers kept by idempotency key, on PostgreSQL.
 *
 * A request runs in a transaction that begins with its first write (`LateTransaction.ts`), so a request with a key waits as
 * one without, and holds no connection meanwhile. The transaction locks the key and writes the answer: if the process dies,
 * the lock ends and nothing is kept. Of two instances with the same request, one runs it and the other gets its answer.
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import { IdempotencyStore, retentionMillis } from "@dockline/core/IdempotencyStore"
import type { FirstAnswer, IdempotentRequest, KeptAnswer } from "@dockline/core/IdempotencyStore"
import { IdempotencyKeyInUse, IdempotencyKeyReused } from "@dockline/core/RequestErrors"
import * as Timestamp from "@dockline/core/Timestamp"
import { Clock, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { transaction } from "../connections/AfterCommit.ts"
import { operations } from "../connections/Deadline.ts"
import * as LateTransaction from "../connections/LateTransaction.ts"
import { Lending } from "../connections/Loan.ts"
import { refine } from "../connections/StorageErrors.ts"
import * as Cleanup from "./Cleanup.ts"

interface KeptRow {
  readonly fingerprint: string
  readonly answer: string
}

/** The most answers that one statement drops. */
const batchSize = 1000

const answerOf = ({ answer }: FirstAnswer): KeptAnswer => ({ answer, replayed: false })

const expiry = Effect.map(Clock.currentTimeMillis, (now) => Timestamp.fromMillis(now - retentionMillis))

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

    const find = Effect.fnUntraced(function*({ clientId, fingerprint, key }: IdempotentRequest) {
      const [kept] = yield* sql<KeptRow>`select fingerprint, answer from dockline.idempotent_answer
        where client_id = ${clientId} and key = ${key} and kept_at > ${yield* expiry}::timestamptz`
      if (kept === undefined) return undefined
      if (kept.fingerprint !== fingerprint) return yield* new IdempotencyKeyReused()
      return { answer: kept.answer, replayed: true } satisfies KeptAnswer
    })

    const keep = Effect.fnUntraced(
      function*({ clientId, fingerprint, key }: IdempotentRequest, answer: string) {
        yield* sql`insert into dockline.idempotent_answer (client_id, key, fingerprint, answer, kept_at)
        values (${clientId}, ${key}, ${fingerprint}, ${answer}, ${yield* Timestamp.now}::timestamptz)
        on conflict (client_id, key) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,
          kept_at = excluded.kept_at`
      }
    )

    /** The transaction of a request whose key was free; another instance may have been faster. */
    const transact = Effect.fnUntraced(
      function*(id: string, request: IdempotentRequest, first: Effect.Effect<FirstAnswer>) {
        // Two statements: the second must see the answer of the transaction that held the lock before.
        const [lock] = yield* sql<{ readonly locked: boolean }>`select pg_try_advisory_xact_lock(
          hashtextextended('dockline.idempotency:' || ${id}, 0)) as locked`
        if (!lock!.locked) return yield* new IdempotencyKeyInUse()
        const kept = yield* find(request)
        if (kept !== undefined) return kept
        const outcome = yield* first
        if (outcome.keep) yield* keep(request, outcome.answer)
        return answerOf(outcome)
      }
    )

    const once = <E, R>(request: IdempotentRequest, first: Effect.Effect<FirstAnswer, E, R>) => {
      const id = JSON.stringify([request.clientId, request.key])
      const run = LateTransaction.run(
        first,
        (claim, work) => refine(lend(claim)(transaction(sql)(transact(id, request, work)))),
        (outcome) => outcome.keep ? Option.none() : Option.some(answerOf(outcome))
      )
      return Effect.suspend(() => {
        if (running.has(id)) return Effect.fail(new IdempotencyKeyInUse())
        running.add(id)
        return Effect.ensuring(
          Effect.flatMap(find(request), (kept) => kept === undefined ? run : Effect.succeed(kept)),
          Effect.sync(() => running.delete(id))
        )
      })
    }

    const expired: Cleanup.Expired<"all", StorageUnavailable> = {
      look: operation(onItsOwn(Effect.flatMap(expiry, (since) =>
        Effect.map(
          sql`select 1 as found from dockline.idempotent_answer where kept_at <= ${since}::timestamptz limit 1`,
          (rows) => rows.map(() => "all" as const)
        )))),
      // A row that a request is renewing is skipped.
      drop: () =>
        operation(onItsOwn(Effect.flatMap(expiry, (since) =>
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

    return IdempotencyStore.of({ once: (request, first) => operation(once(request, first)) })
  })
)
