-- Alerts: rules, the cursors over logs, notices, and the messages that contain them (D26).

-- Rules, as AlertSql.ts reads them.
create or replace view dockline.alert_rule_body as
select r.business_id, r.slug, json_build_object('slug', r.slug, 'business', b.slug, 'facility', f.slug,
  'timeZone', f.time_zone, 'settings', r.settings, 'fromId', r.from_id, 'since', dockline.rfc3339(r.since),
  'waiting', (select count(*) from dockline.alert_notice n
    where n.business_id = r.business_id and n.rule = r.slug and n.state = 'WAITING'),
  'nextAt', coalesce(dockline.rfc3339(r.next_at), ''), 'lastSentAt', coalesce(dockline.rfc3339(r.last_sent_at), ''),
  'lastFailedAt', coalesce(dockline.rfc3339(r.last_failed_at), ''), 'lastFailure', r.last_failure,
  'createdAt', dockline.rfc3339(r.created_at)) as body
from dockline.alert_rule r join dockline.business b on b.id = r.business_id
join dockline.facility f on f.id = r.facility_id;

create or replace function dockline.alert_rule_shown(p_business bigint, p_slug text) returns json
language plpgsql stable as $$
begin
  return (select b.body from dockline.alert_rule_body b where b.business_id = p_business and b.slug = p_slug);
end $$;

create or replace function dockline.alert_rule_page(p_business bigint, p_after text, p_limit int) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(dockline.alert_rule_shown(p_business, n.slug) order by n.slug collate "C"), '[]')
    from (select r.slug from dockline.alert_rule r where r.business_id = p_business and r.slug collate "C" > p_after
      order by r.slug collate "C" limit p_limit) as n);
end $$;

-- The rules of a business, and the time: {"now", "rules"}.
create or replace function dockline.alert_rules_now(p_business bigint, p_now timestamptz) returns json
language plpgsql stable as $$
begin
  return json_build_object('now', dockline.rfc3339(coalesce(p_now, clock_timestamp())),
    'rules', (select coalesce(json_agg(b.body order by b.slug collate "C"), '[]') from dockline.alert_rule_body b
      where b.business_id = p_business));
end $$;

-- The sealed addresses of rules: [{businessId, business, rule, url}].
create or replace function dockline.alert_urls(p_limit int) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_object('businessId', t.business_id::text, 'business', b.slug,
      'rule', t.slug, 'url', t.settings->>'url') order by t.business_id, t.slug collate "C"), '[]')
    from (select r.business_id, r.slug, r.settings from dockline.alert_rule r where r.settings->>'url' <> ''
      order by r.business_id, r.slug collate "C" limit p_limit) as t
    join dockline.business b on b.id = t.business_id);
end $$;

-- Locks the rules of a business, and returns {"rule": the present rule, or null}; null if there is no such business.
create or replace function dockline.alert_rule_lock(p_business bigint, p_slug text) returns json
language plpgsql as $$
begin
  perform from dockline.business where id = p_business;
  if not found then return null; end if;
  insert into dockline.alert_reader (business_id, cursor_id) values (p_business,
    coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0)) on conflict do nothing;
  perform from dockline.alert_reader where business_id = p_business for no key update;
  -- Another transaction has meanwhile removed the last rule, and with it the row.
  if not found then raise exception 'the rules of the business were removed' using errcode = '40001'; end if;
  return json_build_object('rule', dockline.alert_rule_shown(p_business, p_slug));
end $$;

-- Drops the waiting notices of a rule, and its message.
create or replace function dockline.alert_rule_silence(p_business bigint, p_slug text, p_now timestamptz) returns void
language sql as $$
  update dockline.alert_notice set state = 'DROPPED', ended_at = p_now
  where business_id = p_business and rule = p_slug and state = 'WAITING';
  update dockline.alert_rule set message_id = null, next_at = null, attempts = 0, surplus = 0
  where business_id = p_business and slug = p_slug
$$;

-- Creates or replaces a rule (after alert_rule_lock): {"rule"}, {"unknown"} if there is no such facility, or {"full"} if the business has
-- p_limit rules.
create or replace function dockline.alert_rule_put(
  p_business bigint, p_slug text, p_facility text, p_settings json, p_limit int, p_now timestamptz
) returns json
language plpgsql as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_facility bigint;
begin
  select f.id into v_facility from dockline.facility f where f.business_id = p_business and f.slug = p_facility;
  if not found then return json_build_object('unknown', true); end if;
  update dockline.alert_rule set facility_id = v_facility, settings = p_settings,
    since = case when (settings->>'enabled')::boolean and facility_id = v_facility
      and (settings->'kinds')::jsonb = (p_settings->'kinds')::jsonb then since else v_now end,
    -- A claimed message is sent at once with the new settings, and has all its attempts again.
    next_at = case when message_id is null then next_at else v_now end, attempts = 0
  where business_id = p_business and slug = p_slug;
  if not found then
    if (select count(*) from dockline.alert_rule where business_id = p_business) >= p_limit then
      return json_build_object('full', true);
    end if;
    insert into dockline.alert_rule (business_id, slug, facility_id, settings, from_id, since, created_at)
    values (p_business, p_slug, v_facility, p_settings,
      coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0), v_now, v_now);
  end if;
  if not (p_settings->>'enabled')::boolean then perform dockline.alert_rule_silence(p_business, p_slug, v_now); end if;
  return json_build_object('rule', dockline.alert_rule_shown(p_business, p_slug));
end $$;

create or replace function dockline.alert_rule_remove(p_business bigint, p_slug text) returns boolean
language plpgsql as $$
begin
  perform from dockline.alert_reader where business_id = p_business for update;
  delete from dockline.alert_rule where business_id = p_business and slug = p_slug;
  if not found then return false; end if;
  delete from dockline.alert_notice where business_id = p_business and rule = p_slug;
  delete from dockline.alert_reader where business_id = p_business
    and not exists (select from dockline.alert_rule r where r.business_id = p_business);
  return true;
end $$;

-- Businesses with rules, and with messages of p_types after their cursors: the first p_limit after the business p_after, by id.
create or replace function dockline.alert_behind(p_after bigint, p_types text[], p_limit int) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_object('business', b.slug, 'businessId', t.business_id::text,
      'cursorId', t.cursor_id) order by t.business_id), '[]')
    from (select s.business_id, s.cursor_id from dockline.alert_reader s
      join dockline.message_log l on l.business_id = s.business_id
      where s.business_id > p_after and l.last_id > s.cursor_id
        and exists (select from unnest(p_types) as k(type) cross join lateral (
          select m.id from dockline.message m where m.business_id = s.business_id and m.type = k.type
            and m.id > s.cursor_id order by m.type, m.id limit 1) as m)
      order by s.business_id limit p_limit) as t
    join dockline.business b on b.id = t.business_id);
end $$;

-- The facts about pallet events that their messages lack. p_messages: [{messageId, shipmentId, palletId}].
create or replace function dockline.alert_pallets(p_business bigint, p_messages json) returns json
language sql stable as $$
  select coalesce(json_agg(json_build_object('messageId', e.message_id, 'lpn', p.lpn, 'dock', d.slug,
    'shipmentNumber', s.number, 'verdict', e.verdict)), '[]')
  from json_to_recordset(p_messages) as m("messageId" bigint, "shipmentId" bigint, "palletId" bigint)
  cross join lateral (select e.* from dockline.pallet_event e where e.business_id = p_business
    and e.shipment_id = m."shipmentId" and e.pallet_id = m."palletId" and e.message_id = m."messageId" offset 0) as e
  cross join lateral (select p.lpn from dockline.pallet p
    where p.business_id = p_business and p.shipment_id = e.shipment_id and p.id = e.pallet_id offset 0) as p
  cross join lateral (select s.number from dockline.shipment s
    where s.business_id = p_business and s.id = e.shipment_id offset 0) as s
  join dockline.dock d on d.id = e.dock_id
$$;

-- Adds notices with new keys: [{rule, key, dueAt, notice}]. If p_limit notices of a rule wait, further ones are only counted (surplus).
-- Deletes notices older than p_oldest, unless they wait.
create or replace function dockline.alert_add(
  p_business bigint, p_notices json, p_limit int, p_oldest interval, p_now timestamptz
) returns void
language plpgsql as $$
declare
  v_rule text;
  v_room int;
  v_earliest timestamptz;
  v_news int;
begin
  delete from dockline.alert_notice where business_id = p_business and state <> 'WAITING' and added_at < p_now - p_oldest;
  -- The caller has locked the row of the business in alert_reader, so no other transaction adds notices to these rules.
  for v_rule in select r.slug from dockline.alert_rule r where r.business_id = p_business
      and (r.settings->>'enabled')::boolean
      and r.slug in (select e.rule from json_to_recordset(p_notices) as e(rule text))
    order by r.slug for no key update
  loop
    v_room := p_limit - (select count(*) from (select from dockline.alert_notice n where n.business_id = p_business
      and n.rule = v_rule and n.state = 'WAITING' limit p_limit) as waiting);
    with news as (
      select distinct on (e.key) e.key, e.due_at, e.notice, e.n from rows from (json_to_recordset(p_notices)
        as (rule text, key text, "dueAt" timestamptz, notice json)) with ordinality as e(rule, key, due_at, notice, n)
      where e.rule = v_rule and not exists (select from dockline.alert_notice o
        where o.business_id = p_business and o.rule = v_rule and o.key = e.key)
      order by e.key, e.n
    ), added as (
      insert into dockline.alert_notice (business_id, rule, key, id, notice, due_at, added_at)
      select p_business, v_rule, f.key, nextval('dockline.alert_notice_id'), f.notice, f.due_at, p_now
      from (select * from news order by n limit v_room) as f order by f.n
      returning due_at
    ) select (select min(a.due_at) from added a), (select count(*) from news) into v_earliest, v_news;
    update dockline.alert_rule set surplus = surplus + greatest(0, v_news - v_room),
      next_at = case when message_id is null then least(next_at, v_earliest) else next_at end
    where business_id = p_business and slug = v_rule and v_news > 0;
  end loop;
end $$;

-- Moves the cursor of a business from p_from to p_to, and adds notices; false if the cursor is not at p_from.
create or replace function dockline.alert_advance(
  p_business bigint, p_from bigint, p_to bigint, p_notices json, p_limit int, p_oldest interval, p_now timestamptz
) returns boolean
language plpgsql as $$
begin
  update dockline.alert_reader set cursor_id = p_to where business_id = p_business and cursor_id = p_from;
  if not found then return false; end if;
  if json_array_length(p_notices) > 0 then
    perform dockline.alert_add(p_business, p_notices, p_limit, p_oldest, coalesce(p_now, clock_timestamp()));
  end if;
  return true;
end $$;

-- Businesses that have an enabled rule for one of p_kinds and were not checked for p_pause: the first p_limit after the business
-- p_after, by id.
create or replace function dockline.alert_looks(
  p_after bigint, p_kinds text[], p_pause interval, p_limit int, p_now timestamptz
) returns json
language plpgsql stable as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return (select coalesce(json_agg(json_build_object('business', b.slug, 'businessId', t.business_id::text,
      'lookedAt', dockline.rfc3339(t.looked_at)) order by t.business_id), '[]')
    from (select s.business_id, s.looked_at from dockline.alert_reader s
      where s.business_id > p_after and s.looked_at <= v_now - p_pause
        and exists (select from dockline.alert_rule r
          cross join lateral json_array_elements_text(r.settings->'kinds') as k(kind)
          where r.business_id = s.business_id and (r.settings->>'enabled')::boolean and k.kind = any (p_kinds))
      order by s.business_id limit p_limit) as t
    join dockline.business b on b.id = t.business_id);
end $$;

-- Stores the time of a check of a business, and adds notices; false if there was another check after p_looked.
create or replace function dockline.alert_look(
  p_business bigint, p_looked timestamptz, p_notices json, p_limit int, p_oldest interval, p_now timestamptz
) returns boolean
language plpgsql as $$
declare
  v_now timestamptz := date_trunc('milliseconds', coalesce(p_now, clock_timestamp()));
begin
  update dockline.alert_reader set looked_at = v_now where business_id = p_business and looked_at = p_looked;
  if not found then return false; end if;
  if json_array_length(p_notices) > 0 then
    perform dockline.alert_add(p_business, p_notices, p_limit, p_oldest, v_now);
  end if;
  return true;
end $$;

-- Shipments that have arrived and not departed, at a dock or without one, and that passed the limit of their facility at p_since or later, in
-- the order of these times: the latest p_limit.
create or replace function dockline.alert_detentions(
  p_business bigint, p_since timestamptz, p_limit int, p_now timestamptz
) returns json
language plpgsql stable as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return (select coalesce(json_agg(json_build_object('shipmentId', t.id, 'shipmentNumber', t.number,
      'facility', t.facility, 'dock', t.dock, 'arrivedAt', dockline.rfc3339(t.arrived_at),
      'detentionMinutes', t.detention_minutes) order by t.limit_at, t.id), '[]')
    from (select s.id, s.number, f.slug as facility, d.slug as dock, s.arrived_at, f.detention_minutes,
        s.arrived_at + f.pause as limit_at
      from (select x.id, x.slug, x.detention_minutes, make_interval(mins => x.detention_minutes) as pause
        from dockline.facility x where x.business_id = p_business) as f
      cross join lateral (select x.id, x.slug from dockline.dock x where x.facility_id = f.id
        union all select null, '') as d
      cross join lateral (
        select x.id, x.number, x.arrived_at from dockline.shipment x where x.business_id = p_business
          and x.status = 'ARRIVED' and x.dock_id = d.id
          and x.arrived_at >= p_since - f.pause and x.arrived_at < v_now - f.pause
        union all
        select x.id, x.number, x.arrived_at from dockline.shipment x where d.id is null and x.business_id = p_business
          and x.status = 'ARRIVED' and x.facility_id = f.id and x.dock_id is null
          and x.arrived_at >= p_since - f.pause and x.arrived_at < v_now - f.pause) as s
      order by limit_at desc, s.id desc limit p_limit) as t);
end $$;

-- Endpoints of a business that began to fail at p_since or later and have failed for p_pause, in the order of these times: the latest
-- p_limit.
create or replace function dockline.alert_endpoints(
  p_business bigint, p_since timestamptz, p_pause interval, p_limit int, p_now timestamptz
) returns json
language plpgsql stable as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return (select coalesce(json_agg(json_build_object('id', t.id, 'facility', t.facility, 'baseUrl', t.base_url,
      'failingSince', dockline.rfc3339(t.failing_since)) order by t.failing_since, t.id), '[]')
    from (select e.id, (select f.slug from dockline.facility f where f.id = e.facility_id) as facility, e.base_url,
        e.failing_since
      from dockline.webhook_endpoint e where e.business_id = p_business and e.disabled_reason <> 'OPERATOR'
        and e.failing_since >= p_since and e.failing_since <= v_now - p_pause
      order by e.failing_since desc, e.id desc limit p_limit) as t);
end $$;

-- Adds a test to a rule, unless a test already waits; false if there is no such rule.
create or replace function dockline.alert_test(p_business bigint, p_rule text, p_notice json, p_now timestamptz)
returns boolean
language plpgsql as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  update dockline.alert_rule set next_at = v_now, attempts = 0 where business_id = p_business and slug = p_rule;
  if not found then return false; end if;
  insert into dockline.alert_notice as n (business_id, rule, key, id, notice, due_at, added_at)
  values (p_business, p_rule, 'test', nextval('dockline.alert_notice_id'), p_notice, v_now, v_now)
  on conflict (business_id, rule, key) do update set id = excluded.id, notice = excluded.notice,
    due_at = v_now, added_at = v_now, message_id = null, state = 'WAITING', reason = '', ended_at = null
  where n.state <> 'WAITING';
  return true;
end $$;

-- Notices of a rule, newest first, with ids below p_before (0: all). The reason of a waiting notice is why its message last failed.
create or replace function dockline.alert_notice_page(p_business bigint, p_rule text, p_before bigint, p_limit int)
returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_object('id', t.id, 'notice', t.notice, 'state', t.state,
      'reason', case when t.state = 'WAITING' and t.message_id is not null and r.attempts > 0 then r.last_failure
        else t.reason end,
      'addedAt', dockline.rfc3339(t.added_at), 'dueAt', dockline.rfc3339(t.due_at),
      'endedAt', coalesce(dockline.rfc3339(t.ended_at), '')) order by t.id desc), '[]')
    from (select * from dockline.alert_notice n where n.business_id = p_business and n.rule = p_rule
        and (p_before = 0 or n.id < p_before)
      order by n.business_id desc, n.rule desc, n.id desc limit p_limit) as t
    join dockline.alert_rule r on r.business_id = p_business and r.slug = p_rule);
end $$;

-- Rules whose next message is due and not claimed: the first p_limit after the rule p_rule of the business p_after, by business and slug.
create or replace function dockline.alert_due(p_after bigint, p_rule text, p_limit int, p_now timestamptz) returns json
language plpgsql stable as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return (select coalesce(json_agg(json_build_object('business', b.slug, 'businessId', t.business_id::text,
      'rule', t.slug) order by t.business_id, t.slug collate "C"), '[]')
    from (select r.business_id, r.slug from dockline.alert_rule r
      where (r.business_id, r.slug collate "C") > (p_after, p_rule) and r.next_at <= v_now and r.leased_until <= v_now
      order by r.business_id, r.slug collate "C" limit p_limit) as t
    join dockline.business b on b.id = t.business_id);
end $$;

-- Claims the next message of a rule: {now, rule, messageId, attempts, notices, surplus, isTest, epoch}, or null if none is due or another
-- claim still holds. p_message: the id of a new message. p_sizes: for each channel, the most notices of a message.
create or replace function dockline.alert_claim(
  p_business bigint, p_rule text, p_message text, p_sizes json, p_lease interval, p_now timestamptz
) returns json
language plpgsql as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_rule record;
  v_is_new boolean;
begin
  select r.message_id is null into v_is_new from dockline.alert_rule r where r.business_id = p_business
    and r.slug = p_rule and r.next_at <= v_now and r.leased_until <= v_now for no key update;
  if not found then return null; end if;
  update dockline.alert_rule set epoch = epoch + 1, leased_until = v_now + p_lease,
    message_id = coalesce(message_id, p_message)
  where business_id = p_business and slug = p_rule returning * into v_rule;
  if v_is_new then
    update dockline.alert_notice set message_id = p_message
    where business_id = p_business and rule = p_rule and id in (
      select n.id from dockline.alert_notice n where n.business_id = p_business and n.rule = p_rule and n.state = 'WAITING'
        and (n.key = 'test' or not exists (select from dockline.alert_notice t
          where t.business_id = p_business and t.rule = p_rule and t.key = 'test' and t.state = 'WAITING'))
      order by n.id limit (p_sizes->>(v_rule.settings->>'channel'))::int);
  end if;
  return (select json_build_object('now', dockline.rfc3339(v_now),
      'rule', dockline.alert_rule_shown(p_business, p_rule), 'messageId', v_rule.message_id, 'attempts', v_rule.attempts, 'epoch', v_rule.epoch,
      'notices', coalesce(json_agg(n.notice order by n.id), '[]'),
      'surplus', case when bool_or(n.key = 'test') then 0 else v_rule.surplus end,
      'isTest', coalesce(bool_or(n.key = 'test'), false))
    from dockline.alert_notice n where n.business_id = p_business and n.rule = p_rule and n.state = 'WAITING'
      and n.message_id = v_rule.message_id);
end $$;

-- Stores the outcome of an attempt; false if the claim no longer holds. p_at: the time of the next attempt, null if this was the last. If a
-- message is delayed before its first attempt, its notices are released, so that a test can be sent before them.
create or replace function dockline.alert_settle(
  p_business bigint, p_rule text, p_message text, p_epoch bigint, p_is_sent boolean, p_at timestamptz, p_failure text,
  p_surplus int, p_now timestamptz
) returns boolean
language plpgsql as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_next timestamptz;
begin
  update dockline.alert_rule set leased_until = '-infinity',
    last_sent_at = case when p_is_sent then v_now else last_sent_at end,
    last_failed_at = case when p_failure = '' then last_failed_at else v_now end,
    last_failure = case when p_is_sent or p_failure <> '' then p_failure else last_failure end,
    attempts = case when p_at is null then 0 when p_failure = '' then attempts else attempts + 1 end,
    next_at = p_at
  where business_id = p_business and slug = p_rule and epoch = p_epoch and message_id = p_message;
  if not found then return false; end if;
  if p_at is null then
    update dockline.alert_notice set state = case when p_is_sent then 'SENT' else 'REFUSED' end, reason = p_failure,
      ended_at = v_now
    where business_id = p_business and rule = p_rule and state = 'WAITING' and message_id = p_message;
    v_next := (select min(n.due_at) from dockline.alert_notice n
      where n.business_id = p_business and n.rule = p_rule and n.state = 'WAITING');
    update dockline.alert_rule set message_id = null, surplus = surplus - p_surplus, next_at = v_next
    where business_id = p_business and slug = p_rule;
  elsif p_failure = '' then
    v_next := least(p_at, (select n.due_at from dockline.alert_notice n
      where n.business_id = p_business and n.rule = p_rule and n.key = 'test' and n.state = 'WAITING'));
    update dockline.alert_rule set message_id = null, next_at = v_next
    where business_id = p_business and slug = p_rule and attempts = 0;
    if found then
      update dockline.alert_notice set message_id = null
      where business_id = p_business and rule = p_rule and state = 'WAITING' and message_id = p_message;
    end if;
  end if;
  return true;
end $$;
