/** Cancels the shipment and its orders; its items are found by lpn no more. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.cancel_apply(p_business bigint, p_shipment bigint) returns void
language plpgsql ${byIndex} as $$
begin
  update dockline.shipment set status = 'CANCELLED', discrepant = false where business_id = p_business and id = p_shipment;
  perform dockline.orders_end(p_business, p_shipment, 'CANCELLED');
end $$`
