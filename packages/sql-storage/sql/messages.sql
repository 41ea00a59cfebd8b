-- The log of messages of each business.
--
-- Guarantee: the row of the log is locked before ids are drawn, so that ids and times of a log grow in the order of commits (D8).

-- Appends messages, and returns their [id, time]. p_drafts: an array of [facility id, type, shipment id, payload as text, trace context or
-- null]. p_now: the time of the program's own clock; null to use the database's, which is read while the log is locked, so that the times
-- of a log never go back.
create or replace function dockline.message_append(p_business bigint, p_drafts json, p_now timestamptz) returns json
language plpgsql as $$
declare
  v_sent_at timestamptz;
  v_last bigint;
  v_result json;
begin
  select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  if not found then
    insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
    select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  end if;
  v_sent_at := greatest(v_sent_at, coalesce(p_now, date_trunc('milliseconds', clock_timestamp())));
  with appended as (
    insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload,
      trace)
    select p_business, nextval('dockline.message_id'), (draft->>0)::bigint,
      (select f.slug from dockline.facility f where f.id = (draft->>0)::bigint and f.business_id = p_business),
      draft->>1, (draft->>2)::bigint, v_sent_at, length(draft->>3), (draft->>3)::json, draft->>4
    from json_array_elements(p_drafts) as draft
    returning id
  )
  select max(id), json_agg(json_build_array(id, dockline.rfc3339(v_sent_at)) order by id)
  into v_last, v_result from appended;
  update dockline.message_log set last_id = v_last, last_sent_at = v_sent_at
  where business_id = p_business and last_id < v_last;
  if not found and v_last is not null then
    raise exception 'The ids of messages have gone down; run dockline message advance';
  end if;
  return coalesce(v_result, '[]');
end $$;

create or replace function dockline.message_last(p_business bigint) returns bigint
language plpgsql stable as $$
begin
  return coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0);
end $$;

-- Appends messages of several businesses, whose drafts begin with the slugs of the business and the facility. Existing logs are locked in
-- the order of the ids of their businesses, and each business gets its ids in the order of the drafts.
create or replace function dockline.message_append_named(p_drafts json, p_now timestamptz) returns json
language plpgsql as $$
declare
  v_unknown json;
  v_business record;
  v_ids json;
  v_appended jsonb := '[]';
begin
  select json_build_array(draft->>0, case when b.id is not null then draft->>1 end) into v_unknown
  from json_array_elements(p_drafts) with ordinality as d(draft, n)
  left join dockline.business b on b.slug = draft->>0
  left join dockline.facility f on f.business_id = b.id and f.slug = draft->>1
  where f.id is null order by n limit 1;
  if v_unknown is not null then return json_build_object('unknown', v_unknown); end if;
  perform from dockline.message_log l where l.business_id in (
    select b.id from json_array_elements(p_drafts) as draft join dockline.business b on b.slug = draft->>0)
  order by l.business_id for no key update;
  for v_business in
    select b.id, json_agg(json_build_array(f.id, draft->>2, draft->>3, draft->>4, draft->>5)
        order by n) as drafts,
      array_agg(n order by n) as positions
    from json_array_elements(p_drafts) with ordinality as d(draft, n)
    join dockline.business b on b.slug = draft->>0
    join dockline.facility f on f.business_id = b.id and f.slug = draft->>1
    group by b.id order by min(n)
  loop
    v_ids := dockline.message_append(v_business.id, v_business.drafts, p_now);
    v_appended := v_appended || (
      select jsonb_agg(jsonb_build_array(v_business.positions[k], id->0, id->1))
      from json_array_elements(v_ids) with ordinality as i(id, k));
  end loop;
  return json_build_object('appended', v_appended);
end $$;

-- The types of messages of the contract (core's `messageTypes`); capabilities have others.
create or replace function dockline.message_types() returns text[]
language sql immutable parallel safe as $$
  select array['PALLET_EVENT', 'SHIPMENT_COMPLETE', 'SHIPMENT_ARRIVED', 'SHIPMENT_CANCELLED', 'SHIPMENT_DISCREPANCIES']
$$;

-- A message as text: [id, facility slug, type, shipment id, sent_at in milliseconds since 1970, size, payload, trace?]; the payload of an
-- entry of an outbox is [path, media type, text]. Building text takes less than half the time of json functions, and leaves the payload
-- unchanged.
create or replace function dockline.message_text(
  p_id bigint, p_facility text, p_type text, p_shipment bigint, p_sent_at timestamptz, p_size int, p_payload json,
  p_trace text
) returns text
language sql stable as $$
  select format('[%s,%s,"%s",%s,%s,%s,%s%s]', p_id, to_json(p_facility), p_type, p_shipment,
    (extract(epoch from p_sent_at) * 1000)::bigint, p_size, p_payload, coalesce(',' || to_json(p_trace), ''))
$$;

-- The first p_limit messages for a reader after an id and up to another id (null: no end), in id order. A reader receives messages of some
-- types, of a facility or (null) of all facilities, and with p_entries also entries of the outboxes of these types. For an endpoint (null:
-- another reader), p_taken selects the messages that it has taken, which are those up to p_cursor or with a recorded delivery, or all
-- others.
--
-- Guarantee: it reads no messages of other types or facilities, with one exception. The messages of each type are a stream of an index, and
-- the streams are merged; but a reader of all types of the contract reads the log itself and skips messages of capabilities, which are
-- rare. `@>` keeps that condition from choosing the index.
create or replace function dockline.message_scan(
  p_business bigint, p_facility bigint, p_types text[], p_entries boolean, p_after bigint, p_to bigint,
  p_endpoint bigint, p_cursor bigint, p_taken boolean, p_limit int
) returns table ( id bigint, facility text, type text, shipment_id bigint, sent_at timestamptz, size int, payload json, trace text )
language plpgsql stable as $$
#variable_conflict use_column
declare
  v_to bigint := coalesce(p_to, 9223372036854775807);
begin
  if not p_entries and p_types @> dockline.message_types() then
    if p_facility is null then
      return query select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
      from dockline.message m
      where m.business_id = p_business and m.id > p_after and m.id <= v_to and p_types @> array[m.type]
        and (p_endpoint is null or p_taken = (m.id <= p_cursor or (select d.message_id from dockline.webhook_delivery d
          where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
      order by m.id limit p_limit;
    else
      return query select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
      from dockline.message m
      where m.business_id = p_business and m.facility_id = p_facility and m.id > p_after and m.id <= v_to
        and p_types @> array[m.type]
        and (p_endpoint is null or p_taken = (m.id <= p_cursor or (select d.message_id from dockline.webhook_delivery d
          where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
      order by m.id limit p_limit;
    end if;
  elsif not p_entries then
    if p_facility is null then
      return query
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.message m
          where m.business_id = p_business and (m.type, m.id) > (k.type, p_after) and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit;
    else
      return query
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.message m
          where m.business_id = p_business and m.facility_id = p_facility and (m.type, m.id) > (k.type, p_after)
            and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit;
    end if;
  elsif p_facility is null then
    return query select m.* from ((
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.message m
          where m.business_id = p_business and (m.type, m.id) > (k.type, p_after) and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit
    ) union all (
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.outbox_entry m
          where m.business_id = p_business and (m.type, m.id) > (k.type, p_after) and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit
    )) as m order by m.id limit p_limit;
  else
    return query select m.* from ((
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.message m
          where m.business_id = p_business and m.facility_id = p_facility and (m.type, m.id) > (k.type, p_after)
            and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit
    ) union all (
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.outbox_entry m
          where m.business_id = p_business and m.facility_id = p_facility and (m.type, m.id) > (k.type, p_after)
            and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit
    )) as m order by m.id limit p_limit;
  end if;
end $$;

-- The head of a page, then its messages. The head has the id up to which messages were dropped, if messages after p_after were, or else the
-- newest id of the log. A last row without payload means that there are more messages. p_facility and p_since may be null; an unknown place
-- has no messages. The result is rows, because one text of all messages took twice the time, here and at the reader.
create or replace function dockline.message_read(
  p_business bigint, p_facility text, p_types text[], p_after bigint, p_since timestamptz, p_limit int, p_text bigint
) returns table (
  dropped_id float8, last_id float8, id float8, facility text, type text, shipment_id float8, sent_at float8, payload text,
  trace text
)
language plpgsql stable as $$
#variable_conflict use_column
declare
  v_log record;
  v_facility bigint;
  v_after bigint := p_after;
begin
  select * into v_log from dockline.message_log where business_id = p_business;
  if p_after < v_log.dropped_id and (p_since is null or p_since <= v_log.dropped_sent_at) then
    dropped_id := v_log.dropped_id;
    return next;
    return;
  end if;
  last_id := coalesce(v_log.last_id, 0);
  return next;
  if p_facility is not null then
    select coalesce(max(f.id), 0) into v_facility from dockline.facility f
    where f.business_id = p_business and f.slug = p_facility;
  end if;
  if p_since is not null then
    select m.id - 1 into v_after from dockline.message m
    where m.business_id = p_business and m.sent_at >= p_since order by m.sent_at, m.id limit 1;
    v_after := greatest(p_after, coalesce(v_after, v_log.last_id));
  end if;
  return query select null::float8, null::float8, p.id::float8, p.facility, p.type, p.shipment_id::float8,
    date_part('epoch', p.sent_at) * 1000, case when p.fits then p.payload end::text, p.trace
  from (
    select m.*, row_number() over ordered <= p_limit
      and (row_number() over ordered = 1 or sum(m.size) over ordered <= p_text) as fits
    from dockline.message_scan(p_business, p_facility => v_facility, p_types => p_types, p_entries => false,
      p_after => v_after, p_to => null, p_endpoint => null, p_cursor => null, p_taken => null,
        p_limit => p_limit + 1) as m
    window ordered as (order by m.id)
  ) as p order by p.id;
end $$;

-- The newest id of all messages; without messages, an id below all future ones. In a part of a cluster, which has every 1024th id, it is
-- rounded down to a multiple of 1024, so that parts whose ids were advanced together agree.
create or replace function dockline.message_newest() returns bigint
language plpgsql as $$
begin
  return (select case when m.is_called then m.last_value else s.seqstart - s.seqincrement end / s.seqincrement * s.seqincrement
    from dockline.message_id m, pg_sequence s where s.seqrelid = 'dockline.message_id'::regclass);
end $$;

-- Moves the next id of messages, and the newest id of each log, to p_beyond if they are below: {"newestId"}, or {"tooFar": newest id} if it
-- is more than p_limit away. If the ids of messages move, the ids of all other entities move by p_others. Appends wait meanwhile. All
-- leases of endpoints end, because their holders may have read messages of the lost database.
create or replace function dockline.message_advance(p_beyond bigint, p_limit bigint, p_others bigint) returns json
language plpgsql as $$
declare
  v_newest bigint;
  v_other record;
begin
  lock table dockline.message_log in exclusive mode;
  v_newest := dockline.message_newest();
  if p_beyond - v_newest > p_limit then return json_build_object('tooFar', v_newest); end if;
  if p_beyond > v_newest then
    perform setval('dockline.message_id', dockline.id_beyond('dockline.message_id', p_beyond));
    v_newest := p_beyond;
    for v_other in select format('%I.%I', schemaname, sequencename)::regclass as name,
        coalesce(last_value, start_value - increment_by) as last
      from pg_sequences
      where schemaname = (select relnamespace::regnamespace::text from pg_class where oid = 'dockline.message_id'::regclass)
        and sequencename <> 'message_id' and data_type = 'bigint'::regtype
    loop
      perform setval(v_other.name, dockline.id_beyond(v_other.name, v_other.last + p_others));
    end loop;
  end if;
  insert into dockline.message_log as l (business_id, last_id)
  select b.id, p_beyond from dockline.business b where dockline.is_here(b.id) order by b.id
  on conflict (business_id) do update set last_id = excluded.last_id where l.last_id < excluded.last_id;
  update dockline.webhook_endpoint e set epoch = e.epoch + 1
  where e.id in (select o.id from dockline.webhook_endpoint o order by o.id for no key update);
  return json_build_object('newestId', v_newest);
end $$;

-- Moves dropped_id of a log to its last message sent before the cutoff; false if the row of the log is locked.
create or replace function dockline.message_expire(p_business bigint, p_cutoff timestamptz) returns boolean
language plpgsql
set lock_timeout = '1s' as $$
declare
  v_id bigint;
  v_sent_at timestamptz;
begin
  select m.id, m.sent_at into v_id, v_sent_at from dockline.message m
  where m.business_id = p_business and m.sent_at < p_cutoff order by m.sent_at desc, m.id desc limit 1;
  if v_id > (select l.dropped_id from dockline.message_log l where l.business_id = p_business) then
    update dockline.message_log set dropped_id = v_id, dropped_sent_at = v_sent_at
    where business_id = p_business and dropped_id < v_id;
  end if;
  return true;
exception when lock_not_available then
  return false;
end $$;

-- The businesses whose logs have expired messages, or whose outboxes have expired entries.
create or replace function dockline.message_expired(p_cutoff timestamptz) returns setof bigint
language plpgsql stable as $$
begin
  return query select l.business_id from dockline.message_log l
  where (select m.id from dockline.message m where m.business_id = l.business_id and m.id <= l.dropped_id
      order by m.id limit 1) is not null
    or (select m.id from dockline.message m where m.business_id = l.business_id and m.sent_at < p_cutoff
      order by m.sent_at, m.id limit 1) is not null
    or (select e.id from dockline.outbox_entry e where e.business_id = l.business_id and e.sent_at < p_cutoff
      order by e.sent_at, e.id limit 1) is not null
  order by l.business_id;
end $$;

-- Deletes up to p_limit messages after an id and up to dropped_id: {"count", "last"}, where the last id is null if there were none.
create or replace function dockline.message_drop(p_business bigint, p_after bigint, p_limit int) returns json
language plpgsql as $$
declare
  v_last bigint;
  v_count int;
begin
  select max(id) into v_last from (
    select m.id from dockline.message m where m.business_id = p_business and m.id > p_after
      and m.id <= (select l.dropped_id from dockline.message_log l where l.business_id = p_business)
    order by m.id limit p_limit) as old;
  delete from dockline.message where business_id = p_business and id > p_after and id <= v_last;
  get diagnostics v_count = row_count;
  return json_build_object('count', v_count, 'last', v_last);
end $$;
