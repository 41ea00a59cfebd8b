import { exceptionPriorities, exceptionStatuses } from "@dockline/core/exceptions/ShipmentException"
import { dockShown, locationOf } from "../schema/Columns.ts"
import { lockOfLog } from "../schema/LogScans.ts"
import { sql } from "../schema/Plans.ts"
import { merged, words } from "../schema/Streams.ts"

/** Exceptions with where they belong, as core's `LocatedException`. */
export const exceptionBody = sql`
create or replace view dockline.exception_body as
select e.business_id, e.shipment_id, e.id, json_build_object(
  'location', json_build_object(${locationOf("e.business_id", "e.facility_id")}),
  'shipmentId', e.shipment_id,
  'shipmentNumber', (select s.number from dockline.shipment s where s.business_id = e.business_id and s.id = e.shipment_id),
  'exception', json_build_object('id', e.id, 'palletId', e.pallet_id, 'lpn', e.lpn, 'kind', e.kind, 'priority', e.priority,
    'description', e.description, 'reportedAt', dockline.rfc3339(e.reported_at), 'reportedBy', e.reported_by,
    'resolution', case when e.resolved_at is not null then
      json_build_object('note', e.note, 'at', dockline.rfc3339(e.resolved_at), 'by', e.resolved_by) end)
) as body
from dockline.shipment_exception e`

/** The first exceptions of a shipment after an id, with its location; null if it does not exist. */
export const exceptionsOfShipment = sql`
create or replace function dockline.exceptions_of_shipment(
  p_business bigint, p_shipment bigint, p_after bigint, p_limit int
) returns json
language plpgsql stable as $$
begin
  return (select json_build_object(${locationOf("p_business", "s.facility_id")},
    'exceptions', (select coalesce(json_agg(e.body), '[]')
      from (select x.body from dockline.exception_body x
        where x.business_id = p_business and x.shipment_id = p_shipment and x.id > p_after
        order by x.business_id, x.shipment_id, x.id limit p_limit) as e))
  from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
end $$`

const page = merged({
  table: "shipment_exception",
  key: [["t.facility_id", "k.facility"], ["t.status", "k.status"], ["t.priority", "k.priority"]],
  values: `(select f, s, p from unnest(v_facilities) as f, unnest(v_statuses) as s, unnest(v_priorities) as p)
            as k(facility, status, priority)`,
  id: "t.place",
  take: "json_build_array(t.business_id, t.shipment_id, t.id)"
})

/**
 * A page of the exceptions of a status and a priority, newest first; null stands for all. p_scopes: see facilities_within.
 * p_after is the place of the last exception of the page before.
 */
export const exceptionPage = sql`
create or replace function dockline.exception_page(
  p_scopes json, p_status text, p_priority text, p_after bigint, p_limit int
) returns json
language plpgsql stable as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_statuses text[] := ${words("p_status", exceptionStatuses)};
  v_priorities text[] := ${words("p_priority", exceptionPriorities)};
  v_ids json[];
  v_id json;
  v_page json[] := '{}';
begin
  ${page};
  foreach v_id in array v_ids loop
    v_page := v_page || (select b.body from dockline.exception_body b
      where b.business_id = (v_id->>0)::bigint and b.shipment_id = (v_id->>1)::bigint and b.id = (v_id->>2)::bigint);
  end loop;
  return array_to_json(v_page);
end $$`

/**
 * Locks a shipment, and returns what changes of its exceptions depend on; null if it does not exist. The pallet is that of an id,
 * else that of an lpn. Without p_exception an exception is to be reported, and there is an id for it. The time is read while the log of
 * the business is locked, too: lists of exceptions go by it, so that none comes later with an earlier one (D21.1).
 */
export const exceptionLoad = sql`
create or replace function dockline.exception_load(
  p_business bigint, p_shipment bigint, p_pallet bigint, p_lpn_key text, p_exception bigint
) returns json
language plpgsql as $$
declare
  v_shipment dockline.shipment;
  v_sent_at timestamptz;
begin
  select * into v_shipment from dockline.shipment
  where business_id = p_business and id = p_shipment for no key update;
  if not found then return null; end if;
  ${lockOfLog}
  return json_build_object(
    'now', dockline.rfc3339(greatest(v_sent_at, date_trunc('milliseconds', clock_timestamp()))),
    'found', dockline.exceptions_of_shipment(p_business, p_shipment, p_exception - 1, 1),
    'number', v_shipment.number,
    'facilityId', v_shipment.facility_id,
    'shipment', json_build_object(
      'dock', ${dockShown("v_shipment.dock_id")},
      'orders', (select coalesce(json_agg(o.number order by o.id + 0), '[]') from dockline.customer_order o
        where o.business_id = p_business and o.shipment_id = p_shipment)),
    'newExceptionId', case when p_exception is null then nextval('dockline.shipment_exception_id') end,
    'count', (select count(*) from dockline.shipment_exception where business_id = p_business and shipment_id = p_shipment),
    'pallet', case when p_pallet is not null then (select json_build_object('id', p.id, 'lpn', p.lpn) from dockline.pallet p
        where p.business_id = p_business and p.shipment_id = p_shipment and p.id = p_pallet)
      else (select json_build_object('id', p.id, 'lpn', p.lpn) from dockline.pallet p
        where p.business_id = p_business and p.lpn_key = p_lpn_key and p.shipment_id = p_shipment) end);
end $$`

export const exceptionReport = sql`
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
end $$`

export const exceptionResolve = sql`
create or replace function dockline.exception_resolve(
  p_business bigint, p_shipment bigint, p_exception bigint, p_note text, p_at timestamptz, p_by text, p_drafts json,
  p_now timestamptz
) returns void
language plpgsql as $$
begin
  update dockline.shipment_exception set note = p_note, resolved_at = p_at, resolved_by = p_by
  where business_id = p_business and shipment_id = p_shipment and id = p_exception;
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$`

/** How many exceptions those of p_shipments have that have some. */
export const exceptionCounts = sql`
create or replace function dockline.exception_counts(p_business bigint, p_shipments bigint[]) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_object('shipmentId', s.id, 'reported', e.reported, 'open', e.open, 'urgent', e.urgent)), '[]')
    from unnest(p_shipments) as s(id)
    cross join lateral (
      select count(*) as reported, count(*) filter (where e.resolved_at is null) as open,
        count(*) filter (where e.resolved_at is null and e.priority = 'HIGH') as urgent
      from dockline.shipment_exception e where e.business_id = p_business and e.shipment_id = s.id offset 0) as e
    where e.reported > 0);
end $$`

/** The open exceptions of a facility of a priority, up to p_counted. */
const openOf = (priority: string): string =>
  `(select count(*) from (select from dockline.shipment_exception e
      where e.business_id + 0 = p_business and e.facility_id = v_facility and e.status = 'OPEN' and e.priority = '${priority}'
      limit p_counted) as e)`

/** How many exceptions of a facility are open, and how many of these are of high priority, each up to p_counted. */
export const exceptionsOpen = sql`
create or replace function dockline.exceptions_open(p_business bigint, p_facility text, p_counted int) returns json
language plpgsql stable as $$
declare
  v_facility bigint := (select f.id from dockline.facility f where f.business_id = p_business and f.slug = p_facility);
  v_urgent bigint := ${openOf("HIGH")};
begin
  return json_build_object('open', least(p_counted, v_urgent + ${openOf("LOW")}), 'urgent', v_urgent);
end $$`
