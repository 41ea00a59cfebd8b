/** Ends the orders of a shipment that is final; their items are found by lpn no more. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.orders_end(p_business bigint, p_shipment bigint, p_status text) returns void
language plpgsql ${byIndex} as $$
begin
  update dockline.customer_order set status = p_status
  where business_id = p_business and shipment_id = p_shipment;
  update dockline.order_item set lpn_shipment_id = -lpn_shipment_id
  where business_id = p_business and order_id = any (array(select id from dockline.customer_order
      where business_id = p_business and shipment_id = p_shipment))
    and lpn_shipment_id > 0;
end $$`
