-- Replays of deliveries by operators (D9.6).

-- Replays the first p_limit messages of a range of ids: {"count", "last"}, where the last id is null if there were none;
-- null without the endpoint.
create or replace function dockline.webhook_replay(
  p_business bigint, p_endpoint bigint, p_first bigint, p_last bigint, p_limit int, p_now timestamptz
) returns json
language plpgsql as $$
declare
  v_endpoint record;
  v_count bigint;
  v_last bigint;
  v_touched json;
  -- The newest id of the outboxes from which the endpoint receives entries, or 0.
  v_entry_id bigint := 0;
begin
  select * into v_endpoint from dockline.webhook_endpoint where business_id = p_business
    and id = p_endpoint for no key update;
  if v_endpoint.id is null then return null; end if;
  if not v_endpoint.message_types <@ dockline.message_types() then
    select coalesce(max(o.last_id), 0) into v_entry_id
    from dockline.outbox o where o.business_id = p_business and o.type = any (v_endpoint.message_types);
  end if;
  with written as (
    insert into dockline.webhook_delivery as d (business_id, endpoint_id, message_id, type, shipment_id, status, tries,
      attempts)
    select p_business, p_endpoint, m.id, m.type, m.shipment_id, 'PENDING', 0, '[]'::jsonb
    from dockline.message_scan(p_business, p_facility => v_endpoint.facility_id, p_types => v_endpoint.message_types,
      p_entries => v_entry_id >= p_first, p_after => p_first - 1, p_to => p_last, p_endpoint => p_endpoint,
      p_cursor => v_endpoint.cursor_id, p_taken => true, p_limit => p_limit) as m
    on conflict (business_id, endpoint_id, message_id) do update set status = 'PENDING', tries = 0, failed_since = null,
      next_attempt_at = null
    returning d.message_id, d.shipment_id
  )
  select count(*), max(message_id), json_agg(distinct jsonb_build_array(p_endpoint, shipment_id))
  into v_count, v_last, v_touched from written;
  if v_count > 0 then perform dockline.webhook_arrange(p_business, v_touched, true, p_now); end if;
  return json_build_object('count', v_count, 'last', v_last);
end $$;

-- Replays one delivery: {"missing": "endpoint" or "delivery"}, or {"business": slug}.
create or replace function dockline.webhook_replay_one(
  p_business bigint, p_endpoint bigint, p_message bigint, p_now timestamptz
) returns json
language plpgsql as $$
declare
  v_shipment bigint;
begin
  perform from dockline.webhook_endpoint where business_id = p_business and id = p_endpoint for no key update;
  if not found then return json_build_object('missing', 'endpoint'); end if;
  update dockline.webhook_delivery set status = 'PENDING', tries = 0, failed_since = null, next_attempt_at = null
  where business_id = p_business and endpoint_id = p_endpoint
    and message_id = p_message returning shipment_id into v_shipment;
  if v_shipment is null then return json_build_object('missing', 'delivery'); end if;
  perform dockline.webhook_arrange(p_business, json_build_array(json_build_array(p_endpoint, v_shipment)), true, p_now);
  return json_build_object('business', (select slug from dockline.business where id = p_business));
end $$;

-- The range of a replay: [business slug, first id, last id, count up to p_limit + 1]; null without the endpoint. A range has ids or times;
-- the other parameters are null.
create or replace function dockline.webhook_replay_range(
  p_business bigint, p_endpoint bigint, p_first bigint, p_last bigint, p_from timestamptz, p_to timestamptz, p_limit int
) returns json
language plpgsql stable as $$
declare
  v_endpoint record;
  v_first bigint := p_first;
  v_last bigint := p_last;
  v_count bigint;
  -- The newest id of the outboxes from which the endpoint receives entries, or 0.
  v_entry_id bigint := 0;
begin
  select * into v_endpoint from dockline.webhook_endpoint where business_id = p_business and id = p_endpoint;
  if v_endpoint.id is null then return null; end if;
  if not v_endpoint.message_types <@ dockline.message_types() then
    select coalesce(max(o.last_id), 0) into v_entry_id
    from dockline.outbox o where o.business_id = p_business and o.type = any (v_endpoint.message_types);
  end if;
  if p_from is not null then
    select m.id into v_first from dockline.message m
    where m.business_id = p_business and m.sent_at >= p_from order by m.sent_at, m.id limit 1;
    select m.id into v_last from dockline.message m
    where m.business_id = p_business and m.sent_at <= p_to
    order by m.sent_at desc, m.id desc limit 1;
    if v_entry_id > 0 then
      v_first := least(v_first, (select m.id from dockline.outbox_entry m
        where m.business_id = p_business and m.sent_at >= p_from order by m.sent_at, m.id limit 1));
      v_last := greatest(v_last, (select m.id from dockline.outbox_entry m
        where m.business_id = p_business and m.sent_at <= p_to order by m.sent_at desc, m.id desc limit 1));
    end if;
  end if;
  if v_first is null then v_last := 0; end if;
  v_first := coalesce(v_first, 1);
  v_last := least(coalesce(v_last, 0), greatest(v_endpoint.cursor_id, (select d.message_id
    from dockline.webhook_delivery d where d.business_id = p_business
      and d.endpoint_id = p_endpoint order by d.message_id desc limit 1)));
  select count(*) into v_count
  from dockline.message_scan(p_business, p_facility => v_endpoint.facility_id, p_types => v_endpoint.message_types,
    p_entries => v_entry_id >= v_first, p_after => v_first - 1, p_to => v_last, p_endpoint => p_endpoint,
    p_cursor => v_endpoint.cursor_id, p_taken => true, p_limit => p_limit + 1) as m;
  return json_build_array((select slug from dockline.business where id = p_business),
    v_first, v_last, v_count);
end $$;
