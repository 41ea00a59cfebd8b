/**
 * Shipments with their orders and locations, in the order of the ids. Where about so many characters of an answer are more than
 * p_small, `orders` is null; they are told by the sizes that orders keep, and not counted where p_small is null.
 */
import { itemText } from "@dockline/core/internal/shipment/ShipmentSize"
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.shipments_shown(p_ids bigint[], p_small int)
returns table (business json, facility json, shipment json, orders json, characters bigint)
language plpgsql stable rows 100 ${byIndex} as $$
begin
  return query select json_build_object('slug', b.slug, 'name', b.name),
    json_build_object('slug', f.slug, 'name', f.name), s.body,
    case when p_small is null or w.characters <= p_small then
      (select coalesce(json_agg(o.body order by o.id + 0), '[]') from dockline.order_body o
        where o.business_id = s.business_id and o.shipment_id = s.id) end,
    w.characters
  from unnest(p_ids) with ordinality as named(id, nth)
  join dockline.shipment_body s on s.id = named.id
  join dockline.facility f on f.id = s.facility_id
  join dockline.business b on b.id = s.business_id
  cross join lateral (select case when p_small is null then 0 else (
    select coalesce(sum(o.row_count::bigint * ${itemText} + o.text_size), 0)::bigint
    from dockline.customer_order o where o.business_id = s.business_id and o.shipment_id = s.id) end as characters offset 0) as w
  order by named.nth;
end $$`
