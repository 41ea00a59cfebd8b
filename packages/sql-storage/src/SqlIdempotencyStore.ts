/**
 * Answers kept by idempotency key, on PostgreSQL.
 *
 * The first run holds a lock on its key for its transaction, and its answer is written in that same transaction:
 * when the process dies the lock is gone and nothing is kept, so the key is neither lost nor stuck.
 */
import { IdempotencyKeyInUse, IdempotencyKeyReused } from "@dockline/core/Errors"
import type { StorageUnavailable } from "@dockline/core/Errors"
import { IdempotencyStore, retentionMillis } from "@dockline/core/IdempotencyStore"
import type { FirstAnswer, IdempotentRequest } from "@dockline/core/IdempotencyStore"
import * as Timestamp from "@dockline/core/Timestamp"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transaction } from "./AfterCommit.ts"
import * as Cleanup from "./Cleanup.ts"
import { TransactionLimit } from "./Database.ts"
import { operations } from "./Deadline.ts"
import * as OwnConnection from "./OwnConnection.ts"
import { permits } from "./Transactions.ts"

interface KeptRow {
  readonly locked: boolean
  readonly fingerprint: string | null
  readonly answer: string | null
}

/** How many old answers one statement drops, so that none takes long. */
const batchSize = 1000

const expiry = Effect.map(Clock.currentTimeMillis, (now) => Timestamp.fromMillis(now - retentionMillis))

/** Kept answers in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old ones by itself. */
export const layer: Layer.Layer<IdempotencyStore, never, SqlClient.SqlClient> = Layer.effect(
  IdempotencyStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const operation = yield* operations
    const transactions = permits(sql, yield* TransactionLimit)
    const onItsOwn = OwnConnection.make(sql, yield* TransactionLimit)

    const once = Effect.fnUntraced(
      function*<E, R>(request: IdempotentRequest, first: Effect.Effect<FirstAnswer, E, R>) {
        const since = yield* expiry
        // Two statements: the second must see what was kept by the run that held the lock before.
        const [lock] = yield* sql<Pick<KeptRow, "locked">>`select pg_try_advisory_xact_lock(
        hashtextextended('dockline.idempotency:' || ${
          JSON.stringify([request.clientId, request.key])
        }, 0)) as locked`
        if (!lock!.locked) return yield* new IdempotencyKeyInUse()
        const [kept] = yield* sql<Pick<KeptRow, "fingerprint" | "answer">>`select fingerprint, answer
        from dockline.idempotent_answer
        where client_id = ${request.clientId} and key = ${request.key} and kept_at > ${since}::timestamptz`
        if (kept !== undefined) {
          if (kept.fingerprint !== request.fingerprint) return yield* new IdempotencyKeyReused()
          return { answer: kept.answer!, replayed: true }
        }
        const { answer, keep } = yield* first
        if (keep) {
          yield* sql`insert into dockline.idempotent_answer (client_id, key, fingerprint, answer, kept_at)
          values (${request.clientId}, ${request.key}, ${request.fingerprint}, ${answer}, ${yield* Timestamp
            .now}::timestamptz)
          on conflict (client_id, key) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,
            kept_at = excluded.kept_at`
        }
        return { answer, replayed: false }
      }
    )

    const expired: Cleanup.Expired<"all", StorageUnavailable> = {
      look: operation(onItsOwn(Effect.flatMap(expiry, (since) =>
        Effect.map(
          sql`select 1 as found from dockline.idempotent_answer where kept_at <= ${since}::timestamptz limit 1`,
          (rows) => rows.map(() => "all" as const)
        )))),
      // A run that keeps a new answer under an old key holds its row: that one is passed over, and stays when it is renewed.
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

    return IdempotencyStore.of({
      // The documents of `first` run in this transaction, so this is the one permit they count for.
      once: (request, first) => operation(transactions.withPermit(transaction(sql)(once(request, first))))
    })
  })
)
