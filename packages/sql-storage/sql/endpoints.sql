-- Webhook endpoints as operators see and change them.
--
-- Lock order: outboxes of the business, the business, the endpoint. Appends to outboxes and changes of an endpoint whose types go beyond
-- the contract wait for each other: an entry that is committed after such a change is due to the endpoint.

create or replace function dockline.webhook_business(p_id bigint) returns bigint
language plpgsql stable as $$
begin
  return (select t.business_id from dockline.webhook_endpoint t where t.id = p_id);
end $$;

create or replace view dockline.webhook_endpoint_body as
select e.id, e.business_id, json_build_object(
  'id', e.id, 'business', b.slug, 'facility', f.slug, 'baseUrl', e.base_url, 'messageTypes', e.message_types,
  'authentication', e.authentication, 'signingSecrets', e.signing_secrets,
  'headers', e.headers, 'ratePerSecond', e.rate_per_second, 'signatures', e.signatures,
  'payloadProfile', e.payload_profile, 'enabled', e.enabled,
  'disabledReason', e.disabled_reason, 'version', e.version, 'createdAt', dockline.rfc3339(e.created_at),
  'cursorId', e.cursor_id, 'failingSince', dockline.rfc3339(e.failing_since), 'login', e.login,
  'expiredUpTo', e.expired_up_to
) as body
from dockline.webhook_endpoint e
join dockline.business b on b.id = e.business_id
left join dockline.facility f on f.id = e.facility_id;

create or replace function dockline.webhook_endpoint_page(p_businesses text[], p_after bigint, p_limit int)
returns bigint[]
language plpgsql stable as $$
declare
  v_ids bigint[];
begin
  if p_businesses is null then
    v_ids := array(select t.id from dockline.webhook_endpoint t where t.id > p_after order by t.id limit p_limit);
  else
    with head as (
      select k.*, (select t.id from dockline.webhook_endpoint t
        where (t.business_id, t.id) > (k.id, p_after) and t.business_id <= k.id
        order by t.business_id, t.id limit 1) as first
      from (select b.id from dockline.business b where b.slug = any (p_businesses)) as k order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array(
      select t.id from head k cross join lateral (
        select t.* from dockline.webhook_endpoint t
        where (t.business_id, t.id) >= (k.id, k.first)
          and (t.business_id, t.id) <= (k.id, (select last from bound))
        order by t.business_id, t.id limit p_limit) as t
      where k.first is not null order by t.id limit p_limit) into v_ids;
  end if;
  return v_ids;
end $$;

-- [endpoint, backlog up to p_limit]; null if it does not exist.
create or replace function dockline.webhook_shown(p_business bigint, p_id bigint, p_limit int) returns json
language plpgsql stable as $$
declare
  v_endpoint record;
  v_backlog bigint;
  -- A delivery after the cursor. Most endpoints have none, and then no message is looked up in the record.
  v_ahead bigint;
  -- The newest id of the outboxes from which the endpoint receives entries, or 0.
  v_entry_id bigint := 0;
begin
  select * into v_endpoint from dockline.webhook_endpoint where business_id = p_business and id = p_id;
  if v_endpoint.id is null then return null; end if;
  select count(*) into v_backlog from (select from dockline.webhook_delivery d
    where d.business_id = p_business and d.endpoint_id = p_id and d.status = 'PENDING' limit p_limit) as pending;
  select d.message_id into v_ahead from dockline.webhook_delivery d
  where d.business_id = p_business and d.endpoint_id = p_id and d.message_id > v_endpoint.cursor_id limit 1;
  if v_backlog < p_limit then
    if not v_endpoint.message_types <@ dockline.message_types() then
      select coalesce(max(o.last_id), 0) into v_entry_id
      from dockline.outbox o where o.business_id = p_business and o.type = any (v_endpoint.message_types);
    end if;
    select v_backlog + count(*) into v_backlog
    from dockline.message_scan(p_business, p_facility => v_endpoint.facility_id, p_types => v_endpoint.message_types,
      p_entries => v_entry_id > v_endpoint.cursor_id, p_after => v_endpoint.cursor_id, p_to => null,
      p_endpoint => case when v_ahead is not null then p_id end, p_cursor => 0, p_taken => false,
        p_limit => p_limit) as m;
  end if;
  return (select json_build_array(b.body, least(v_backlog, p_limit)) from dockline.webhook_endpoint_body b
    where b.business_id = p_business and b.id = p_id);
end $$;

-- webhook_shown of endpoints of any business, in the order of p_ids.
create or replace function dockline.webhooks_shown(p_ids bigint[], p_limit int) returns table (shown json)
language plpgsql stable as $$
begin
  return query select dockline.webhook_shown(
    (select e.business_id from dockline.webhook_endpoint e where e.id = named.id), named.id, p_limit)
  from unnest(p_ids) with ordinality as named(id, nth) order by named.nth;
end $$;

-- Creates an endpoint: {"unknown": "business" or "facility"}, {"full"}, {"expired": dropped id}, {"ahead": newest id} or {"shown"}
-- (webhook_shown). The row of the business stays locked until the end of the transaction, which enforces the limit. The endpoint to show is
-- returned from here, so that no other statement runs under that lock. A message that is committed later has a higher id than the newest of
-- the log.
create or replace function dockline.webhook_create(
  p_business bigint, p_draft json, p_from bigint, p_limit int, p_backlog int, p_now timestamptz
) returns json
language plpgsql as $$
declare
  v_types text[] := array(select json_array_elements_text(p_draft->'messageTypes'));
  v_facility bigint;
  v_log record;
  v_dropped bigint;
  v_id bigint;
begin
  if not v_types <@ dockline.message_types() then
    perform pg_advisory_xact_lock(hashtextextended('dockline.outboxes:' || p_business, 0));
  end if;
  perform from dockline.business where id = p_business for no key update;
  if not found then return json_build_object('unknown', 'business'); end if;
  if p_draft->>'facility' is not null then
    select id into v_facility from dockline.facility
    where business_id = p_business and slug = p_draft->>'facility';
    if v_facility is null then return json_build_object('unknown', 'facility'); end if;
  end if;
  if (select count(*) from dockline.webhook_endpoint where business_id = p_business) >= p_limit then
    return json_build_object('full', true);
  end if;
  select * into v_log from dockline.message_log where business_id = p_business;
  v_dropped := greatest(v_log.dropped_id, (select max(o.dropped_id) from dockline.outbox o
    where o.business_id = p_business and o.type = any (v_types)));
  if p_from <= v_dropped then return json_build_object('expired', v_dropped); end if;
  if p_from > coalesce(v_log.last_id, 0) + 1 then
    return json_build_object('ahead', coalesce(v_log.last_id, 0));
  end if;
  insert into dockline.webhook_endpoint (business_id, id, facility_id, base_url, message_types, authentication,
    signing_secrets, headers, rate_per_second, signatures, payload_profile, enabled, disabled_reason, cursor_id,
      created_at)
  values (p_business, nextval('dockline.webhook_endpoint_id'), v_facility, p_draft->>'baseUrl',
    v_types, (p_draft->'authentication')::jsonb,
    (p_draft->'signingSecrets')::jsonb, (p_draft->'headers')::jsonb, (p_draft->>'ratePerSecond')::int,
    array(select json_array_elements_text(p_draft->'signatures')), p_draft->>'payloadProfile',
      (p_draft->>'enabled')::boolean,
    case when (p_draft->>'enabled')::boolean then '' else 'OPERATOR' end,
    coalesce(p_from - 1, v_log.last_id, 0), p_now)
  returning id into v_id;
  return json_build_object('shown', dockline.webhook_shown(p_business, v_id, p_backlog));
end $$;

-- Writes a change of the endpoint with p_version, and returns its new state (webhook_shown); null if the endpoint has changed since. If the
-- change enables it, the schedules of deliveries restart, and its lease ends.
create or replace function dockline.webhook_update(
  p_business bigint, p_id bigint, p_version int, p_was_enabled boolean, p_change json, p_backlog int, p_now timestamptz
) returns json
language plpgsql as $$
declare
  v_types text[] := array(select json_array_elements_text(p_change->'messageTypes'));
  v_enabled boolean := p_change->>'enabled';
  v_anew boolean := v_enabled and not p_was_enabled;
  v_now timestamptz := coalesce(p_now, date_trunc('milliseconds', clock_timestamp()));
begin
  if not v_types <@ dockline.message_types() then
    perform pg_advisory_xact_lock(hashtextextended('dockline.outboxes:' || p_business, 0));
  end if;
  update dockline.webhook_endpoint e set version = e.version + 1, base_url = p_change->>'baseUrl',
    message_types = v_types,
    authentication = (p_change->'authentication')::jsonb, signing_secrets = (p_change->'signingSecrets')::jsonb,
    headers = (p_change->'headers')::jsonb, rate_per_second = (p_change->>'ratePerSecond')::int,
    signatures = array(select json_array_elements_text(p_change->'signatures')),
    payload_profile = p_change->>'payloadProfile',
    enabled = v_enabled, disabled_reason = p_change->>'disabledReason',
    failing_since = case when not v_anew then e.failing_since end, login = null,
    epoch = e.epoch + v_anew::int
  where e.business_id = p_business and e.id = p_id and e.version = p_version and e.enabled = p_was_enabled;
  if not found then return null; end if;
  if v_anew then
    update dockline.webhook_delivery d set tries = 0, failed_since = null,
      next_attempt_at = case when d.next_attempt_at is not null then v_now end
    where d.business_id = p_business and d.endpoint_id = p_id and d.status = 'PENDING'
      and (d.tries > 0 or d.failed_since is not null or d.next_attempt_at is not null);
  end if;
  return dockline.webhook_shown(p_business, p_id, p_backlog);
end $$;

-- Removes an endpoint; false if it does not exist. Its deliveries stay.
create or replace function dockline.webhook_remove(p_business bigint, p_id bigint) returns boolean
language plpgsql as $$
begin
  delete from dockline.webhook_endpoint where business_id = p_business and id = p_id;
  return found;
end $$;

-- The backlogs of at most p_endpoints endpoints, in id order. Messages are counted up to p_limit. If the oldest message has expired,
-- oldestAt is the time of the last expired message of the log and the outboxes, because ids and sent_at grow together.
create or replace function dockline.webhook_backlog(p_limit int, p_endpoints int) returns json
language plpgsql stable as $$
declare
  v_endpoint record;
  v_count bigint;
  v_oldest bigint;
  v_entry_id bigint;
  v_dropped bigint;
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
      where d.business_id = v_endpoint.business_id and d.endpoint_id = v_endpoint.id
        and d.status = 'PENDING' order by d.message_id limit p_limit) as pending;
    v_dropped := v_endpoint.dropped_id;
    v_entry_id := 0;
    if not v_endpoint.message_types <@ dockline.message_types() then
      select coalesce(max(o.last_id), 0), greatest(v_dropped, max(o.dropped_id)) into v_entry_id, v_dropped
      from dockline.outbox o where o.business_id = v_endpoint.business_id and o.type = any (v_endpoint.message_types);
    end if;
    if v_endpoint.last_id > v_endpoint.cursor_id then
      select v_count + count(*), least(v_oldest, min(m.id)) into v_count, v_oldest
      from dockline.message_scan(v_endpoint.business_id, p_facility => v_endpoint.facility_id,
        p_types => v_endpoint.message_types, p_entries => v_entry_id > v_endpoint.cursor_id,
          p_after => v_endpoint.cursor_id, p_to => null,
        p_endpoint => v_endpoint.id, p_cursor => 0, p_taken => false, p_limit => p_limit) as m;
    end if;
    v_rows := v_rows || json_build_object('endpointId', v_endpoint.id, 'business', v_endpoint.business,
      'enabled', v_endpoint.enabled, 'disabledReason', v_endpoint.disabled_reason,
      'failingSince', dockline.rfc3339(v_endpoint.failing_since), 'awaitsLogin', v_endpoint.login is not null,
      'messages', least(v_count, p_limit), 'oldestAt', dockline.rfc3339(case when v_oldest is null then null
        when v_oldest <= v_dropped then greatest(v_endpoint.dropped_sent_at,
          (select max(o.dropped_sent_at) from dockline.outbox o
            where o.business_id = v_endpoint.business_id and o.type = any (v_endpoint.message_types)))
        else coalesce((select m.sent_at from dockline.message m
            where m.business_id = v_endpoint.business_id and m.id = v_oldest),
          (select e.sent_at from dockline.outbox_entry e where e.business_id = v_endpoint.business_id
            and e.id = v_oldest),
          (select max(o.dropped_sent_at) from dockline.outbox o
            where o.business_id = v_endpoint.business_id and o.dropped_id >= v_oldest)) end));
  end loop;
  return array_to_json(v_rows);
end $$;
