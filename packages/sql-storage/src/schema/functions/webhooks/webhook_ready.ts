/**
 * {"endpoints": ids, "nextDueAt"}. p_count: the number of partitions of endpoints. An endpoint is ready when its log has
 * grown, whether or not it gets the new messages.
 */
import { inOrder } from "../../Plans.ts"

export default `create or replace function dockline.webhook_ready(p_partitions int[], p_count int, p_now timestamptz) returns json
language plpgsql stable ${inOrder} as $$
begin
  return (
    select json_build_object(
      'endpoints', coalesce(json_agg(r.id order by r.id) filter (where r.due_at <= p_now), '[]'),
      'nextDueAt', dockline.rfc3339(min(r.due_at) filter (where r.due_at > p_now)))
    from (
      select e.id, greatest(work.at, (e.login->>'retryAt')::timestamptz) as due_at
      from dockline.webhook_endpoint e
      left join dockline.message_log l on l.business_id = e.business_id
      cross join lateral (select case when l.last_id > e.cursor_id then p_now
        else (select d.next_attempt_at from dockline.webhook_delivery d
          where d.business_id = e.business_id and d.endpoint_id = e.id and d.next_attempt_at is not null
          order by d.next_attempt_at limit 1) end as at) as work
      where e.enabled and (e.id % p_count)::int = any (p_partitions) and work.at is not null
    ) as r);
end $$`
