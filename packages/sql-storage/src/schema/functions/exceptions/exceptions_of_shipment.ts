/** The first exceptions of a shipment after an id, with its location; null if it does not exist. */
import { inOrder } from "../../Plans.ts"

export default `create or replace function dockline.exceptions_of_shipment(
  p_business bigint, p_shipment bigint, p_after bigint, p_limit int
) returns json language plpgsql stable ${inOrder} as $$
begin
  return (select json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f where f.id = s.facility_id),
    'exceptions', (select coalesce(json_agg(e.body), '[]')
      from (select x.body from dockline.exception_body x
        where x.business_id = p_business and x.shipment_id = p_shipment and x.id > p_after
        order by x.business_id, x.shipment_id, x.id limit p_limit) as e))
  from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
end $$`
