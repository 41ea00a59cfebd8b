/** The sessions of browsers on PostgreSQL, shared by all instances. */
import { sessionsPerClient, SessionStore } from "@dockline/core/access/SessionStore"
import type { AnsweredSignIn, StoredSession } from "@dockline/core/access/SessionStore"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOrNull } from "../connections/OneRow.ts"
import { operations } from "../connections/StoreOperations.ts"

/** The sessions in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<SessionStore, never, SqlClient.SqlClient> = Layer.effect(
  SessionStore,
  Effect.map(operations, ({ operation, sql }) => {
    // One statement, so that a session is there with what it displaces gone.
    const add = ({ id, clientId, createdAt, expiresAt }: StoredSession) =>
      sql`with expired as (
          delete from dockline.browser_session where expires_at < ${createdAt}::timestamptz
        ), displaced as (
          delete from dockline.browser_session where client_id = ${clientId} and id in (
            select id from dockline.browser_session where client_id = ${clientId}
            order by created_at desc offset ${sessionsPerClient - 1})
        )
        insert into dockline.browser_session (id, client_id, created_at, expires_at)
        values (${id}, ${clientId}, ${createdAt}::timestamptz, ${expiresAt}::timestamptz)`

    const find = (id: string) =>
      rowOrNull(
        sql<StoredSession>`select id, client_id as "clientId", dockline.rfc3339(created_at) as "createdAt",
        dockline.rfc3339(expires_at) as "expiresAt" from dockline.browser_session where id = ${id}`
      )

    const markAnswered = ({ expiresAt, id }: AnsweredSignIn, now: Timestamp) =>
      sql`with expired as (delete from dockline.answered_sign_in where expires_at < ${now}::timestamptz)
        insert into dockline.answered_sign_in (id, expires_at) values (${id}, ${expiresAt}::timestamptz)
        on conflict do nothing returning id`.pipe(Effect.map((added) => added.length === 1))

    return SessionStore.of({
      add: (session) => operation(Effect.asVoid(add(session))),
      find: (id) => operation(find(id)),
      remove: (id) => operation(Effect.asVoid(sql`delete from dockline.browser_session where id = ${id}`)),
      markAnswered: (signIn, now) => operation(markAnswered(signIn, now))
    })
  })
)
