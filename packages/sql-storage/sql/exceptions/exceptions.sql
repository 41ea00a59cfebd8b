-- Exceptions that people report of shipments and pallets (D13.5).
--
-- Lock order: the shipment, then the log of the business.

-- Exceptions with their locations, as core's `LocatedException`.
create or replace view dockline.exception_body as
select e.business_id, e.shipment_id, e.id, json_build_object(
  'location', json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name)
      from dockline.business b where b.id = e.business_id),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name)
      from dockline.facility x where x.id = e.facility_id)),
  'shipmentId', e.shipment_id,
  'shipmentNumber', (select s.number from dockline.shipment s where s.business_id = e.business_id
    and s.id = e.shipment_id),
  'exception', json_build_object('id', e.id, 'palletId', e.pallet_id, 'lpn', e.lpn, 'kind', e.kind, 'priority',
    e.priority,
    'description', e.description, 'reportedAt', dockline.rfc3339(e.reported_at), 'reportedBy', e.reported_by,
    'resolution', case when e.resolved_at is not null then
      json_build_object('note', e.note, 'at', dockline.rfc3339(e.resolved_at), 'by', e.resolved_by) end)
) as body
from dockline.shipment_exception e;

-- The first exceptions of a shipment after an id, with its location; null if it does not exist.
create or replace function dockline.exceptions_of_shipment(
  p_business bigint, p_shipment bigint, p_after bigint, p_limit int
) returns json
language plpgsql stable as $$
begin
  return (select json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name)
      from dockline.facility x where x.id = s.facility_id),
    'exceptions', (select coalesce(json_agg(e.body), '[]')
      from (select x.body from dockline.exception_body x
        where x.business_id = p_business and x.shipment_id = p_shipment and x.id > p_after
        order by x.business_id, x.shipment_id, x.id limit p_limit) as e))
  from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
end $$;

-- A page of the exceptions of a status and a priority, newest first; null stands for all. p_scopes: see facilities_within. p_after is the
-- place of the last exception of the previous page.
create or replace function dockline.exception_page(
  p_scopes json, p_status text, p_priority text, p_after bigint, p_limit int
) returns json
language plpgsql stable as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_statuses text[] := case when p_status is null then array['OPEN', 'RESOLVED'] else array[p_status] end;
  v_priorities text[] := case when p_priority is null then array['LOW', 'HIGH'] else array[p_priority] end;
  v_ids json[];
  v_id json;
  v_page json[] := '{}';
begin
  with head as (
    select k.*, (select t.place from dockline.shipment_exception t
      where t.facility_id = k.facility and t.status = k.status and (t.priority, t.place) > (k.priority, p_after)
        and t.priority <= k.priority
      order by t.facility_id, t.status, t.priority, t.place limit 1) as first
    from (select f, s, p from unnest(v_facilities) as f, unnest(v_statuses) as s, unnest(v_priorities) as p)
      as k(facility, status, priority) order by first limit p_limit
  ), bound as (
    select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
  )
  select array(
    select json_build_array(t.business_id, t.shipment_id, t.id) from head k cross join lateral (
      select t.* from dockline.shipment_exception t
      where t.facility_id = k.facility and t.status = k.status and (t.priority, t.place) >= (k.priority, k.first)
        and (t.priority, t.place) <= (k.priority, (select last from bound))
      order by t.facility_id, t.status, t.priority, t.place limit p_limit) as t
    where k.first is not null order by t.place limit p_limit) into v_ids;
  foreach v_id in array v_ids loop
    v_page := v_page || (select b.body from dockline.exception_body b
      where b.business_id = (v_id->>0)::bigint and b.shipment_id = (v_id->>1)::bigint and b.id = (v_id->>2)::bigint);
  end loop;
  return array_to_json(v_page);
end $$;

-- Locks a shipment, and returns the data that changes of its exceptions depend on; null if it does not exist. The pallet is found by its
-- id, or else by its LPN. Without p_exception, the change is a report, and the result has an id for it. The time is read while the log of
-- the business is locked too: lists of exceptions sort by it, so no later exception may have an earlier time (D21.1).
create or replace function dockline.exception_load(
  p_business bigint, p_shipment bigint, p_pallet bigint, p_lpn_key text, p_exception bigint
) returns json
language plpgsql as $$
declare
  v_shipment record;
  v_sent_at timestamptz;
begin
  select * into v_shipment from dockline.shipment
  where business_id = p_business and id = p_shipment for no key update;
  if not found then return null; end if;
  select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  if not found then
    insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
    select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  end if;
  return json_build_object(
    'now', dockline.rfc3339(greatest(v_sent_at, date_trunc('milliseconds', clock_timestamp()))),
    'found', dockline.exceptions_of_shipment(p_business, p_shipment, p_exception - 1, 1),
    'number', v_shipment.number,
    'facilityId', v_shipment.facility_id,
    'shipment', json_build_object(
      'dock', (select json_build_object('id', x.id, 'slug', x.slug) from dockline.dock x where x.id = v_shipment.dock_id),
      'orders', (select coalesce(json_agg(o.number order by o.id + 0), '[]') from dockline.customer_order o
        where o.business_id = p_business and o.shipment_id = p_shipment)),
    'newExceptionId', case when p_exception is null then nextval('dockline.shipment_exception_id') end,
    'count', (select count(*) from dockline.shipment_exception where business_id = p_business
      and shipment_id = p_shipment),
    'pallet', case when p_pallet is not null then (select json_build_object('id', p.id, 'lpn',
      p.lpn) from dockline.pallet p
        where p.business_id = p_business and p.shipment_id = p_shipment and p.id = p_pallet)
      else (select json_build_object('id', p.id, 'lpn', p.lpn) from dockline.pallet p
        where p.business_id = p_business and p.lpn_key = p_lpn_key and p.shipment_id = p_shipment) end);
end $$;

create or replace function dockline.exception_report(
  p_business bigint, p_shipment bigint, p_facility bigint, p_exception json, p_drafts json, p_now timestamptz
) returns void
language plpgsql as $$
declare
  v_at timestamptz := (p_exception->>'reportedAt')::timestamptz;
begin
  insert into dockline.shipment_exception (business_id, id, shipment_id, facility_id, pallet_id, lpn, kind, priority,
    description, reported_at, reported_by)
  values (p_business, (p_exception->>'id')::bigint, p_shipment, p_facility, (p_exception->>'palletId')::bigint,
    p_exception->>'lpn', p_exception->>'kind', p_exception->>'priority', p_exception->>'description', v_at,
    p_exception->>'reportedBy');
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$;

create or replace function dockline.exception_resolve(
  p_business bigint, p_shipment bigint, p_exception bigint, p_note text, p_at timestamptz, p_by text, p_drafts json,
  p_now timestamptz
) returns void
language plpgsql as $$
begin
  update dockline.shipment_exception set note = p_note, resolved_at = p_at, resolved_by = p_by
  where business_id = p_business and shipment_id = p_shipment and id = p_exception;
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$;

-- The counts of exceptions, for each of p_shipments that has any.
create or replace function dockline.exception_counts(p_business bigint, p_shipments bigint[]) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_object('shipmentId', s.id, 'reported', e.reported, 'open', e.open,
    'urgent', e.urgent)), '[]')
    from unnest(p_shipments) as s(id)
    cross join lateral (
      select count(*) as reported, count(*) filter (where e.resolved_at is null) as open,
        count(*) filter (where e.resolved_at is null and e.priority = 'HIGH') as urgent
      from dockline.shipment_exception e where e.business_id = p_business and e.shipment_id = s.id) as e
    where e.reported > 0);
end $$;

-- The numbers of open exceptions of a facility, and of those with high priority, each up to p_counted.
create or replace function dockline.exceptions_open(p_business bigint, p_facility text, p_counted int) returns json
language plpgsql stable as $$
declare
  v_facility bigint := (select f.id from dockline.facility f where f.business_id = p_business and f.slug = p_facility);
  v_urgent bigint := (select count(*) from (select from dockline.shipment_exception e
      where e.business_id = p_business and e.facility_id = v_facility and e.status = 'OPEN' and e.priority = 'HIGH'
      limit p_counted) as e);
begin
  return json_build_object('open',
    least(p_counted, v_urgent + (select count(*) from (select from dockline.shipment_exception e
      where e.business_id = p_business and e.facility_id = v_facility and e.status = 'OPEN' and e.priority = 'LOW'
      limit p_counted) as e)), 'urgent', v_urgent);
end $$;
