/** Completes the shipment and its orders, and appends the message. p_elsewhere: see expected_elsewhere. p_drafts: see message_append. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.depart_apply(
  p_business bigint, p_shipment bigint, p_departed_at timestamptz, p_elsewhere json, p_drafts json, p_now timestamptz
) returns void language plpgsql ${byIndex} as $$
begin
  update dockline.shipment set status = 'DEPARTED', departed_at = p_departed_at, elsewhere = p_elsewhere where business_id = p_business and id = p_shipment;
  update dockline.customer_order set status = 'COMPLETED'
  where business_id = p_business and shipment_id = p_shipment;
  update dockline.order_item set lpn_shipment_id = -lpn_shipment_id
  where business_id = p_business and order_id = any (array(select id from dockline.customer_order
      where business_id = p_business and shipment_id = p_shipment))
    and lpn_shipment_id > 0;
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$`
