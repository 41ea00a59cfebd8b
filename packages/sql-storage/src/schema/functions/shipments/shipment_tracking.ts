/** What the discrepancies of a shipment depend on, with its location; null if it does not exist. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.shipment_tracking(p_business bigint, p_shipment bigint) returns json
language plpgsql stable ${byIndex} as $$
begin
  return (select json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f where f.id = s.facility_id),
    'direction', s.direction,
    'status', s.status,
    'dock', (select json_build_object('id', d.id, 'slug', d.slug) from dockline.dock d where d.id = s.dock_id),
    'lpns', (select coalesce(json_agg(i.lpn order by o.id, i.id), '[]') from dockline.customer_order o
      join dockline.order_item i on i.business_id = o.business_id and i.order_id = o.id
      where o.business_id = p_business and o.shipment_id = p_shipment and i.lpn <> ''),
    'pallets', (select coalesce(json_agg(json_build_array(p.id, p.lpn, p.first_direction, p.last_direction, p.last_dock_id,
        (select d.slug from dockline.dock d where d.id = p.last_dock_id)) order by p.id), '[]')
      from dockline.pallet p where p.business_id = p_business and p.shipment_id = p_shipment),
    'elsewhere', dockline.expected_elsewhere(p_business, p_shipment))
  from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
end $$`
