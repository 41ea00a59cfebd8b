/** Ends earlier leases; returns [[epoch, endpoint]] of the endpoints that exist and are enabled. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.webhook_open(p_business bigint, p_ids bigint[]) returns json
language plpgsql ${byIndex} as $$
declare
  v_opened json;
begin
  perform from dockline.webhook_endpoint e
  where e.business_id = p_business and e.id = any (p_ids) order by e.id for no key update;
  with opened as (
    update dockline.webhook_endpoint e set epoch = e.epoch + 1
    where e.business_id = p_business and e.id = any (p_ids) and e.enabled
    returning e.id, e.epoch
  )
  select coalesce(json_agg(json_build_array(o.epoch, (select b.body from dockline.webhook_endpoint_body b
    where b.business_id = p_business and b.id = o.id)) order by o.id), '[]') into v_opened from opened o;
  return v_opened;
end $$`
