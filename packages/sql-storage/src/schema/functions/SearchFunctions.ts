import { ending, folded, hashesOf, itemLpn, lpnHash, palletLpn, trailerHash } from "../Endings.ts"
import { sql } from "../Plans.ts"

/**
 * The newest rows of a table whose column is exactly the text: `key` has the value there, and `newest` is the order of the ids with one.
 * The key is held to its value by a range, so that only its own index has the order.
 */
const exact = (
  table: string,
  column: string,
  shipment: string,
  { key, value, newest, within }: ExactKey
): string =>
  `select t.*, 0 as distance from unnest(v_facilities) as k(facility_id) cross join lateral (
        select t.business_id, t.facility_id, t.id, t.${column} as text, ${shipment} as shipment_id from dockline.${table} t
        where t.facility_id = k.facility_id and ${within} and ${key} >= ${value} and ${key} <= ${value}
        order by ${newest} limit p_limit
      ) as t`

interface ExactKey {
  readonly key: string
  readonly value: string
  readonly newest: string
  readonly within: string
}

/** Whether a text is meant by a search, though it is not exactly the text; and how exactly it is meant (core's `distanceOf`). */
const isSimilar = (text: string): string =>
  `${text} <> p_text and (${folded(text)} = p_folded
          or p_ends and right(${folded(text)}, char_length(p_folded)) = p_folded)`

const distance = (text: string): string => `case when ${folded(text)} = p_folded then 1 else 2 end`

/** The rows of a table whose column is similar, as it is `compared`, among the newest with the ending. */
const similar = (table: string, column: string, shipment: string, compared: string): string =>
  `select t.*, ${
    distance("t.compared")
  } as distance from unnest(v_facilities) as k(facility_id) cross join lateral (
        select t.business_id, t.facility_id, t.id, t.${column} as text, ${compared} as compared,
          ${shipment} as shipment_id from dockline.${table} t
        where t.facility_id = k.facility_id and ${ending(compared)} = p_ending and t.${column} <> ''
        order by t.id desc limit p_depth
      ) as t
      where ${isSimilar("t.compared")}`

const hash = lpnHash(itemLpn("t"))

/** An item with exactly this LPN, of the first shipment after another one in an order of the index. */
const nextItem = (after: string, beyond: "<" | ">", side: string): string => {
  const [order, bound] = beyond === "<" ? ["desc", ">="] : ["asc", "<="]
  return `(select array[t.business_id, t.lpn_shipment_id, t.order_id, t.id] from dockline.order_item t
            where t.facility_id = k.facility_id and (${hash}, t.lpn_shipment_id) ${beyond} (v_hash, ${after})
              and ${hash} ${bound} v_hash and ${itemLpn("t")} = p_text and ${side}
            order by t.facility_id ${order}, ${hash} ${order}, t.lpn_shipment_id ${order} limit 1)`
}

/**
 * An item of each shipment that has items with exactly this LPN, of the newest shipments. The index has open shipments in the order of their ids,
 * and others in that of the ids with a minus before them, so that two walks go from one shipment to the next.
 */
const itemsOf = (beyond: "<" | ">", start: string, side: string): string =>
  `select k.facility_id, w.item from unnest(v_facilities) as k(facility_id) cross join lateral (
          with recursive walk(item) as (
            select ${nextItem(start, beyond, side)}
            union all
            select ${nextItem("w.item[2]", beyond, side)} from walk w where w.item is not null
          )
          select item from walk where item is not null limit p_limit
        ) as w`

const exactItems = `select item[1] as business_id, facility_id, item[4] as id,
        (select x.lpn from dockline.order_item x
          where x.business_id = item[1] and x.order_id = item[3] and x.id = item[4]) as text, abs(item[2]) as shipment_id,
        item[3] as order_id, 0 as distance
      from (
        ${itemsOf("<", "9223372036854775807", "t.lpn_shipment_id > 0")}
        union all
        ${itemsOf(">", "-9223372036854775807", "t.lpn_shipment_id < 0")}
      ) as i`

const [least, greatest] = hashesOf("p_ending")

/** Of the items with the ending, what the index has first; of those of a shipment with one LPN, the newest. */
const similarItems = `select distinct on (t.shipment_id, t.compared) t.*, ${
  distance("t.compared")
} as distance from (
        select i.*, (select o.shipment_id from dockline.customer_order o
          where o.business_id = i.business_id and o.id = i.order_id) as shipment_id
        from (
          select t.* from unnest(v_facilities) as k(facility_id) cross join lateral (
            select t.business_id, t.facility_id, t.id, t.lpn as text, ${
  itemLpn("t")
} as compared, t.order_id from dockline.order_item t
            where t.facility_id = k.facility_id and ${hash} >= ${least} and ${hash} <= ${greatest}
            order by t.facility_id, ${hash}, t.lpn_shipment_id, t.order_id limit p_depth
          ) as t
          where ${ending("t.compared")} = p_ending and ${isSimilar("t.compared")}
        ) as i
      ) as t order by t.shipment_id, t.compared, t.id desc`

const orderNumber = `(select o.number from dockline.customer_order o
          where o.business_id = t.business_id and o.id = t.order_id)`

/** Of a kind, the first entries in core's order, with their shipments and orders. */
const entries = (kind: string, rows: string, order = "''", newest = "t.id desc"): string =>
  `array(select json_build_array('${kind}', t.id, t.text, t.facility_id, t.shipment_id, ${order}, t.distance)
      from (${rows}) as t order by t.distance, ${newest} limit p_limit)`

const trailer = trailerHash("t.trailer_number")

/** The kinds but items, each with the table and the column of its text, its shipment, its order, and where exact texts are found. */
const kinds = [
  ["SHIPMENT", "shipment", "number", "t.id", "''", {
    key: "t.number_key",
    value: "p_key",
    newest: "t.number_key",
    // The index of the key begins with the business.
    within: "t.business_id = (select f.business_id from dockline.facility f where f.id = k.facility_id)"
  }],
  ["TRAILER", "shipment", "trailer_number", "t.id", "''", {
    key: trailer,
    value: trailerHash("p_text"),
    newest: `${trailer} desc, t.id desc`,
    within: "t.trailer_number = p_text and t.trailer_number <> ''"
  }],
  ["ORDER", "customer_order", "number", "t.shipment_id", "t.text", {
    key: "t.number_key",
    value: "p_key",
    newest: "t.number_key desc, t.id desc",
    within: "t.number <> ''"
  }],
  ["PALLET", "pallet", "lpn", "t.shipment_id", "''", {
    key: "t.lpn_key",
    value: "p_key",
    newest: "t.lpn_key, t.place",
    within: "t.lpn <> ''"
  }]
] as const

const newestShipment = "t.shipment_id desc, t.id desc"

const exactEntries = kinds.map(([kind, table, column, shipment, order, key]) =>
  entries(kind, exact(table, column, shipment, key), order)
).join("\n    || ")

const similarEntries = [
  ...kinds.map(([kind, table, column, shipment, order]) =>
    entries(kind, similar(table, column, shipment, kind === "PALLET" ? palletLpn("t") : `t.${column}`), order)
  ),
  entries("ITEM", similarItems, orderNumber, newestShipment)
].join("\n      || ")

const removedLpn = "substr(t.lpn_key, 2)"

/** The LPNs that documents removed, each once: what is exact first, then what is similar, of each the newest. */
const removed = `select r.lpn from (
        select p_text as lpn, 0 as distance, 0 as document_id
        where p_key like '=%' and exists (select from unnest(v_facilities) as k(facility_id)
          where (select t.document_id from dockline.document_removal t
            where t.facility_id = k.facility_id and t.lpn_key = p_key limit 1) is not null)
        union all
        select ${removedLpn}, ${distance(removedLpn)}, t.document_id
        from unnest(v_facilities) as k(facility_id) cross join lateral (
          select t.lpn_key, t.document_id from dockline.document_removal t
          where not v_filled and t.facility_id = k.facility_id and ${
  ending(removedLpn)
} = p_ending and t.lpn_key like '=%'
          order by t.document_id desc limit p_depth
        ) as t
        where ${isSimilar(removedLpn)}
      ) as r group by r.lpn, r.distance order by r.distance, max(r.document_id) desc, r.lpn limit p_limit`

/**
 * The numbers and LPNs that p_text means: of each kind the first p_limit in the order of core's `ranked`. p_key is the text as index keys
 * have it, p_folded and p_ending are the text and its end as core folds them, and p_ends says whether texts that end with it are meant.
 * What is exactly the text is found by itself, however much else there is. Of what is similar, p_depth with the ending are looked at
 * of each kind and facility: the newest, but of items any. Nothing similar is looked for where exact entries fill the limit.
 * p_scopes: see facilities_within.
 */
export const searchEntries = sql`
create or replace function dockline.search_entries(
  p_scopes json, p_text text, p_key text, p_folded text, p_ending text, p_ends boolean, p_depth int, p_limit int
) returns json
language plpgsql stable as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_hash bigint := ${lpnHash("p_text")};
  v_found json[];
  v_items json[];
  v_filled boolean;
begin
  v_found := ${exactEntries};
  v_items := ${entries("ITEM", exactItems, orderNumber, newestShipment)};
  v_filled := greatest(cardinality(v_found), cardinality(v_items)) >= p_limit;
  if not v_filled then
    v_items := v_items || ${similarEntries};
  end if;
  return json_build_object('removed', array(${removed}), 'entries', coalesce((
    select json_agg(json_build_object('kind', e->>0, 'id', e->1, 'text', e->>2, 'shipmentId', s.id,
      'shipmentNumber', s.number, 'status', s.status,
      'missingPallets', s.missing_pallets, 'unexpectedPallets', s.unexpected_pallets, 'orderNumber', e->>5,
      'location', json_build_object('business', json_build_object('slug', b.slug, 'name', b.name),
        'facility', json_build_object('slug', f.slug, 'name', f.name))))
    from unnest(v_found || v_items) as e
    join dockline.facility f on f.id = (e->>3)::bigint
    join dockline.business b on b.id = f.business_id
    join dockline.shipment s on s.business_id = b.id and s.id = (e->>4)::bigint), '[]'));
end $$`
