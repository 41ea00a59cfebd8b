/** Replays the first p_limit messages of a range of ids: [count, last id]; null without the endpoint. */
import { byKind, isTaken } from "../../LogScans.ts"
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.webhook_replay(
  p_business bigint, p_endpoint bigint, p_first bigint, p_last bigint, p_limit int, p_now timestamptz
) returns json language plpgsql ${byIndex} as $$
declare
  v_endpoint dockline.webhook_endpoint;
  v_count bigint;
  v_last bigint;
  v_touched json;
begin
  select * into v_endpoint from dockline.webhook_endpoint where business_id = p_business and id = p_endpoint for no key update;
  if v_endpoint.id is null then return null; end if;
  ${
  byKind((scan) =>
    `with written as (
      insert into dockline.webhook_delivery as d (business_id, endpoint_id, message_id, type, shipment_id, status, tries,
        attempts)
      select p_business, p_endpoint, m.id, m.type, m.shipment_id, 'PENDING', 0, '[]'::jsonb from dockline.message m
      where ${scan} and m.id >= p_first and m.id <= p_last and ${isTaken}
      order by m.id limit p_limit
      on conflict (business_id, endpoint_id, message_id) do update set status = 'PENDING', tries = 0, failed_since = null,
        next_attempt_at = null
      returning d.message_id, d.shipment_id
    )
    select count(*), max(message_id), json_agg(distinct jsonb_build_array(p_endpoint, shipment_id))
    into v_count, v_last, v_touched from written`
  )
};
  if v_count > 0 then perform dockline.webhook_arrange(p_business, v_touched, true, p_now); end if;
  return json_build_array(v_count, v_last);
end $$`
