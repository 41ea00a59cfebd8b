/** Shipments with their orders and locations, in the order of the ids. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.shipments_shown(p_ids bigint[])
returns table (business json, facility json, shipment json, orders json)
language plpgsql stable rows 100 ${byIndex} as $$
begin
  return query select json_build_object('slug', b.slug, 'name', b.name),
    json_build_object('slug', f.slug, 'name', f.name), s.body,
    (select coalesce(json_agg(o.body order by o.id + 0), '[]') from dockline.order_body o
      where o.business_id = s.business_id and o.shipment_id = s.id)
  from unnest(p_ids) with ordinality as named(id, nth)
  join dockline.shipment_body s on s.id = named.id
  join dockline.facility f on f.id = s.facility_id
  join dockline.business b on b.id = s.business_id
  order by named.nth;
end $$`
