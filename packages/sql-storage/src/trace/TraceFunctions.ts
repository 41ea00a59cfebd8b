import { itemLpn, keysOfLpn, lpnHash, traceHash } from "../schema/Endings.ts"
import { sql } from "../schema/Plans.ts"
import { merged } from "../schema/Streams.ts"

const hash = lpnHash(itemLpn("t"))

const place = "array[t.business_id, t.order_id, t.id]"

/** Sets `v_ids` to the first items with a lot or an SKU. */
const tracedBy = (column: string): string =>
  merged({
    table: "order_item",
    key: [[traceHash(`t.${column}`, "t.facility_id"), traceHash("p_text", "k.facility")]],
    values: "unnest(v_facilities) as k(facility)",
    within: `t.${column} = p_text and t.${column} <> '' and t.facility_id = k.facility`,
    take: place
  })

/** The first pallet with these values, in the order of an index. */
const palletWith = (equal: string, columns: string, values: string, order: string): string =>
  `(select array[p.shipment_id, p.id] from dockline.pallet p
          where ${equal} and ${columns} >= ${values} and ${columns} <= ${values} order by ${order} limit 1)`

const ofShipment = (key: string): string =>
  palletWith(
    "p.business_id = v_item.business_id",
    "(p.lpn_key, p.shipment_id)",
    `(${key}, v_order.shipment_id)`,
    "p.lpn_key, p.shipment_id"
  )

const newestOf = (key: string): string =>
  palletWith("p.facility_id = v_item.facility_id", "p.lpn_key", key, "p.lpn_key, (-p.id)")

/** The pallet with the LPN of an item: that of its shipment, else the newest at the facility. */
const sightings = [ofShipment, newestOf].flatMap((of) => keysOfLpn(itemLpn("v_item")).map(of)).join(", ")

/**
 * The items with the lot, the SKU or the LPN p_text, after p_after in the order of their ids, as core's `TraceEntry`. An entry with the id 0
 * says that more than p_most items have the LPN. p_scopes: see facilities_within.
 */
export const tracePage = sql`
create or replace function dockline.trace_page(
  p_scopes json, p_key text, p_text text, p_most int, p_after bigint, p_limit int
) returns json
language plpgsql stable as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_ids bigint[];
  v_entries json[] := '{}';
  v_item record;
  v_order record;
  v_seen bigint[];
begin
  if p_key = 'lot' then
    ${tracedBy("lot")};
  elsif p_key = 'sku' then
    ${tracedBy("sku")};
  else
    v_ids := array(select t.place from unnest(v_facilities) as k(facility) cross join lateral (
        select ${place} as place from dockline.order_item t
        where t.facility_id = k.facility and ${hash} >= ${lpnHash("p_text")} and ${hash} <= ${
  lpnHash("p_text")
}
          and ${itemLpn("t")} = p_text
        limit p_most + 1
      ) as t limit p_most + 1);
    if array_length(v_ids, 1) > p_most then return json_build_array(json_build_object('id', '0')); end if;
    v_ids := array(select array[v_ids[n][1], v_ids[n][2], v_ids[n][3]] from generate_subscripts(v_ids, 1) as n
      where v_ids[n][3] > p_after order by v_ids[n][3] limit p_limit);
  end if;
  for n in 1 .. coalesce(array_length(v_ids, 1), 0) loop
    select i.* into v_item from dockline.order_item i
      where i.business_id = v_ids[n][1] and i.order_id = v_ids[n][2] and i.id = v_ids[n][3];
    select o.* into v_order from dockline.customer_order o
      where o.business_id = v_ids[n][1] and o.id = v_ids[n][2];
    v_seen := case when v_item.lpn <> '' then coalesce(
      ${sightings}) end;
    v_entries := v_entries || (select json_build_object('id', v_item.id::text, 'lot', v_item.lot, 'sku', v_item.sku,
        'lpn', v_item.lpn, 'quantity', v_item.quantity, 'quantityUnit', v_item.quantity_unit,
        'expirationDate', coalesce(to_char(v_item.expiration_date, 'YYYY-MM-DD'), ''),
        'business', json_build_object('slug', b.slug, 'name', b.name),
        'facility', json_build_object('slug', f.slug, 'name', f.name),
        'orderNumber', v_order.number,
        'purchaseOrder', coalesce(nullif(v_item.purchase_order, ''), v_order.purchase_order),
        'supplier', v_order.supplier, 'consigneeName', v_order.consignee_name, 'destination', v_order.destination,
        'shipmentId', s.id, 'shipmentNumber', s.number, 'status', s.status, 'direction', s.direction,
        'carrier', s.carrier, 'trailerNumber', s.trailer_number,
        'arrivedAt', coalesce(dockline.rfc3339(s.arrived_at), ''),
        'departedAt', coalesce(dockline.rfc3339(s.departed_at), ''),
        'palletId', coalesce(p.id::text, ''), 'seenShipmentId', coalesce(p.shipment_id, 0),
        'seenShipmentNumber', coalesce((select seen.number from dockline.shipment seen
          where seen.business_id = s.business_id and seen.id = p.shipment_id), ''),
        'seenDirection', coalesce(p.last_direction, ''),
        'seenDockSlug', coalesce((select d.slug from dockline.dock d where d.id = p.last_dock_id), ''),
        'seenAt', coalesce(dockline.rfc3339(p.last_seen_at), ''))
      from dockline.shipment s
      join dockline.facility f on f.id = s.facility_id
      join dockline.business b on b.id = s.business_id
      left join dockline.pallet p on p.business_id = s.business_id and p.shipment_id = v_seen[1] and p.id = v_seen[2]
      where s.business_id = v_order.business_id and s.id = v_order.shipment_id);
  end loop;
  return array_to_json(v_entries);
end $$`
