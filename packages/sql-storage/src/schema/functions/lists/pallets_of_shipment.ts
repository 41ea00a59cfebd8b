/** The first pallets of a shipment after an id (withinBudget in Streams.ts), with its location; null if it does not exist. */
import { inOrder } from "../../Plans.ts"
import { budgetVariables, withinBudget } from "../../Streams.ts"

export default `create or replace function dockline.pallets_of_shipment(
  p_business bigint, p_shipment bigint, p_after bigint, p_limit int, p_rows int, p_text int
) returns json language plpgsql stable ${inOrder} as $$
declare
  v_facility bigint;
  v_id bigint;
  v_body json;
  ${budgetVariables};
begin
  select s.facility_id into v_facility from dockline.shipment s where s.business_id = p_business and s.id = p_shipment;
  if not found then return null; end if;
  for v_id in select p.id from dockline.pallet p
    where p.business_id = p_business and p.shipment_id = p_shipment and p.id > p_after
    order by p.business_id, p.shipment_id, p.id limit p_limit
  loop
    select p.row_count, p.text_size, b.body into v_rows, v_text, v_body
    from dockline.pallet p
    join dockline.pallet_body b on b.business_id = p.business_id and b.shipment_id = p.shipment_id and b.id = p.id
    where p.business_id = p_business and p.shipment_id = p_shipment and p.id = v_id;
    v_page := v_page || v_body;
    ${withinBudget};
  end loop;
  return json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f where f.id = v_facility),
    'pallets', array_to_json(v_page));
end $$`
