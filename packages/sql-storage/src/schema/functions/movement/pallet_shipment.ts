import { lpnHash } from "../../Endings.ts"

/** The shipment of a pallet event; its row is locked. */
export default `create or replace function dockline.pallet_shipment(p_business bigint, p_shipment bigint, p_lpn text, p_pallet bigint) returns json
language plpgsql stable as $$
begin
  return (select json_build_object('id', s.id, 'number', s.number, 'status', s.status, 'palletId', p_pallet,
    'ordersWithLpn', (select coalesce(json_agg(o.number order by o.id + 0), '[]') from dockline.customer_order o
      where o.business_id = p_business and o.shipment_id = s.id and exists (select from dockline.order_item i
        where i.business_id = p_business and i.facility_id = s.facility_id and ${lpnHash("i.lpn")} = ${
  lpnHash("p_lpn")
}
          and i.lpn_shipment_id = case when s.status in ('DEPARTED', 'CANCELLED') then -s.id else s.id end
          and i.order_id = o.id and i.lpn = p_lpn offset 0)),
    'onlyOrder', (select case when count(*) = 1 then min(few.number) end
      from (select o.number from dockline.customer_order o where o.business_id = p_business and o.shipment_id = s.id limit 2) as few),
    'events', s.pallet_events, 'labelText', s.label_text)
  from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
end $$`
