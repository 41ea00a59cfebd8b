/**
 * A page of the pallets with an lpn, newest first: [[size, body]] until the sum is above p_items, but of two at least. p_scopes:
 * see facilities_within. p_after is minus the id of the last pallet of the page before. A shipment has one pallet of an lpn.
 */
import { labelTextOfItem } from "@dockline/core/ShipmentStore"
import { inOrder } from "../../Plans.ts"
import { merged } from "../../Streams.ts"

export default `create or replace function dockline.pallet_page(
  p_scopes json, p_lpn_key text, p_after bigint, p_limit int, p_items int
) returns json language plpgsql stable ${inOrder} as $$
declare
  v_ids bigint[];
  v_id bigint;
  v_size int;
  v_body json;
  v_held bigint := 0;
  v_page json[] := '{}';
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
    select s.pallet_events + s.label_text / ${labelTextOfItem}, (select b.body from dockline.pallet_body b
      where b.business_id = s.business_id and b.shipment_id = s.id and b.lpn_key = p_lpn_key)
    into v_size, v_body from dockline.shipment s where s.id = v_id;
    v_page := v_page || json_build_array(v_size, v_body);
    v_held := v_held + v_size;
    exit when v_held > p_items and cardinality(v_page) > 1;
  end loop;
  return array_to_json(v_page);
end $$`
