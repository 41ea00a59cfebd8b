import { ending, folded, hashesOf, lpnHash } from "../Endings.ts"
import { inOrder, sql } from "../Plans.ts"

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
            where (t.facility_id, ${hash}) >= (k.facility_id, ${least})
              and (t.facility_id, ${hash}) <= (k.facility_id, ${greatest})
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
