/**
 * The endpoints with deliveries to drop: endpoints that are gone, and those with settled deliveries of messages that the log
 * has dropped. Each step of the recursion finds the next endpoint that has deliveries.
 */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.webhook_expired() returns table (business bigint, endpoint bigint)
language plpgsql stable ${byIndex} as $$
begin
  return query with recursive leap as (
    (select d.business_id, d.endpoint_id from dockline.webhook_delivery d order by d.business_id, d.endpoint_id limit 1)
    union all
    select next.business_id, next.endpoint_id from leap cross join lateral (
      select d.business_id, d.endpoint_id from dockline.webhook_delivery d
      where (d.business_id, d.endpoint_id) > (leap.business_id, leap.endpoint_id)
      order by d.business_id, d.endpoint_id limit 1) as next
  )
  select leap.business_id, leap.endpoint_id from leap where
    (select e.id from dockline.webhook_endpoint e
      where e.business_id = leap.business_id and e.id = leap.endpoint_id) is null
    or (select d.message_id from dockline.webhook_delivery d
      where d.business_id = leap.business_id and d.endpoint_id = leap.endpoint_id
        and d.message_id <= (select l.dropped_id from dockline.message_log l where l.business_id = leap.business_id)
        and d.status <> 'PENDING' order by d.message_id limit 1) is not null;
end $$`
