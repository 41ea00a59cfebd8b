/** Completes the shipment and its orders, and appends the message. p_elsewhere: see expected_elsewhere. p_drafts: see message_append. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.depart_apply(
  p_business bigint, p_shipment bigint, p_departed_at timestamptz, p_elsewhere json, p_drafts json, p_now timestamptz
) returns void language plpgsql ${byIndex} as $$
begin
  update dockline.shipment set status = 'DEPARTED', departed_at = p_departed_at, elsewhere = p_elsewhere
    where business_id = p_business and id = p_shipment;
  perform dockline.orders_end(p_business, p_shipment, 'COMPLETED');
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$`
