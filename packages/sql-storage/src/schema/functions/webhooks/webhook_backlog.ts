/**
 * The backlogs of at most p_endpoints endpoints, in id order. Messages are counted up to p_limit. Where the oldest message
 * has expired, oldestAt is the time of the last message that expired: ids and sent_at grow together.
 */
import { byKind, notRecorded } from "../../LogScans.ts"
import { byIndex } from "../../Plans.ts"

const behind = byKind((scan) =>
  `select v_count + count(*), least(v_oldest, min(p.id)) into v_count, v_oldest from (
            select m.id from dockline.message m
            where ${scan} and m.id > v_endpoint.cursor_id and ${notRecorded} order by m.id limit p_limit) as p`
)

export default `create or replace function dockline.webhook_backlog(p_limit int, p_endpoints int) returns json language plpgsql stable
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
      where d.business_id = v_endpoint.business_id and d.endpoint_id = v_endpoint.id and d.status = 'PENDING' order by d.message_id limit p_limit) as pending;
    if v_endpoint.last_id > v_endpoint.cursor_id then
      ${behind};
    end if;
    v_rows := v_rows || json_build_object('endpointId', v_endpoint.id, 'business', v_endpoint.business,
      'enabled', v_endpoint.enabled, 'disabledReason', v_endpoint.disabled_reason,
      'failingSince', dockline.rfc3339(v_endpoint.failing_since), 'awaitsLogin', v_endpoint.login is not null,
      'messages', least(v_count, p_limit), 'oldestAt', dockline.rfc3339(case when v_oldest <= v_endpoint.dropped_id
        then v_endpoint.dropped_sent_at
        else (select m.sent_at from dockline.message m
          where m.business_id = v_endpoint.business_id and m.id = v_oldest) end));
  end loop;
  return array_to_json(v_rows);
end $$`
