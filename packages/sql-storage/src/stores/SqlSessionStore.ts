/** The sessions of browsers on PostgreSQL, shared by all instances, by its clock. */
import { answeredMillis, sessionsPerClient, SessionStore } from "@dockline/core/access/BrowserSessions"
import type { SessionDraft } from "@dockline/core/access/BrowserSessions"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOrNull } from "../connections/Statements.ts"
import { operations } from "../connections/StoreOperations.ts"

const SessionRow = Schema.Struct({ clientId: Schema.String, leftMillis: Schema.Number })

/** The sessions in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<SessionStore, never, SqlClient.SqlClient> = Layer.effect(
  SessionStore,
  Effect.map(operations, ({ operation, query, sql }) => {
    /** The time that counts, as a table. */
    const clock = Effect.map(
      Timestamp.givenNow,
      (now) => sql`clock as (select coalesce(${now}::timestamptz, clock_timestamp()) as now)`
    )

    // One statement, so that adding a session and removing displaced ones is atomic.
    const add = ({ clientId, id, millis }: SessionDraft) =>
      Effect.flatMap(clock, (clock) =>
        sql`with ${clock}, expired as (
          delete from dockline.browser_session where expires_at <= (select now from clock)
        ), displaced as (
          delete from dockline.browser_session where client_id = ${clientId} and id in (
            select id from dockline.browser_session where client_id = ${clientId}
            order by created_at desc offset ${sessionsPerClient - 1})
        )
        insert into dockline.browser_session (id, client_id, created_at, expires_at)
        select ${id}, ${clientId}, now, now + ${millis}::float8 * interval '1 millisecond' from clock`)

    const find = (id: string) =>
      Effect.flatMap(clock, (clock) =>
        rowOrNull(
          query(SessionRow)`with ${clock} select client_id as "clientId",
            trunc(extract(epoch from expires_at - now) * 1000)::float8 as "leftMillis"
          from dockline.browser_session, clock where id = ${id} and expires_at > now`
        ))

    const markAnswered = (id: string) =>
      Effect.flatMap(clock, (clock) =>
        sql`with ${clock}, expired as (
          delete from dockline.answered_sign_in where expires_at <= (select now from clock)
        )
        insert into dockline.answered_sign_in (id, expires_at)
        select ${id}, now + ${answeredMillis}::float8 * interval '1 millisecond' from clock
        on conflict do nothing returning id`.pipe(Effect.map((rows) => rows.length === 1)))

    return SessionStore.of({
      add: (session) => operation(Effect.asVoid(add(session))),
      find: (id) => operation(find(id)),
      remove: (id) => operation(Effect.asVoid(sql`delete from dockline.browser_session where id = ${id}`)),
      markAnswered: (id) => operation(markAnswered(id))
    })
  })
)
