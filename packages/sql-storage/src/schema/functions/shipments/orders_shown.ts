/** Orders with their locations, in id order. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.orders_shown(p_ids bigint[])
returns table (business json, facility json, shipment_number text, body json)
language plpgsql stable rows 100 ${byIndex} as $$
begin
  return query select json_build_object('slug', b.slug, 'name', b.name),
    json_build_object('slug', f.slug, 'name', f.name), s.number, o.body
  from unnest(p_ids) as named(id)
  join dockline.order_body o on o.id = named.id
  join dockline.shipment s on s.business_id = o.business_id and s.id = o.shipment_id
  join dockline.facility f on f.id = o.facility_id
  join dockline.business b on b.id = o.business_id
  order by named.id;
end $$`
