import { itemText } from "@dockline/core/internal/shipment/ShipmentSize"
import { soughtTexts } from "@dockline/core/ShipmentItem"
import { dockShown, itemColumns, locationOf, nameOf, shown } from "../Columns.ts"
import { folded, itemLpn, keysOfLpn } from "../Endings.ts"
import { byIndex, inOrder, sql } from "../Plans.ts"
import { budgetVariables, largestId, merged, withinBudget } from "../Streams.ts"

/**
 * Shipments with their orders and locations, in the order of the ids. Where about so many characters of an answer are more than
 * p_small, `orders` is null; they are told by the sizes that orders keep, and not counted where p_small is null.
 */
export const shipmentsShown = sql`
create or replace function dockline.shipments_shown(p_ids bigint[], p_small int)
returns table (business json, facility json, shipment json, orders json, characters bigint)
language plpgsql stable rows 100 ${byIndex} as $$
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
language plpgsql stable rows 100 ${byIndex} as $$
begin
  return query select json_build_object('slug', b.slug, 'name', b.name),
    json_build_object('slug', f.slug, 'name', f.name), s.number, o.body
  from unnest(p_ids) as named(id)
  join dockline.order_body o on o.id = named.id
  join dockline.shipment s on s.business_id = o.business_id and s.id = o.shipment_id
  join dockline.facility f on f.id = o.facility_id
  join dockline.business b on b.id = o.business_id
  order by named.id;
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
language plpgsql stable ${inOrder} as $$
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
    select 1, ${size}, json_build_array(o.id::text, o.number, json_build_array(i.id::text, ${itemShown}), (
        select json_build_array(k.facts->'description', k.facts->'casesPerPallet') from dockline.sku k
        where k.business_id = p_business and k.facility_id = v_facility and k.id = i.sku collate "C"))
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
language plpgsql stable ${byIndex} as $$
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
