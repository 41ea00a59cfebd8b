/**
 * Migration 2: API clients, the keys that tokens are signed with, and answers kept by idempotency key.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table dockline.client (
    id text primary key,
    name text not null,
    enabled boolean not null,
    secrets jsonb not null,
    grants jsonb not null
  )`,
  `create table dockline.signing_key (
    id text primary key,
    private_jwk text not null,
    created_at timestamptz not null
  )`,
  `create table dockline.idempotent_answer (
    client_id text not null,
    key text not null,
    fingerprint text not null,
    answer text not null,
    kept_at timestamptz not null,
    primary key (client_id, key)
  )`,
  `create index idempotent_answer_kept_at on dockline.idempotent_answer (kept_at)`
]

/** Runs the migration. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
