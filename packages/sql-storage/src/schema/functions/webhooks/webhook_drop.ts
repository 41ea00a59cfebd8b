/**
 * Drops up to p_limit expired deliveries of an endpoint, or any if the endpoint is gone, after a message id: [number, last
 * id], where last id is null if there were none. Null if the endpoint is locked.
 */
import { briefly, byIndex } from "../../Plans.ts"

export default `create or replace function dockline.webhook_drop(p_business bigint, p_endpoint bigint, p_after bigint, p_limit int) returns json language plpgsql
${byIndex} ${briefly} as $$
declare
  v_dropped bigint;
  v_last bigint;
  v_count int;
begin
  perform from dockline.webhook_endpoint where business_id = p_business and id = p_endpoint for no key update;
  if found then
    select l.dropped_id into v_dropped from dockline.message_log l where l.business_id = p_business;
  else
    v_dropped := 9223372036854775807;
  end if;
  select max(message_id) into v_last from (
    select d.message_id from dockline.webhook_delivery d
    where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id > p_after and d.message_id <= v_dropped
      and (d.status <> 'PENDING' or v_dropped = 9223372036854775807)
    order by d.message_id limit p_limit) as old;
  delete from dockline.webhook_delivery where business_id = p_business and endpoint_id = p_endpoint and message_id > p_after
    and message_id <= v_last and (status <> 'PENDING' or v_dropped = 9223372036854775807);
  get diagnostics v_count = row_count;
  return json_build_array(v_count, v_last);
exception when lock_not_available then
  return null;
end $$`
