/**
 * The first items of a shipment after an id (withinBudget in Streams.ts), of all orders or of one, with its location; null if it
 * does not exist. The items of each order are a stream. p_find is folded (Endings.ts).
 */
import { soughtTexts } from "@dockline/core/ShipmentItem"
import { itemColumns, nameOf, shown } from "../../Columns.ts"
import { folded } from "../../Endings.ts"
import { inOrder } from "../../Plans.ts"
import { budgetVariables, largestId, merged, withinBudget } from "../../Streams.ts"

const isFound = soughtTexts.map((field) => `strpos(${folded(`t.${nameOf(field)}`)}, p_find) > 0`).join(" or ")

/**
 * One look-up for each key that a pallet may have (`IndexKey.ts`). Rows are compared in the order of the unique key, as otherwise
 * all pallets of the shipment might be read for each item.
 */
const isUnseen = `t.lpn <> '' and coalesce(${
  ["'=' || t.lpn", "'#' || encode(sha256(convert_to(t.lpn, 'UTF8')), 'hex')"].map((key) =>
    `(select p.id from dockline.pallet p
          where (p.business_id, p.lpn_key, p.shipment_id) >= (p_business, ${key}, p_shipment)
            and (p.business_id, p.lpn_key, p.shipment_id) <= (p_business, ${key}, p_shipment)
          order by p.business_id, p.lpn_key, p.shipment_id limit 1)`
  ).join(", ")
}) is null`

/** The characters of an item (core's `sizeOfItem`). */
const size =
  `(select coalesce(sum(length(serial->>'id') + 32), 0) from jsonb_array_elements(i.case_serials) as serial)
      + ${
    itemColumns.filter(({ isDate, type }) => type === "text" && !isDate).map(({ name }) =>
      `length(i.${name})`
    ).join(" + ")
  }`

export default `create or replace function dockline.items_of_shipment(
  p_business bigint, p_shipment bigint, p_order bigint, p_find text, p_unseen boolean, p_after bigint, p_limit int, p_rows int,
  p_text int
) returns json language plpgsql stable ${inOrder} as $$
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
  ${
  merged({
    table: "order_item",
    key: [["t.order_id + 0", "k.order_id"]],
    values: `(select o.id as order_id from dockline.customer_order o
            where o.business_id = p_business and o.shipment_id = p_shipment and (p_order is null or o.id = p_order)) as k`,
    id: "t.id",
    take: "array[t.order_id, t.id]",
    largest: largestId,
    within: `t.business_id = p_business and (p_find is null or ${isFound}) and (not p_unseen or ${isUnseen})`
  })
};
  for v_order, v_id in select v_ids[n][1], v_ids[n][2] from generate_subscripts(v_ids, 1) as n order by n loop
    select 1, ${size}, json_build_array(o.id::text, o.number, json_build_array(i.id::text, ${
  shown(itemColumns, "i")
}))
    into v_rows, v_text, v_body
    from dockline.order_item i join dockline.customer_order o on o.business_id = i.business_id and o.id = i.order_id
    where i.business_id + 0 = p_business and i.order_id + 0 = v_order and i.id = v_id;
    v_page := v_page || v_body;
    ${withinBudget};
  end loop;
  return json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f where f.id = v_facility),
    'items', array_to_json(v_page));
end $$`
