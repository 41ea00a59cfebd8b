/**
 * Migration 7: how much waits for each endpoint, for whoever watches the service.
 *
 * Along indexes only, as in migration 5. What it reads is bounded for each endpoint, whatever waits for it. Everything
 * here is frozen: later changes are later migrations.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { byIndex, byKind } from "./0005_reading.ts"

const notRecorded = `(select d.message_id from dockline.webhook_delivery d
              where d.endpoint_id = v_endpoint.id and d.message_id = m.id) is null`

const behind = byKind((scan) =>
  `select v_count + count(*), least(v_oldest, min(p.id)) into v_count, v_oldest from (
            select m.id from dockline.message m
            where ${scan} and m.id > v_endpoint.cursor_id and ${notRecorded} order by m.id limit p_limit) as p`
)

const statements = [
  /*
   * [[endpoint, business slug, enabled, disabled reason, failing since, awaits login, messages, sent_at of the oldest
   * of them or null]], in the order of the endpoints' ids, of p_endpoints at most. Messages are counted up to p_limit.
   * ids and sent_at grow together; of a message that was dropped by age, the time of the last one dropped is told.
   */
  `create function dockline.webhook_backlog(p_limit int, p_endpoints int) returns json language plpgsql stable
    ${byIndex} as $$
    declare
      v_endpoint record;
      v_count bigint;
      v_oldest bigint;
      v_rows json[] := '{}';
    begin
      for v_endpoint in
        select e.*, b.slug as business, coalesce(l.last_id, 0) as last_id, l.dropped_id, l.dropped_sent_at
        from dockline.webhook_endpoint e
        join dockline.business b on b.id = e.business_id
        left join dockline.message_log l on l.business_id = e.business_id
        order by e.id limit p_endpoints
      loop
        select count(*), min(pending.message_id) into v_count, v_oldest from (
          select d.message_id from dockline.webhook_delivery d
          where d.endpoint_id = v_endpoint.id and d.status = 'PENDING' order by d.message_id limit p_limit) as pending;
        if v_endpoint.last_id > v_endpoint.cursor_id then
          ${behind};
        end if;
        v_rows := v_rows || json_build_array(v_endpoint.id, v_endpoint.business, v_endpoint.enabled,
          v_endpoint.disabled_reason, dockline.rfc3339(v_endpoint.failing_since), v_endpoint.login is not null,
          least(v_count, p_limit), dockline.rfc3339(case when v_oldest <= v_endpoint.dropped_id
            then v_endpoint.dropped_sent_at
            else (select m.sent_at from dockline.message m
              where m.business_id = v_endpoint.business_id and m.id = v_oldest) end));
      end loop;
      return array_to_json(v_rows);
    end $$`
]

/** Runs the migration. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
