/**
 * p_settlements, p_results and p_parked are those of core, each with its endpointId; an endpoint has one settlement.
 * p_settled: the [endpoint id, shipment id] of results that are no longer pending; p_pending: of the others and of parked
 * messages. Returns the ids of the endpoints whose lease is valid; nothing is written for the others. Where nothing is
 * pending, nothing is arranged: looking once saves a look for each shipment. Several endpoints are locked in the order of their
 * ids; the update locks a single one. A settlement is often of a few results, so statements that have nothing to do are left out:
 * starting one takes longer than writing a result.
 */
import { inOrder } from "../../Plans.ts"

/** The newest attempts, 50 of them. */
const newest = `'$[last - 49 to last]'`

export default `create or replace function dockline.webhook_settle(
  p_business bigint, p_settlements json, p_results json, p_parked json, p_settled json, p_pending json, p_now timestamptz
) returns json language plpgsql ${inOrder} as $$
declare
  v_held bigint[];
  v_all boolean;
begin
  if json_array_length(p_settlements) > 1 then
    perform from dockline.webhook_endpoint e
    where e.business_id = p_business and e.id = any (array(select (s->>'endpointId')::bigint from json_array_elements(p_settlements) as s))
    order by e.id for no key update;
  end if;
  with changed as (
    update dockline.webhook_endpoint e set cursor_id = greatest(e.cursor_id, s."cursorId"),
      failing_since = s."failingSince", login = s.login, enabled = e.enabled and s.disable is null,
      disabled_reason = case when e.enabled then coalesce(s.disable, '') else e.disabled_reason end,
      expired_up_to = greatest(e.expired_up_to, s."expiredUpTo")
    from json_to_recordset(p_settlements) as s("endpointId" bigint, epoch bigint, "cursorId" bigint,
      "failingSince" timestamptz, login jsonb, disable text, "expiredUpTo" bigint)
    where e.business_id = p_business and e.id = s."endpointId" and e.epoch = s.epoch and s."cursorId" <= coalesce((select l.last_id
      from dockline.message_log l where l.business_id = p_business), 0)
    returning e.id
  )
  select coalesce(array_agg(id), '{}') into v_held from changed;
  v_all := cardinality(v_held) = json_array_length(p_settlements);
  insert into dockline.webhook_delivery as d (business_id, endpoint_id, message_id, type, shipment_id, status, tries,
    failed_since, next_attempt_at, attempts)
  select p_business, r."endpointId", r."messageId", r."messageType", r."shipmentId", r.status, r.tries, r."failedSince",
    case when r.status = 'PENDING' then coalesce(r."nextAttemptAt", p_now) end, r.attempts
  from json_to_recordset(p_results) as r("endpointId" bigint, "messageId" bigint, "messageType" text,
    "shipmentId" bigint, status text, tries int, "failedSince" timestamptz, "nextAttemptAt" timestamptz, attempts jsonb)
  where v_all or r."endpointId" = any (v_held)
  on conflict (business_id, endpoint_id, message_id) do update set status = excluded.status, tries = excluded.tries,
    failed_since = excluded.failed_since, next_attempt_at = excluded.next_attempt_at,
    attempts = jsonb_path_query_array(d.attempts || excluded.attempts, ${newest});
  if json_array_length(p_parked) > 0 then
    insert into dockline.webhook_delivery (business_id, endpoint_id, message_id, type, shipment_id, status, tries, attempts)
    select p_business, p."endpointId", p."messageId", p."messageType", p."shipmentId", 'PENDING', 0, '[]'
    from json_to_recordset(p_parked) as p("endpointId" bigint, "messageId" bigint, "messageType" text, "shipmentId" bigint)
    where v_all or p."endpointId" = any (v_held)
    on conflict (business_id, endpoint_id, message_id) do nothing;
  end if;
  if not v_all then
    p_settled := (select coalesce(json_agg(t), '[]') from json_array_elements(p_settled) as t
      where (t->>0)::bigint = any (v_held));
    p_pending := (select coalesce(json_agg(t), '[]') from json_array_elements(p_pending) as t
      where (t->>0)::bigint = any (v_held));
  end if;
  if json_array_length(p_settled) > 0 and (select d.message_id from unnest(v_held) as held(id) cross join lateral (
      select d.message_id from dockline.webhook_delivery d
      where (d.business_id, d.endpoint_id, d.status) >= (p_business, held.id, 'PENDING')
        and (d.business_id, d.endpoint_id, d.status) <= (p_business, held.id, 'PENDING') and d.status <> 'DELIVERED'
      order by d.business_id, d.endpoint_id, d.status limit 1
    ) as d limit 1) is not null
  then
    perform dockline.webhook_arrange(p_business, p_settled, false, p_now);
  end if;
  if json_array_length(p_pending) > 0 then
    perform dockline.webhook_arrange(p_business, p_pending, true, p_now);
  end if;
  return to_json(v_held);
end $$`
