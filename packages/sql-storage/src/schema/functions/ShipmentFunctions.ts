import { soughtTexts } from "@dockline/core/shipment/ShipmentItem"
import { itemText } from "@dockline/core/shipment/ShipmentSize"
import { dockShown, itemColumns, locationOf, nameOf, shown } from "../Columns.ts"
import { folded, itemLpn, keysOfLpn } from "../Endings.ts"
import { sql } from "../Plans.ts"
import { budgetVariables, largestId, merged, withinBudget } from "../Streams.ts"

/**
 * Shipments with their orders and locations, in the order of the ids. Where about so many characters of an answer are more than
 * p_small, `orders` is null; they are told by the sizes that orders keep, and not counted where p_small is null.
 */
export const shipmentsShown = sql`
create or replace function dockline.shipments_shown(p_ids bigint[], p_small int)
returns table (business json, facility json, shipment json, orders json, characters bigint)
language plpgsql stable rows 100 as $$
begin
  return query select json_build_object('slug', b.slug, 'name', b.name),
    json_build_object('slug', f.slug, 'name', f.name), s.body,
    case when p_small is null or w.characters <= p_small then
      (select coalesce(json_agg(o.body order by o.id + 0), '[]') from dockline.order_body o
        where o.business_id = s.business_id and o.shipment_id = s.id) end,
    w.characters
  from unnest(p_ids) with ordinality as named(id, nth)
  join dockline.shipment_body s on s.id = named.id
  join dockline.facility f on f.id = s.facility_id
  join dockline.business b on b.id = s.business_id
  cross join lateral (select coalesce(sum(o.row_count::bigint * ${itemText} + o.text_size), 0)::bigint as characters
    from dockline.customer_order o
    where p_small is not null and o.business_id = s.business_id and o.shipment_id = s.id) as w
  order by named.nth;
end $$`

/** Orders with their locations, in id order. */
export const ordersShown = sql`
create or replace function dockline.orders_shown(p_ids bigint[])
returns table (business json, facility json, shipment_number text, body json)
language plpgsql stable rows 100 as $$
begin
  return query select json_build_object('slug', b.slug, 'name', b.name),
    json_build_object('slug', f.slug, 'name', f.name), s.number, o.body
  from unnest(p_ids) with ordinality as named(id, nth)
  join dockline.order_body o on o.id = named.id
  join dockline.shipment s on s.business_id = o.business_id and s.id = o.shipment_id
  join dockline.facility f on f.id = o.facility_id
  join dockline.business b on b.id = o.business_id
  order by named.nth;
end $$`

const isFound = soughtTexts.map((field) => `strpos(${folded(`t.${nameOf(field)}`)}, p_find) > 0`).join(" or ")

const palletWith = (key: string): string =>
  `(select p.id from dockline.pallet p
          where p.business_id = p_business and (p.lpn_key, p.shipment_id) >= (${key}, p_shipment)
            and (p.lpn_key, p.shipment_id) <= (${key}, p_shipment)
          order by p.lpn_key, p.shipment_id limit 1)`

/**
 * One look-up for each key that a pallet may have (`IndexKey.ts`). Rows are compared in the order of the unique key, as otherwise
 * all pallets of the shipment might be read for each item.
 */
const isUnseen = `t.lpn <> '' and coalesce(${keysOfLpn(itemLpn("t")).map(palletWith).join(", ")}) is null`

const textColumns = itemColumns.filter(({ isDate, type }) => type === "text" && !isDate)

/** The characters of an item (core's `sizeOfItem`). */
const size =
  `(select coalesce(sum(length(serial->>'id') + 32), 0) from jsonb_array_elements(i.case_serials) as serial)
      + ${textColumns.map(({ name }) => `length(i.${name})`).join(" + ")}`

const itemShown = shown(itemColumns, "i")

const found = merged({
  table: "order_item",
  key: [["t.order_id", "k.order_id"]],
  values: `(select o.id as order_id from dockline.customer_order o
            where o.business_id = p_business and o.shipment_id = p_shipment and (p_order is null or o.id = p_order)) as k`,
  id: "t.id",
  take: "array[t.order_id, t.id]",
  largest: largestId,
  within: `t.business_id = p_business and (p_find is null or ${isFound}) and (not p_unseen or ${isUnseen})`
})

/**
 * The first items of a shipment after an id (withinBudget in Streams.ts), of all orders or of one, with its location; null if it
 * does not exist. The items of each order are a stream. p_find is folded (Endings.ts).
 */
export const itemsOfShipment = sql`
create or replace function dockline.items_of_shipment(
  p_business bigint, p_shipment bigint, p_order bigint, p_find text, p_unseen boolean, p_after bigint, p_limit int, p_rows int,
  p_text int
) returns json
language plpgsql stable as $$
declare
  v_facility bigint;
  v_ids bigint[];
  v_order bigint;
  v_id bigint;
  v_body json;
  ${budgetVariables};
begin
  select s.facility_id into v_facility from dockline.shipment s where s.business_id = p_business and s.id = p_shipment;
  if not found then return null; end if;
  ${found};
  for v_order, v_id in select v_ids[n][1], v_ids[n][2] from generate_subscripts(v_ids, 1) as n order by n loop
    select 1, ${size}, json_build_array(o.id::text, o.number, json_build_array(i.id::text, ${itemShown}))
    into v_rows, v_text, v_body
    from dockline.order_item i join dockline.customer_order o on o.business_id = i.business_id and o.id = i.order_id
    where i.business_id = p_business and i.order_id = v_order and i.id = v_id;
    v_page := v_page || v_body;
    ${withinBudget};
  end loop;
  return json_build_object(${locationOf("p_business", "v_facility")},
    'items', array_to_json(v_page));
end $$`

/** What the discrepancies of a shipment depend on, with its location; null if it does not exist. */
export const shipmentTracking = sql`
create or replace function dockline.shipment_tracking(p_business bigint, p_shipment bigint) returns json
language plpgsql stable as $$
begin
  return (select json_build_object(${locationOf("p_business", "s.facility_id")},
    'direction', s.direction,
    'status', s.status,
    'dock', ${dockShown("s.dock_id")},
    'lpns', (select coalesce(json_agg(i.lpn order by o.id + 0, i.id), '[]') from dockline.customer_order o
      cross join lateral (select i.id, i.lpn from dockline.order_item i
        where i.business_id = p_business and i.order_id = o.id and i.lpn <> '' offset 0) as i
      where o.business_id = p_business and o.shipment_id = p_shipment),
    'pallets', (select coalesce(json_agg(json_build_object('id', p.id, 'lpn', p.lpn, 'first', p.first_direction,
        'last', p.last_direction, 'dockId', p.last_dock_id,
        'dockSlug', (select d.slug from dockline.dock d where d.id = p.last_dock_id)) order by p.id), '[]')
      from dockline.pallet p where p.business_id = p_business and p.shipment_id = p_shipment),
    'elsewhere', dockline.expected_elsewhere(p_business, p_shipment))
  from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
end $$`

/** The time of a shipment, as the indexes have it. */
const time = "coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at)"

/** Rows of `s` as core's `BoardRow`, in an order. */
const rowsOf = (shipments: string, order: string): string =>
  `array(select json_build_object('id', s.id, 'shipmentNumber', s.number, 'status', s.status, 'direction', s.direction,
        'dockSlug', coalesce((select d.slug from dockline.dock d where d.id = s.dock_id), ''),
        'carrier', s.carrier, 'trailerNumber', s.trailer_number,
        'expectedArrivalAt', dockline.rfc3339(s.expected_arrival_at),
        'arrivedAt', coalesce(dockline.rfc3339(s.arrived_at), ''),
        'departedAt', coalesce(dockline.rfc3339(s.departed_at), ''),
        'missingPallets', s.missing_pallets, 'unexpectedPallets', s.unexpected_pallets, 'passedPallets', p.passed,
        'lastPalletId', coalesce(p.newest[1][1], ''), 'lastPalletLpn', coalesce(p.newest[1][2], ''),
        'lastSeenAt', coalesce(p.newest[1][3], ''))
      from (${shipments}) as s
      cross join lateral (
        select count(*) filter (where p.first_direction = p.last_direction and p.last_direction = case s.direction
            when 'INBOUND' then 'UNLOADING' when 'OUTBOUND' then 'LOADING' else p.last_direction end) as passed,
          (array_agg(array[p.id::text, p.lpn, dockline.rfc3339(p.last_seen_at)]
            order by p.last_seen_at desc, p.id desc))[1:1] as newest
        from dockline.pallet p where p.business_id = p_business and p.shipment_id = s.id) as p
      order by ${order})`

/** The first shipments of a status at the facility in the order of their times, on one side of a time. */
const ofStatus = (
  status: string,
  side: string,
  order: "asc" | "desc",
  limit: string,
  columns = "t.*"
): string =>
  `select t.* from unnest(array[false, true]) as k(discrepant) cross join lateral (
        select ${columns} from dockline.shipment t
        where t.business_id = p_business and t.status = '${status}' and t.discrepant = k.discrepant
          and t.facility_id = v_facility and ${time} ${side}
        order by t.status ${order}, t.discrepant ${order}, t.facility_id ${order}, ${time} ${order}, t.id ${order}
        limit ${limit}) as t
      order by coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) ${order}, t.id ${order} limit ${limit}`

const byTime = "coalesce(s.departed_at, s.arrived_at, s.expected_arrival_at)"

/** The shipments at a dock, or at none, the last to arrive first. */
const there = (dock: string, limit: string, columns = "t.*"): string =>
  `select ${columns} from dockline.shipment t
        where t.business_id = p_business and t.status = 'ARRIVED' and ${dock} order by t.arrived_at desc, t.id desc limit ${limit}`

const dockOf = (slug: string, dock: string): string =>
  `json_build_object('dockSlug', ${slug},
      'shipments', ${rowsOf(there(dock, "p_docked"), "s.arrived_at desc, s.id desc")},
      'others', greatest(0, (select count(*) from (${
    there(dock, "p_docked + p_counted", "t.id")
  }) as t) - p_docked))`

const none = "t.facility_id = v_facility and t.dock_id is null"

const departed = (limit: string, columns?: string) =>
  ofStatus("DEPARTED", ">= p_today", "desc", limit, columns)

/**
 * What the docks of a facility see, as core's `BoardRows`: of each dock p_docked shipments and how many more there are; up to p_overdue
 * that were expected before p_due and p_expected after it; what departed from p_today on, up to p_departed.
 */
export const dockBoard = sql`
create or replace function dockline.dock_board(
  p_business bigint, p_facility text, p_due timestamptz, p_today timestamptz, p_docked int, p_counted int, p_overdue int,
  p_expected int, p_departed int
) returns json
language plpgsql stable as $$
declare
  v_facility bigint;
  v_docks json[];
  v_left bigint;
  v_short bigint;
begin
  select f.id into v_facility from dockline.facility f where f.business_id = p_business and f.slug = p_facility;
  v_docks := array(select ${dockOf("d.slug", "t.dock_id = d.id")}
    from dockline.dock d where d.facility_id = v_facility order by d.slug collate "C");
  if exists (${there(none, "1", "t.id")}) then
    v_docks := v_docks || ${dockOf("''", none)};
  end if;
  select count(*), count(*) filter (where d.missing_pallets > 0) into v_left, v_short
    from (${
  departed("p_counted", "t.departed_at, t.arrived_at, t.expected_arrival_at, t.id, t.missing_pallets")
}) as d;
  return json_build_object('docks', array_to_json(v_docks),
    'overdue', ${rowsOf(ofStatus("SCHEDULED", "< p_due", "desc", "p_overdue"), `${byTime}, s.id`)},
    'expected', ${rowsOf(ofStatus("SCHEDULED", ">= p_due", "asc", "p_expected"), `${byTime}, s.id`)},
    'departed', ${rowsOf(departed("p_departed"), `${byTime} desc, s.id desc`)},
    'departedToday', v_left, 'shortToday', v_short);
end $$`
