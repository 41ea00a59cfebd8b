import {
  businessShown,
  dockShown,
  facilityShown,
  itemColumns,
  orderColumns,
  shipmentColumns,
  shown
} from "../Columns.ts"
import { sql } from "../Plans.ts"

const statusOf = (order: string): string =>
  `(select s.status from dockline.shipment s
          where s.business_id = p_business and s.id = ${order}.shipment_id)`

/** Some shipment that the shipment of an order is linked to, or null. */
const linkOf = (order: string): string =>
  `(select l.shipment_id from dockline.shipment_link l
          where l.business_id = p_business and l.shipment_id = ${order}.shipment_id limit 1)`

/**
 * Of the orders `o` with a number, those on a shipment that is scheduled and not linked: it only narrows what `core/document/Remap` chooses
 * from. A test holds that it leaves out no order that core would choose.
 */
const remappable = (
  { direction, facility, key }: {
    readonly facility: string
    readonly key: string
    readonly direction: string
  }
): string =>
  `o.business_id = p_business and o.facility_id = ${facility} and o.number_key = ${key}
        and o.direction = ${direction}
        and ${statusOf("o")} = 'SCHEDULED'
        and ${linkOf("o")} is null`

/** What a body shows of a row of `customer_order` itself. */
const head = (order: string): string =>
  `json_build_array(${order}.id::text, ${order}.number, ${order}.status, ${order}.direction, ${order}.shipment_id,
    dockline.rfc3339(${order}.created_at), json_build_array(${shown(orderColumns, order)}),
    ${order}.owner)`

const wantedElsewhere = remappable({
  facility: "v_facilities[n.document]",
  key: "n.key",
  direction: "p_directions[n.document]"
})

/** The newest remappable order of a number elsewhere than on the target: core can choose no other. */
const chosen = `(select o.id from dockline.customer_order o
        where o.shipment_id is distinct from v_targets[n.document] and ${wantedElsewhere}
        order by o.created_at desc, o.id desc limit 1)`

/** JSON has dates as ISO texts, and an empty one as null: `to_char` takes four times as long. */
const columns = itemColumns.map(({ name }) => `array_agg(i.${name})`).join(", ")

/**
 * Locks documents and returns their snapshots. The orders of document p_documents[i] have the key p_order_keys[i]; documents
 * count from 1. A document is null where it has no facility, and 'held' where it did not wait for a lock (intake_lock).
 * Only for the documents of p_needing it says which of their numbers are in use on other shipments.
 * The items of all orders are columns: one list for each field is much cheaper to make than one for each item.
 */
export const intakeLoad = sql`
create or replace function dockline.intake_load(
  p_business bigint, p_facilities text[], p_docks text[], p_directions text[], p_shipment_keys text[], p_documents int[],
  p_order_keys text[], p_needing int[], p_wait boolean
) returns json
language plpgsql as $$
declare
  v_facilities bigint[];
  v_free boolean[];
  v_targets bigint[];
  v_remapping int[];
  v_remapped bigint[];
  v_orders bigint[];
  v_candidates json[];
  v_numbers json[];
  v_items json;
begin
  v_facilities := array(
    select (select f.id from dockline.facility f where f.business_id = p_business and f.slug = d.facility)
    from unnest(p_facilities) with ordinality as d(facility, at) order by d.at);
  v_free := dockline.intake_lock(
    p_business, v_facilities, p_directions, p_shipment_keys, p_documents, p_order_keys, p_wait);
  v_targets := array(select (select s.id from dockline.shipment s
      where s.business_id = p_business and s.facility_id = d.facility and s.number_key = d.key and d.free)
    from unnest(v_facilities, p_shipment_keys, v_free) with ordinality as d(facility, key, free, at) order by d.at);
  select array_agg(c.document), array_agg(c.id) into v_remapping, v_remapped from (
    select n.document, ${chosen} as id
    from unnest(p_documents, p_order_keys) as n(document, key) where v_free[n.document]
  ) as c where c.id is not null;
  v_orders := v_remapped || array(select o.id from unnest(v_targets) as d(target)
    cross join lateral (select o.id from dockline.customer_order o
      where o.business_id = p_business and o.shipment_id = d.target offset 0) as o);
  -- Each has a statement of its own, which costs nothing where there is none.
  if v_remapped is not null then
    v_candidates := array(select (select json_agg(json_build_array(
          ${head("o")}, ${statusOf("o")}, ${linkOf("o")} is not null) order by o.id + 0)
        from unnest(v_remapping, v_remapped) as c(document, id)
        cross join lateral (select o.* from dockline.customer_order o
          where o.business_id = p_business and o.id = c.id offset 0) as o
        where c.document = d.at)
      from generate_subscripts(v_targets, 1) as d(at) order by d.at);
  end if;
  if cardinality(p_needing) > 0 then
    v_numbers := array(select case when d.at = any (p_needing) then
        (select json_agg(json_build_array(e.number, e.is_open))
        from unnest(p_documents, p_order_keys) as n(document, key)
        cross join lateral (select max(o.number) as number,
            bool_or(o.status = 'CREATED' and o.direction = p_directions[n.document]) as is_open
          from dockline.customer_order o
          where o.business_id = p_business and o.facility_id = d.facility and o.number_key = n.key
            and o.shipment_id is distinct from d.target offset 0) as e
        where n.document = d.at and e.number is not null) end
      from unnest(v_facilities, v_targets) with ordinality as d(facility, target, at) order by d.at);
  end if;
  if cardinality(v_orders) > 0 then
    v_items := (select json_build_array(array_agg(i.order_id::text), array_agg(i.id::text), ${columns})
      from (select i.* from unnest(v_orders) as o(id)
        cross join lateral (select i.* from dockline.order_item i
          where i.business_id = p_business and i.order_id = o.id offset 0) as i
        order by i.order_id, i.id) as i);
  end if;
  return json_build_object(
    'begun', now()::text,
    'now', dockline.rfc3339(clock_timestamp()),
    'business', ${businessShown("p_business")},
    'documents', (select json_agg(case
        when d.facility is null then null
        when not d.free then '"held"'::json
        else json_build_object(
          'facility', ${facilityShown("d.facility")},
          'facilityId', d.facility,
          'dock', (select json_build_object('id', k.id, 'slug', k.slug) from dockline.dock k
            where k.facility_id = d.facility and k.slug = d.dock),
          'target', (select s.body from dockline.shipment_body s where s.business_id = p_business and s.id = d.target),
          'orders', (select json_agg(${head("o")} order by o.id + 0) from dockline.customer_order o
            where o.business_id = p_business and o.shipment_id = d.target),
          'candidates', v_candidates[d.at],
          'numbersInUse', v_numbers[d.at])
      end order by d.at)
      from unnest(v_facilities, p_docks, v_free, v_targets) with ordinality as d(facility, dock, free, target, at)),
    'items', v_items
  );
end $$`

const wanted = remappable({
  facility: "p_facilities[n.document]",
  key: "n.key",
  direction: "p_directions[n.document]"
})

/**
 * Documents that share a number at a facility run one after another. A document of few orders locks its numbers and shares
 * the facility's lock; a document of many takes the facility's lock alone, so that the number of locks is bounded. Numbers
 * and then rows are locked in one order, so documents do not deadlock. The key of a lock begins with no name of a table: in the shards
 * of a cluster such a name is another.
 *
 * Documents that do not wait (p_wait) never do: the result says of each whether it got all its locks. Of two with one
 * shipment the first gets it. So a lock that somebody else holds delays one document, and no other with it.
 */
export const intakeLock = sql`
create or replace function dockline.intake_lock(
  p_business bigint, p_facilities bigint[], p_directions text[], p_shipment_keys text[], p_documents int[], p_order_keys text[],
  p_wait boolean
) returns boolean[]
language plpgsql as $$
declare
  v_free boolean[];
  v_documents int[];
  v_shipments bigint[];
  v_locked bigint[];
begin
  if not p_wait then
    v_free := array(select bool_and(case
        when p_facilities[n.document] is null then true
        when n.key is null
          then pg_try_advisory_xact_lock_shared(hashtextextended('dockline.numbers:' || p_facilities[n.document], 0))
        else pg_try_advisory_xact_lock(hashtextextended('dockline.number:' || p_facilities[n.document] || ':' || n.key, 0))
      end)
      from (
        select d.at::int as document, null as key from unnest(p_facilities) with ordinality as d(facility, at)
        union all select d.at::int, d.key from unnest(p_shipment_keys) with ordinality as d(key, at)
        union all select * from unnest(p_documents, p_order_keys)
      ) as n
      group by n.document order by n.document);
  elsif cardinality(p_order_keys) > 32 then
    perform pg_advisory_xact_lock(f.lock) from (
      select distinct hashtextextended('dockline.numbers:' || facility, 0) as lock from unnest(p_facilities) as facility
      where facility is not null order by lock
    ) as f;
  else
    perform pg_advisory_xact_lock_shared(f.lock) from (
      select distinct hashtextextended('dockline.numbers:' || facility, 0) as lock from unnest(p_facilities) as facility
      where facility is not null order by lock
    ) as f;
    perform pg_advisory_xact_lock(n.lock) from (
      select distinct hashtextextended('dockline.number:' || p_facilities[n.document] || ':' || n.key, 0) as lock
      from (
        select d.at::int as document, d.key from unnest(p_shipment_keys) with ordinality as d(key, at)
        union all select * from unnest(p_documents, p_order_keys)
      ) as n
      where p_facilities[n.document] is not null order by lock
    ) as n;
  end if;
  select array_agg(s.document), array_agg(s.id) into v_documents, v_shipments from (
    select d.at::int as document, (select t.id from dockline.shipment t
        where t.business_id = p_business and t.facility_id = d.facility and t.number_key = d.key) as id
    from unnest(p_facilities, p_shipment_keys) with ordinality as d(facility, key, at)
    union
    select n.document, o.shipment_id from unnest(p_documents, p_order_keys) as n(document, key)
    cross join lateral (select o.shipment_id from dockline.customer_order o where ${wanted} offset 0) as o
  ) as s where s.id is not null and (p_wait or v_free[s.document]);
  if p_wait then
    perform from dockline.shipment s where s.business_id + 0 = p_business and s.id = any (v_shipments)
    order by s.id for no key update;
    return array_fill(true, array[cardinality(p_facilities)]);
  end if;
  v_locked := array(select s.id from dockline.shipment s where s.business_id + 0 = p_business and s.id = any (v_shipments)
    order by s.id for no key update skip locked);
  if cardinality(v_locked) = cardinality(v_shipments) then
    return v_free;
  end if;
  v_documents := array(select s.document from (
      select id, document, min(document) over (partition by id) as first from unnest(v_documents, v_shipments) as s(document, id)
    ) as s where s.first < s.document or s.id <> all (v_locked));
  return array(select d.free and d.at <> all (v_documents) from unnest(v_free) with ordinality as d(free, at) order by d.at);
end $$`

/** Orders as `Rows.ts` reads them: arrays, so that no key is written, sent and parsed once per item. */
export const orderBody = sql`
create or replace view dockline.order_body as
select o.business_id, o.id, o.facility_id, o.shipment_id, o.number_key, json_build_array(
  ${head("o")},
  (select coalesce(json_agg(json_build_array(i.id::text, ${shown(itemColumns, "i")}) order by i.id), '[]')
    from dockline.order_item i where i.business_id = o.business_id and i.order_id = o.id)
) as body
from dockline.customer_order o`

/** Shipments as `Rows.ts` reads them. */
export const shipmentBody = sql`
create or replace view dockline.shipment_body as
select s.business_id, s.id, s.facility_id, s.number_key, json_build_object(
  'id', s.id, 'number', s.number, 'status', s.status, 'direction', s.direction,
  'expectedArrivalAt', dockline.rfc3339(s.expected_arrival_at), 'scheduledAt', dockline.rfc3339(s.scheduled_at),
  'arrivedAt', dockline.rfc3339(s.arrived_at), 'departedAt', dockline.rfc3339(s.departed_at),
  'dock', ${dockShown("s.dock_id")},
  'additionalFields', s.additional_fields,
  'linkedShipmentIds', (select coalesce(json_agg(l.linked_shipment_id order by l.linked_shipment_id), '[]')
    from dockline.shipment_link l where l.business_id = s.business_id and l.shipment_id = s.id),
  'fields', json_build_array(${shown(shipmentColumns, "s")}),
  'pallets', (select coalesce(json_agg(json_build_array(p.id, p.lpn, p.first_direction, p.last_direction, p.last_dock_id) order by p.id), '[]')
    from dockline.pallet p where p.business_id = s.business_id and p.shipment_id = s.id),
  'checkIn', s.check_in, 'owner', s.owner, 'version', s.version
) as body
from dockline.shipment s`
