-- The deliveries of webhooks to endpoints (ADR 12).
--
-- Guarantee: writers lock the rows of endpoints in the order of their ids, and settlements compare the epoch of the lease and the number
-- of its settlements, so that the holder of an old lease, or of results that the database has lost, writes nothing. For each shipment at an
-- endpoint only the earliest pending delivery has a time (D9.4).

create or replace view dockline.webhook_delivery_body as
select d.business_id, d.endpoint_id, d.message_id, d.status, json_build_object(
  'messageId', d.message_id, 'messageType', d.type, 'shipmentId', d.shipment_id, 'status', d.status, 'tries', d.tries,
  'failedSince', dockline.rfc3339(d.failed_since), 'nextAttemptAt', dockline.rfc3339(d.next_attempt_at),
  'attempts', d.attempts
) as body
from dockline.webhook_delivery d;

-- The same as core's `partitionOf`.
create or replace function dockline.endpoint_partition(p_id bigint) returns int
language sql immutable parallel safe as $$
  select ((c.x # (c.x >> 16)) % 64)::int
  from (select (p_id # (p_id >> 32)) & 4294967295 as x) as a
  cross join lateral (select ((a.x # (a.x >> 16)) * 73244475) & 4294967295 as x) as b
  cross join lateral (select ((b.x # (b.x >> 16)) * 73244475) & 4294967295 as x) as c
$$;

-- The endpoints of some partitions that are ready: {"endpoints": ids, "nextDueAt", "now"}. An endpoint is ready when its log has grown,
-- even if it does not receive the new messages. Here and below, p_now is the time of the program's own clock, or null.
create or replace function dockline.webhook_ready(p_partitions int[], p_now timestamptz) returns json
language plpgsql stable as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return (
    select json_build_object(
      'endpoints', coalesce(json_agg(r.id order by r.id) filter (where r.due_at <= v_now), '[]'),
      'nextDueAt', dockline.rfc3339(min(r.due_at) filter (where r.due_at > v_now)), 'now', dockline.rfc3339(v_now))
    from (
      select e.id, greatest(work.at, (e.login->>'retryAt')::timestamptz) as due_at
      from dockline.webhook_endpoint e
      left join dockline.message_log l on l.business_id = e.business_id
      cross join lateral (select case when l.last_id > e.cursor_id then v_now
        else (select d.next_attempt_at from dockline.webhook_delivery d
          where d.business_id = e.business_id and d.endpoint_id = e.id and d.next_attempt_at is not null
          order by d.next_attempt_at limit 1) end as at) as work
      where e.enabled and dockline.endpoint_partition(e.id) = any (p_partitions) and work.at is not null
    ) as r);
end $$;

-- Opens endpoints, and so ends their earlier leases; returns [[epoch, endpoint]] of the endpoints that exist and are enabled.
create or replace function dockline.webhook_open(p_business bigint, p_ids bigint[]) returns json
language plpgsql as $$
declare
  v_opened json;
begin
  perform from dockline.webhook_endpoint e
  where e.business_id + 0 = p_business and e.id = any (p_ids) order by e.id for no key update;
  with opened as (
    update dockline.webhook_endpoint e set epoch = e.epoch + 1, settlements = 0
    where e.business_id + 0 = p_business and e.id = any (p_ids) and e.enabled
    returning e.id, e.epoch
  )
  select coalesce(json_agg(json_build_array(o.epoch, (select b.body from dockline.webhook_endpoint_body b
    where b.business_id = p_business and b.id = o.id)) order by o.id), '[]') into v_opened from opened o;
  return v_opened;
end $$;

-- webhook_open for each business that has some of the endpoints.
create or replace function dockline.webhooks_open(p_ids bigint[]) returns setof json
language plpgsql as $$
begin
  return query select dockline.webhook_open(o.business, o.ids) from (
    select e.business_id as business, array_agg(e.id order by e.id) as ids from unnest(p_ids) as named(id)
    cross join lateral (select e.business_id, e.id from dockline.webhook_endpoint e where e.id = named.id offset 0) as e
    group by e.business_id order by e.business_id) as o;
end $$;

-- A page of the deliveries of an endpoint, newest first, before the message p_after (0: all). One row more than the
-- page tells whether there are more. A row that does not fit into p_text characters has no body.
create or replace function dockline.webhook_delivery_page(
  p_business bigint, p_endpoint bigint, p_status text, p_after bigint, p_limit int, p_text int
) returns table (body json)
language plpgsql stable as $$
declare
  v_before bigint := case when p_after = 0 then 9223372036854775807 else p_after end;
begin
  return query select case when page.place = 1 or (page.place <= p_limit and page.text <= p_text)
      then (select b.body from dockline.webhook_delivery_body b
        where b.business_id = p_business and b.endpoint_id = p_endpoint and b.message_id = page.message_id) end
    from (
      select d.message_id, row_number() over newest as place, sum((
        select coalesce(sum(length(attempt->>3) + length(attempt->>4)), 0)
        from jsonb_array_elements(d.attempts) as attempt)) over newest as text
      from ((
        select t.message_id, t.attempts from dockline.webhook_delivery t
        where p_status is null and t.business_id = p_business and t.endpoint_id = p_endpoint and t.message_id < v_before
        order by t.message_id desc limit p_limit + 1
      ) union all (
        select t.message_id, t.attempts from dockline.webhook_delivery t
        where p_status = 'DELIVERED' and t.business_id = p_business and t.endpoint_id = p_endpoint
          and t.message_id < v_before
          and t.status = 'DELIVERED'
        order by t.message_id desc limit p_limit + 1
      ) union all (
        select t.message_id, t.attempts from dockline.webhook_delivery t
        where p_status <> 'DELIVERED' and t.business_id = p_business and t.endpoint_id = p_endpoint
          and t.message_id < v_before
          and t.status = p_status and t.status <> 'DELIVERED'
        order by t.message_id desc limit p_limit + 1
      )) as d
      window newest as (order by d.message_id desc)
    ) as page order by page.message_id desc;
end $$;

-- The messages for an endpoint. p_request: {endpoint, epoch, settlements, version, after, taken, room, text}. Returns "lost", "closed",
-- or {"endpoint": null or its body, "business", "due": [[message, tries, failed_since]], "gone": [bodies], "fresh": [messages],
-- "blocked": [[id, type, shipment id]], "readTo", "more", "expiredUpTo"} as text (message_text). A dispatcher that has read beyond the end
-- of the log, or has written more settlements than are stored, has lost its lease: the database was restored, or a standby was promoted.
create or replace function dockline.webhook_take(p_business bigint, p_request json, p_now timestamptz) returns text
language plpgsql stable as $$
declare
  r record;
  v_endpoint record;
  v_body text;
  v_after bigint;
  v_entry_id bigint;
  v_dropped bigint;
  v_cut boolean;
  v_count bigint;
  v_text bigint;
  v_due text;
  v_gone text;
  v_more boolean;
  v_read_to bigint;
  v_fresh text;
  v_blocked text;
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  select * into r from json_to_record(p_request) as q(
    endpoint bigint, epoch bigint, settlements bigint, version int, after bigint, taken bigint[], room int, text bigint);
  select e.id, e.epoch, e.settlements, e.enabled, e.version, e.business_id, e.facility_id, e.message_types,
    to_json(b.slug)::text as business, coalesce(l.last_id, 0) as last_id, coalesce(l.dropped_id, 0) as dropped_id,
    (select d.next_attempt_at from dockline.webhook_delivery d
      where d.business_id = p_business and d.endpoint_id = e.id and d.next_attempt_at is not null
      order by d.next_attempt_at limit 1) <= v_now as has_due
  into v_endpoint
  from dockline.webhook_endpoint e
  join dockline.business b on b.id = e.business_id
  left join dockline.message_log l on l.business_id = e.business_id
  where e.business_id = p_business and e.id = r.endpoint;
  if v_endpoint.epoch is distinct from r.epoch or v_endpoint.settlements < r.settlements or r.after > v_endpoint.last_id then
    return '"lost"';
  end if;
  if not v_endpoint.enabled then return '"closed"'; end if;
  v_body := 'null';
  if v_endpoint.version <> r.version then
    select b.body::text into v_body from dockline.webhook_endpoint_body b
    where b.business_id = p_business and b.id = v_endpoint.id;
  end if;
  v_cut := false;
  v_count := 0;
  v_text := 0;
  v_due := '';
  v_gone := '';
  if v_endpoint.has_due then
    -- Due deliveries that fit, in the order of their times. Whether a message fits depends on its position and the text up to it; the first
    -- text always fits. Messages are joined one by one.
    select coalesce(bool_or(not p.fits), false), count(*) filter (where p.fits),
      coalesce(sum(p.size) filter (where p.fits), 0),
      coalesce(string_agg(format('[%s,%s,%s]',
          dockline.message_text(p.id, p.facility, p.type, p.shipment_id, p.sent_at, p.size, p.payload, p.trace),
          p.tries, coalesce(to_json(dockline.rfc3339(p.failed_since))::text, 'null')), ',')
        filter (where p.fits and p.id is not null), ''),
      coalesce(string_agg((select b.body::text from dockline.webhook_delivery_body b
          where b.business_id = p_business and b.endpoint_id = v_endpoint.id and b.message_id = p.message_id), ',')
        filter (where p.fits and p.id is null), '')
    into v_cut, v_count, v_text, v_due, v_gone
    from (
      select s.*, row_number() over ordered <= r.room
        and (sum(coalesce(s.size, 0)) over ordered <= r.text
          or sum(coalesce(s.size, 0)) over ordered = coalesce(s.size, 0)) as fits
      from (
        select d.message_id, d.tries, d.failed_since, d.next_attempt_at, m.* from (
          select * from dockline.webhook_delivery d
          where d.business_id = p_business and d.endpoint_id = v_endpoint.id and d.next_attempt_at <= v_now
            and d.message_id not in (select unnest(r.taken))
          order by d.next_attempt_at, d.message_id limit r.room + 1
        ) as d
        left join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.message m where m.business_id = p_business and m.id = d.message_id
          union all
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.outbox_entry m
          where d.type <> all (dockline.message_types()) and m.business_id = p_business and m.id = d.message_id
        ) as m on true
      ) as s
      window ordered as (order by s.next_attempt_at, s.message_id)
    ) as p;
  end if;
  v_dropped := v_endpoint.dropped_id;
  v_entry_id := 0;
  if not v_endpoint.message_types <@ dockline.message_types() then
    select coalesce(max(o.last_id), 0), greatest(v_dropped, max(o.dropped_id)) into v_entry_id, v_dropped
    from dockline.outbox o where o.business_id = p_business and o.type = any (v_endpoint.message_types);
  end if;
  v_after := greatest(r.after, v_dropped);
  v_more := v_cut;
  v_read_to := null;
  v_fresh := '';
  v_blocked := '';
  if not v_cut and v_endpoint.last_id > v_after then
    -- The look-up of blocked messages goes by shipment: a plan that was made while the table was empty or small might read all deliveries
    -- of the business. Only the index of pending deliveries by shipment has their ids in order.
    with fresh as materialized (
      select m.*, (select d.message_id from dockline.webhook_delivery d
          where d.business_id + 0 = p_business and d.shipment_id = m.shipment_id
            and d.endpoint_id = v_endpoint.id
              and d.status = 'PENDING' order by d.message_id limit 1) is not null as blocked
      from dockline.message_scan(p_business, p_facility => v_endpoint.facility_id, p_types => v_endpoint.message_types,
        p_entries => v_entry_id > v_after, p_after => v_after, p_to => null, p_endpoint => v_endpoint.id,
        p_cursor => 0, p_taken => false, p_limit => (r.room - v_count + 1)::int) as m
    )
    select coalesce(bool_or(not p.fits), false), max(p.id) filter (where p.fits),
      coalesce(string_agg(dockline.message_text(p.id, p.facility, p.type, p.shipment_id, p.sent_at, p.size, p.payload,
        p.trace), ',')
        filter (where p.fits and not p.blocked), ''),
      coalesce(string_agg(format('[%s,"%s",%s]', p.id, p.type, p.shipment_id), ',') filter (where p.fits and p.blocked),
        '')
    into v_more, v_read_to, v_fresh, v_blocked
    from (
      select s.*, v_count + row_number() over ordered <= r.room
        and (v_text + sum(s.text) over ordered <= r.text or v_text + sum(s.text) over ordered = s.text) as fits
      from (select f.*, case when f.blocked then 0 else f.size end as text from fresh as f) as s
      window ordered as (order by s.id)
    ) as p;
    if not v_more then v_read_to := v_endpoint.last_id; end if;
  end if;
  return format(
    '{"endpoint":%s,"business":%s,"due":[%s],"gone":[%s],"fresh":[%s],"blocked":[%s],"readTo":%s,"more":%s,'
      '"expiredUpTo":%s}',
    v_body, v_endpoint.business, v_due, v_gone, v_fresh, v_blocked,
    case when v_cut then r.after else coalesce(v_read_to, v_after) end, v_more::text,
    case when not v_cut and r.after < v_dropped then v_dropped::text else 'null' end);
end $$;

-- A message of the log, or an entry of an outbox, as text (message_text); null once it was dropped.
create or replace function dockline.webhook_message(p_business bigint, p_id bigint) returns text
language plpgsql stable as $$
begin
  return (select dockline.message_text(m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload,
    m.trace) from (
    select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
    from dockline.message m where m.business_id = p_business and m.id = p_id
    union all
    select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
    from dockline.outbox_entry m where m.business_id = p_business and m.id = p_id) as m);
end $$;

-- The deliveries of a message, by endpoint: [endpoint id, its delivery with only the newest attempt].
create or replace function dockline.webhook_of_message(p_business bigint, p_message bigint)
returns table (endpoint_id bigint, body json)
language plpgsql stable as $$
begin
  return query select e.id, json_build_object(
      'messageId', d.message_id, 'messageType', d.type, 'shipmentId', d.shipment_id, 'status', d.status,
      'tries', d.tries, 'failedSince', dockline.rfc3339(d.failed_since),
      'nextAttemptAt', dockline.rfc3339(d.next_attempt_at),
      'attempts', coalesce(jsonb_path_query_array(d.attempts, '$[last]'), '[]'))
    from dockline.webhook_endpoint e
    join dockline.webhook_delivery d
      on d.business_id = e.business_id and d.endpoint_id = e.id and d.message_id = p_message
    where e.business_id = p_business order by e.id;
end $$;

-- Writes settlements. p_settlements, p_results and p_parked have core's fields and an endpointId; an endpoint has one settlement.
-- p_settled: the [endpoint id, shipment id] of results that are no longer pending; p_pending: the same for pending results and for parked
-- messages. Returns the ids of the endpoints whose lease is valid; nothing is written for the others. The database may have one settlement
-- more than the dispatcher knows, if the answer to the last one did not arrive. If nothing is pending, webhook_arrange is skipped: one
-- look-up saves a look-up for each shipment. Several endpoints are locked in the order of their ids; for a single endpoint the update takes
-- the lock. A settlement often has few results, so statements without work are skipped: starting a statement takes longer than writing a
-- result.
create or replace function dockline.webhook_settle(
  p_business bigint, p_settlements json, p_results json, p_parked json, p_settled json, p_pending json,
  p_now timestamptz
) returns json
language plpgsql as $$
declare
  v_held bigint[];
  v_all boolean;
  v_now timestamptz := coalesce(p_now, date_trunc('milliseconds', clock_timestamp()));
begin
  if json_array_length(p_settlements) > 1 then
    perform from dockline.webhook_endpoint e
    where e.business_id = p_business
      and e.id = any (array(select (s->>'endpointId')::bigint from json_array_elements(p_settlements) as s))
    order by e.id for no key update;
  end if;
  with changed as (
    update dockline.webhook_endpoint e set settlements = s.settlements + 1,
      cursor_id = greatest(e.cursor_id, s."cursorId"),
      failing_since = s."failingSince", login = s.login, enabled = e.enabled and s.disable is null,
      disabled_reason = case when e.enabled then coalesce(s.disable, '') else e.disabled_reason end,
      expired_up_to = greatest(e.expired_up_to, s."expiredUpTo")
    from json_to_recordset(p_settlements) as s("endpointId" bigint, epoch bigint, settlements bigint, "cursorId" bigint,
      "failingSince" timestamptz, login jsonb, disable text, "expiredUpTo" bigint)
    where e.business_id = p_business and e.id = s."endpointId" and e.epoch = s.epoch
      and e.settlements - s.settlements in (0, 1) and s."cursorId" <= coalesce((
      select l.last_id from dockline.message_log l where l.business_id = p_business), 0)
    returning e.id
  )
  select coalesce(array_agg(id), '{}') into v_held from changed;
  v_all := cardinality(v_held) = json_array_length(p_settlements);
  insert into dockline.webhook_delivery as d (business_id, endpoint_id, message_id, type, shipment_id, status, tries,
    failed_since, next_attempt_at, attempts)
  select p_business, r."endpointId", r."messageId", r."messageType", r."shipmentId", r.status, r.tries, r."failedSince",
    case when r.status = 'PENDING' then coalesce(r."nextAttemptAt", v_now) end, r.attempts
  from json_to_recordset(p_results) as r("endpointId" bigint, "messageId" bigint, "messageType" text,
    "shipmentId" bigint, status text, tries int, "failedSince" timestamptz, "nextAttemptAt" timestamptz, attempts jsonb)
  where v_all or r."endpointId" = any (v_held)
  on conflict (business_id, endpoint_id, message_id) do update set status = excluded.status, tries = excluded.tries,
    failed_since = excluded.failed_since, next_attempt_at = excluded.next_attempt_at,
    -- The newest 50 attempts.
    attempts = jsonb_path_query_array(d.attempts || excluded.attempts, '$[last - 49 to last]');
  if json_array_length(p_parked) > 0 then
    insert into dockline.webhook_delivery (business_id, endpoint_id, message_id, type, shipment_id, status, tries,
      attempts)
    select p_business, p."endpointId", p."messageId", p."messageType", p."shipmentId", 'PENDING', 0, '[]'
    from json_to_recordset(p_parked) as p("endpointId" bigint, "messageId" bigint, "messageType" text,
      "shipmentId" bigint)
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
      where d.business_id = p_business and (d.endpoint_id, d.status) >= (held.id, 'PENDING')
        and (d.endpoint_id, d.status) <= (held.id, 'PENDING') and d.status <> 'DELIVERED'
      order by d.endpoint_id, d.status limit 1
    ) as d limit 1) is not null
  then
    perform dockline.webhook_arrange(p_business, p_settled, false, v_now);
  end if;
  if json_array_length(p_pending) > 0 then
    perform dockline.webhook_arrange(p_business, p_pending, true, v_now);
  end if;
  return to_json(v_held);
end $$;

-- Gives the earliest pending delivery of each shipment a time, if it has none, and with p_demote removes the times of later ones.
-- p_touched: [[endpoint id, shipment id]]. p_demote may be false if no later delivery can have a time.
create or replace function dockline.webhook_arrange(
  p_business bigint, p_touched json, p_demote boolean, p_now timestamptz
) returns void
language plpgsql as $$
declare
  v_now timestamptz := coalesce(p_now, date_trunc('milliseconds', clock_timestamp()));
begin
  if p_demote then
    update dockline.webhook_delivery d set next_attempt_at = null
    where d.business_id + 0 = p_business and d.ctid = any (array(select o.ctid from (
        select t.business, t.endpoint, t.shipment, (select p.message_id from dockline.webhook_delivery p
          where p.business_id + 0 = t.business and p.shipment_id = t.shipment and p.endpoint_id = t.endpoint
            and p.status = 'PENDING'
          order by p.message_id limit 1) as first
        from (select p_business as business, (pair->>0)::bigint as endpoint, (pair->>1)::bigint as shipment
          from json_array_elements(p_touched) as pair) as t
      ) as l, lateral (select p.ctid from dockline.webhook_delivery p
      where p.business_id = l.business and (p.shipment_id, p.endpoint_id) >= (l.shipment, l.endpoint)
        and (p.shipment_id, p.endpoint_id) <= (l.shipment, l.endpoint)
        and p.next_attempt_at is not null and p.message_id > l.first
      order by p.shipment_id, p.endpoint_id) as o));
  end if;
  update dockline.webhook_delivery d set next_attempt_at = v_now
  where d.business_id + 0 = p_business and d.ctid = any (array(select (select p.ctid from dockline.webhook_delivery p
    where p.business_id = l.business and p.endpoint_id = l.endpoint and p.message_id = l.first
      and p.next_attempt_at is null)
    from (
        select t.business, t.endpoint, t.shipment, (select p.message_id from dockline.webhook_delivery p
          where p.business_id + 0 = t.business and p.shipment_id = t.shipment and p.endpoint_id = t.endpoint
            and p.status = 'PENDING'
          order by p.message_id limit 1) as first
        from (select p_business as business, (pair->>0)::bigint as endpoint, (pair->>1)::bigint as shipment
          from json_array_elements(p_touched) as pair) as t
      ) as l));
end $$;
