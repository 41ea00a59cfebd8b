/** The first pallets of a shipment after an id, with its location; null if it does not exist. */
import { inOrder } from "../../Plans.ts"

export default `create or replace function dockline.pallets_of_shipment(
  p_business bigint, p_shipment bigint, p_after bigint, p_limit int
) returns json language plpgsql stable ${inOrder} as $$
begin
  return (select json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f where f.id = s.facility_id),
    'pallets', (select coalesce(json_agg((select b.body from dockline.pallet_body b
        where b.business_id = p_business and b.shipment_id = p_shipment and b.id = named.id)), '[]')
      from (select p.id from dockline.pallet p
        where p.business_id = p_business and p.shipment_id = p_shipment and p.id > p_after
        order by p.business_id, p.shipment_id, p.id limit p_limit) as named))
  from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
end $$`
