/**
 * The rows of answers that are kept by idempotency key, for one request or for all of a batch.
 */
import { retentionMillis } from "@dockline/core/IdempotencyStore"
import type { FirstAnswer, IdempotentRequest, KeptAnswer } from "@dockline/core/IdempotencyStore"
import { IdempotencyKeyInUse, IdempotencyKeyReused } from "@dockline/core/RequestErrors"
import * as Timestamp from "@dockline/core/Timestamp"
import { Clock, Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql"
import { together } from "../connections/Pipeline.ts"

interface KeptRow {
  /** Which of the requests, from 1. */
  readonly at: number
  readonly fingerprint: string
  readonly answer: string
}

/** The answer that is kept for a request, `undefined` if it is the first; a failure if the key belongs to another one. */
export type Found = Exit.Exit<KeptAnswer | undefined, IdempotencyKeyInUse | IdempotencyKeyReused>

/** The key of a request, whoever its client is. */
export const keyOf = ({ clientId, key }: IdempotentRequest): string => JSON.stringify([clientId, key])

/** The time before which answers have expired. */
export const expiry = Effect.map(
  Clock.currentTimeMillis,
  (now) => Timestamp.fromMillis(now - retentionMillis)
)

const columnsOf = (requests: ReadonlyArray<IdempotentRequest>) => ({
  clientIds: requests.map(({ clientId }) => clientId),
  keys: requests.map(({ key }) => key)
})

/** Makes the functions of kept answers. */
export const make = (sql: SqlClient.SqlClient) => {
  const find = Effect.fnUntraced(function*(requests: ReadonlyArray<IdempotentRequest>) {
    const { clientIds, keys } = columnsOf(requests)
    const rows = yield* sql<KeptRow>`select request.at::int as at, kept.fingerprint, kept.answer
      from unnest(${clientIds}::text[], ${keys}::text[]) with ordinality as request (client_id, key, at)
      join dockline.idempotent_answer as kept on kept.client_id = request.client_id and kept.key = request.key
      where kept.kept_at > ${yield* expiry}::timestamptz`
    const found = requests.map((): Found => Exit.succeed(undefined))
    for (const { answer, at, fingerprint } of rows) {
      found[at - 1] = requests[at - 1]!.fingerprint === fingerprint
        ? Exit.succeed({ answer, replayed: true })
        : Exit.fail(new IdempotencyKeyReused())
    }
    return found
  })

  const lock = (requests: ReadonlyArray<IdempotentRequest>) =>
    Effect.map(
      sql<{ readonly locked: ReadonlyArray<boolean> }>`select array_agg(pg_try_advisory_xact_lock(
        hashtextextended('dockline.idempotency:' || id, 0)) order by at) as locked
        from unnest(${requests.map(keyOf)}::text[]) with ordinality as request (id, at)`,
      ([row]) => row!.locked
    )

  return {
    find,
    /** Locks the keys until the transaction ends, and finds their answers; a key that is locked elsewhere is in use. */
    claim: Effect.fnUntraced(function*(requests: ReadonlyArray<IdempotentRequest>) {
      // Two statements: the second must see the answer of the transaction that held the lock before.
      const [locked, found] = yield* together<ReadonlyArray<boolean> | ReadonlyArray<Found>>([
        lock(requests),
        find(requests)
      ])
      return (found as ReadonlyArray<Found>).map((each, at): Found =>
        (locked as ReadonlyArray<boolean>)[at]! ? each : Exit.fail(new IdempotencyKeyInUse())
      )
    }),
    /** Keeps the answers that are to be kept. */
    keep: Effect.fnUntraced(function*(
      answers: ReadonlyArray<{ readonly request: IdempotentRequest; readonly first: FirstAnswer }>
    ) {
      const kept = answers.filter(({ first }) => first.keep)
      if (kept.length === 0) return
      const requests = kept.map(({ request }) => request)
      const { clientIds, keys } = columnsOf(requests)
      yield* sql`insert into dockline.idempotent_answer (client_id, key, fingerprint, answer, kept_at)
        select client_id, key, fingerprint, answer, ${yield* Timestamp.now}::timestamptz
        from unnest(${clientIds}::text[], ${keys}::text[], ${
        requests.map(({ fingerprint }) => fingerprint)
      }::text[],
          ${kept.map(({ first }) => first.answer)}::text[]) as kept (client_id, key, fingerprint, answer)
        on conflict (client_id, key) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,
          kept_at = excluded.kept_at`
    })
  }
}
