/** {"missing": "endpoint" or "delivery"}, or {"business": slug}. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.webhook_replay_one(p_business bigint, p_endpoint bigint, p_message bigint, p_now timestamptz) returns json
language plpgsql ${byIndex} as $$
declare
  v_shipment bigint;
begin
  perform from dockline.webhook_endpoint where business_id = p_business and id = p_endpoint for no key update;
  if not found then return json_build_object('missing', 'endpoint'); end if;
  update dockline.webhook_delivery set status = 'PENDING', tries = 0, failed_since = null, next_attempt_at = null
  where business_id = p_business and endpoint_id = p_endpoint and message_id = p_message returning shipment_id into v_shipment;
  if v_shipment is null then return json_build_object('missing', 'delivery'); end if;
  perform dockline.webhook_arrange(p_business, json_build_array(json_build_array(p_endpoint, v_shipment)), true, p_now);
  return json_build_object('business', (select slug from dockline.business where id = p_business));
end $$`
