/**
 * Of the pallets of a shipment that it does not expect, the latest created open shipment that does; of a departed shipment, as
 * it was at its departure. With "+ 0", items are found by no other index than that of their lpns. A call of shipment_by_lpn for
 * each pallet would cost more than all the rest, as a function with settings does.
 */
import { lpnHash } from "../../Endings.ts"
import { byIndex } from "../../Plans.ts"
import { expecting } from "./shipment_by_lpn.ts"

export default `create or replace function dockline.expected_elsewhere(p_business bigint, p_shipment bigint) returns json
language plpgsql stable ${byIndex} as $$
declare
  v_shipment dockline.shipment;
begin
  select * into v_shipment from dockline.shipment where business_id = p_business and id = p_shipment;
  if v_shipment.status = 'DEPARTED' then return coalesce(v_shipment.elsewhere, '[]'); end if;
  return (select coalesce(json_agg(json_build_object('lpn', e.lpn, 'shipmentId', e.other, 'shipmentNumber',
      (select o.number from dockline.shipment o where o.business_id = p_business and o.id = e.other)) order by e.id), '[]')
    from (select p.id, p.lpn, ${expecting("v_shipment.facility_id", "p.lpn")} as other
      from dockline.pallet p
      where p.business_id = p_business and p.shipment_id = p_shipment and p.lpn <> ''
        and (select i.id from dockline.order_item i
          where i.business_id + 0 = p_business and i.facility_id = v_shipment.facility_id
            and ${lpnHash("i.lpn")} = ${lpnHash("p.lpn")} and i.lpn_shipment_id = p_shipment and i.lpn = p.lpn
          limit 1) is null offset 0) as e
    where e.other is not null);
end $$`
