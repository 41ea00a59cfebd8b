import { ending, folded, hashesOf, keysOfLpn, lpnHash, traceHash } from "../Endings.ts"
import { inOrder, sql } from "../Plans.ts"
import { merged } from "../Streams.ts"

/** Whether a text with the ending is meant. */
const isMeant = `(${folded("t.text")} = p_text
        or p_ends and right(${folded("t.text")}, char_length(p_text)) = p_text)`

/** The newest entries of a table whose column is meant, with their columns `taken`. */
const meant = (table: string, column: string, taken: string): string =>
  `select t.* from unnest(v_facilities) as k(facility_id) cross join lateral (
      select * from (
        select t.business_id, t.facility_id, t.id, t.${column} as text, ${taken} from dockline.${table} t
        where t.facility_id = k.facility_id and ${ending(`t.${column}`)} = p_ending and t.${column} <> ''
        order by t.id desc limit p_depth
      ) as t
      where ${isMeant}
    ) as t`

/** Of a kind, the newest entries with their shipments and orders. */
const entries = (kind: string, found: string, order = "''"): string =>
  `array(select json_build_array('${kind}', t.id, t.text, t.facility_id, t.shipment_id, ${order})
      from (${found}) as t order by t.id desc limit p_limit)`

const orderNumber = `(select o.number from dockline.customer_order o
          where o.business_id = t.business_id and o.id = t.order_id)`

const [least, greatest] = hashesOf("p_ending")

const hash = lpnHash("t.lpn")

/** Of the items, what the index of LPNs has first of the ending. */
const items = `select distinct on (t.shipment_id, t.text) t.* from (
        select i.*, (select o.shipment_id from dockline.customer_order o
          where o.business_id = i.business_id and o.id = i.order_id) as shipment_id
        from (
          select t.* from unnest(v_facilities) as k(facility_id) cross join lateral (
            select t.business_id, t.facility_id, t.id, t.lpn as text, t.order_id from dockline.order_item t
            where t.facility_id = k.facility_id and ${hash} >= ${least} and ${hash} <= ${greatest}
            order by t.facility_id, ${hash}, t.lpn_shipment_id, t.order_id limit p_depth
          ) as t
          where ${ending("t.text")} = p_ending and ${isMeant}
        ) as i
      ) as t order by t.shipment_id, t.text, t.id desc`

/** The newest LPNs that documents removed, each once. */
const removed = `select substr(t.lpn_key, 2) as lpn
      from unnest(v_facilities) as k(facility_id) cross join lateral (
        select t.lpn_key, t.document_id from dockline.document_removal t
        where t.facility_id = k.facility_id and ${ending("substr(t.lpn_key, 2)")} = p_ending
          and t.lpn_key like '=%'
        order by t.document_id desc limit p_depth
      ) as t
      where ${folded("substr(t.lpn_key, 2)")} = p_text
        or p_ends and right(${folded("substr(t.lpn_key, 2)")}, char_length(p_text)) = p_text
      group by t.lpn_key order by max(t.document_id) desc limit p_limit`

/**
 * The numbers and LPNs with an ending (core's `endingOf`) that are p_text, or end with it if p_ends, as core's `isMeant` folds
 * them: of each kind the newest, up to p_limit. p_scopes: see facilities_within. Of each kind and facility, p_depth with the
 * ending are looked at, the newest but of items. Of the items of a shipment with one LPN, the newest of those is taken.
 */
export const searchEntries = sql`
create or replace function dockline.search_entries(
  p_scopes json, p_ending text, p_text text, p_ends boolean, p_depth int, p_limit int
) returns json
language plpgsql stable ${inOrder} as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_found json[];
begin
  v_found := ${entries("SHIPMENT", meant("shipment", "number", "t.id as shipment_id"))}
    || ${entries("TRAILER", meant("shipment", "trailer_number", "t.id as shipment_id"))}
    || ${entries("ORDER", meant("customer_order", "number", "t.shipment_id"), "t.text")}
    || ${entries("PALLET", meant("pallet", "lpn", "t.shipment_id"))}
    || ${entries("ITEM", items, orderNumber)};
  return json_build_object('removed', array(${removed}), 'entries', coalesce((
    select json_agg(json_build_object('kind', e->>0, 'id', e->1, 'text', e->>2, 'shipmentId', s.id,
      'shipmentNumber', s.number, 'status', s.status,
      'missingPallets', s.missing_pallets, 'unexpectedPallets', s.unexpected_pallets, 'orderNumber', e->>5,
      'location', json_build_object('business', json_build_object('slug', b.slug, 'name', b.name),
        'facility', json_build_object('slug', f.slug, 'name', f.name))))
    from unnest(v_found) as e
    join dockline.facility f on f.id = (e->>3)::bigint
    join dockline.business b on b.id = f.business_id
    join dockline.shipment s on s.business_id = b.id and s.id = (e->>4)::bigint), '[]'));
end $$`

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
const sightings = [ofShipment, newestOf].flatMap((of) => keysOfLpn("v_item.lpn").map(of)).join(", ")

/**
 * The items with the lot, the SKU or the LPN p_text, after p_after in the order of their ids, as core's `TraceEntry`. An entry with the id 0
 * says that more than p_most items have the LPN. p_scopes: see facilities_within.
 */
export const tracePage = sql`
create or replace function dockline.trace_page(
  p_scopes json, p_key text, p_text text, p_most int, p_after bigint, p_limit int
) returns json
language plpgsql stable ${inOrder} as $$
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
          and t.lpn = p_text
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
