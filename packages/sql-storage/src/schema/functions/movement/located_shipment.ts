/** A shipment with its orders and location; null if it does not exist. */
export default `create or replace function dockline.located_shipment(p_business bigint, p_shipment bigint) returns json language plpgsql stable as $$
begin
  return (select json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f where f.id = s.facility_id),
    'shipment', s.body,
    'orders', (select coalesce(json_agg(o.body order by o.id + 0), '[]') from dockline.order_body o
      where o.business_id = p_business and o.shipment_id = s.id))
  from dockline.shipment_body s where s.business_id = p_business and s.id = p_shipment);
end $$`
