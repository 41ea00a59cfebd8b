-- Retention: its clock, and deliveries whose messages are gone.

-- The time by which retention judges what has expired: {"time": milliseconds since 1970, "jump": by how many the clock is ahead of it,
-- "isNew": whether this call has found the jump}. It is the time of the clock, unless more than a day has passed since the last call: then
-- the clock may have jumped, or nothing ran, and the time stays until the service has run for a day. Running time is the sum of short
-- intervals between calls.
create or replace function dockline.retention_time() returns json
language plpgsql as $$
declare
  v_clock dockline.retention_clock;
  v_now timestamptz;
  v_ran interval;
begin
  insert into dockline.retention_clock (id, trusted_at, seen_at) values (1, clock_timestamp(),
    clock_timestamp()) on conflict do nothing;
  select * into v_clock from dockline.retention_clock where id = 1 for update;
  v_now := clock_timestamp();
  if v_now > v_clock.trusted_at + interval '1 day' then
    v_ran := coalesce(v_clock.ran, '0') + case when v_clock.ran is not null and v_now > v_clock.seen_at
      and v_now <= v_clock.seen_at + interval '2 hours' then v_now - v_clock.seen_at else '0' end;
  end if;
  if v_ran >= interval '1 day' then
    v_ran := null;
  end if;
  if v_ran is null then
    v_clock.trusted_at := v_now;
  end if;
  update dockline.retention_clock set trusted_at = v_clock.trusted_at, seen_at = v_now, ran = v_ran where id = 1;
  return json_build_object('time', trunc(extract(epoch from v_clock.trusted_at) * 1000),
    'jump', trunc(extract(epoch from v_now - v_clock.trusted_at) * 1000), 'isNew', v_clock.ran is null
      and v_ran is not null);
end $$;

-- The endpoints with deliveries to drop: endpoints that are gone, and those with settled deliveries of messages that
-- the log has dropped. Each step of the recursion finds the next endpoint that has deliveries.
create or replace function dockline.webhook_expired() returns table (business bigint, endpoint bigint)
language plpgsql stable as $$
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
        and d.message_id <= greatest((select l.dropped_id from dockline.message_log l where l.business_id = leap.business_id),
          (select max(o.dropped_id) from dockline.outbox o where o.business_id = leap.business_id))
        and d.status <> 'PENDING' order by d.message_id limit 1) is not null;
end $$;

-- Drops up to p_limit expired deliveries of an endpoint, or any if the endpoint is gone, after a message id: {"count", "last"}, where the
-- last id is null if there were none. Null if a lock was not granted within a second.
create or replace function dockline.webhook_drop(p_business bigint, p_endpoint bigint, p_after bigint, p_limit int)
returns json
language plpgsql
set lock_timeout = '1s' as $$
declare
  v_dropped bigint;
  v_last bigint;
  v_count int;
begin
  perform from dockline.webhook_endpoint where business_id = p_business and id = p_endpoint for no key update;
  if found then
    v_dropped := greatest((select l.dropped_id from dockline.message_log l where l.business_id = p_business),
          (select max(o.dropped_id) from dockline.outbox o where o.business_id = p_business));
  else
    v_dropped := 9223372036854775807;
  end if;
  select max(message_id) into v_last from (
    select d.message_id from dockline.webhook_delivery d
    where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id > p_after
      and d.message_id <= v_dropped
      and (d.status <> 'PENDING' or v_dropped = 9223372036854775807)
    order by d.message_id limit p_limit) as old;
  delete from dockline.webhook_delivery where business_id = p_business and endpoint_id = p_endpoint
    and message_id > p_after
    and message_id <= v_last and (status <> 'PENDING' or v_dropped = 9223372036854775807);
  get diagnostics v_count = row_count;
  return json_build_object('count', v_count, 'last', v_last);
exception when lock_not_available then
  return null;
end $$;
