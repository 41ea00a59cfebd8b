import { lpnHash } from "../../Endings.ts"

/**
 * Pallets with their events, as `PalletRows.ts` reads them. With "+ 0", items are found by no other index than that of their
 * lpns, and events by that of their pallets.
 */
export default `create or replace view dockline.pallet_body as
select p.business_id, p.shipment_id, p.id, p.lpn_key, json_build_array(
  (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p.business_id),
  (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f where f.id = p.facility_id),
  s.id, s.number, p.id, p.lpn,
  (select coalesce(json_agg(o.number order by o.id + 0), '[]') from dockline.customer_order o
    where o.business_id = p.business_id and p.lpn <> '' and o.id in (
      select i.order_id from dockline.order_item i
      where i.business_id + 0 = p.business_id and i.facility_id = p.facility_id
        and ${lpnHash("i.lpn")} = ${lpnHash("p.lpn")}
        and i.lpn_shipment_id = case when s.status = 'DEPARTED' then -s.id else s.id end and i.lpn = p.lpn)),
  (select case when count(*) = 1 then min(few.number) end from (
    select o.number from dockline.customer_order o where o.business_id = p.business_id and o.shipment_id = p.shipment_id
    limit 2) as few),
  (select json_agg(json_build_array(e.direction, dockline.rfc3339(e.occurred_at), d.id, d.slug, e.message_id, e.labels)
      order by e.occurred_at, e.message_id)
    from dockline.pallet_event e join dockline.dock d on d.id = e.dock_id
    where e.business_id + 0 = p.business_id and e.shipment_id = p.shipment_id and e.pallet_id = p.id)
) as body
from dockline.pallet p join dockline.shipment s on s.business_id = p.business_id and s.id = p.shipment_id`
