/**
 * A page of the pallets with an lpn, newest first (withinBudget in Streams.ts). p_scopes: see facilities_within. p_after is minus the id of the last pallet of the page before. A shipment has one pallet of an lpn.
 */
import { inOrder } from "../../Plans.ts"
import { budgetVariables, merged, withinBudget } from "../../Streams.ts"

export default `create or replace function dockline.pallet_page(
  p_scopes json, p_lpn_key text, p_after bigint, p_limit int, p_rows int, p_text int
) returns json language plpgsql stable ${inOrder} as $$
declare
  v_ids bigint[];
  v_id bigint;
  v_body json;
  ${budgetVariables};
begin
  ${
  merged({
    table: "pallet",
    key: [["t.facility_id", "k.facility"], ["t.lpn_key", "p_lpn_key"]],
    values: "unnest(dockline.facilities_within(p_scopes)) as k(facility)",
    id: "-t.id",
    largest: "0",
    take: "t.shipment_id"
  })
};
  foreach v_id in array v_ids loop
    select p.row_count, p.text_size, (select b.body from dockline.pallet_body b
      where b.business_id = s.business_id and b.shipment_id = s.id and b.lpn_key = p_lpn_key)
    into v_rows, v_text, v_body
    from dockline.shipment s
    join dockline.pallet p on p.business_id = s.business_id and p.lpn_key = p_lpn_key and p.shipment_id = s.id
    where s.id = v_id;
    v_page := v_page || v_body;
    ${withinBudget};
  end loop;
  return array_to_json(v_page);
end $$`
