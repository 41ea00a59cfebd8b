-- Outboxes: messages for endpoints that ask for their type, which readers of the log do not see (core's `OutboxEntry`). Entries and
-- messages of a business share one series of ids.
--
-- Lock order: the outboxes of the business, shared by appends, then the log.

-- Appends an entry to the outbox of its type, if an endpoint of the business, enabled or not, has the type: the entry is due with the
-- commit. The log stays locked until then. p_now: see message_append.
create or replace function dockline.outbox_append(
  p_business bigint, p_facility bigint, p_type text, p_shipment bigint, p_path text, p_media_type text, p_text text,
  p_trace text, p_now timestamptz
) returns void
language plpgsql as $$
declare
  v_sent_at timestamptz;
  v_last bigint;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('dockline.outboxes:' || p_business, 0));
  if (select e.id from dockline.webhook_endpoint e
      where e.business_id = p_business and p_type = any (e.message_types) limit 1) is null then
    return;
  end if;
  select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  if not found then
    insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
    select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  end if;
  v_sent_at := greatest(v_sent_at, coalesce(p_now, date_trunc('milliseconds', clock_timestamp())));
  insert into dockline.outbox_entry (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload,
    trace)
  values (p_business, nextval('dockline.message_id'), p_facility,
    (select f.slug from dockline.facility f where f.id = p_facility and f.business_id = p_business), p_type, p_shipment,
      v_sent_at,
    length(p_text), json_build_array(p_path, p_media_type, p_text), p_trace)
  returning id into v_last;
  insert into dockline.outbox (business_id, type, last_id) values (p_business, p_type, v_last)
  on conflict (business_id, type) do update set last_id = excluded.last_id;
  update dockline.message_log set last_id = v_last, last_sent_at = v_sent_at
  where business_id = p_business and last_id < v_last;
  if not found and v_last is not null then
    raise exception 'The ids of messages have gone down; run dockline message advance';
  end if;
end $$;

-- Drops up to p_limit entries of outboxes that were sent before the cutoff, and moves dropped_id of their outboxes; returns their number,
-- null if an outbox is locked.
create or replace function dockline.outbox_drop(p_business bigint, p_cutoff timestamptz, p_limit int) returns int
language plpgsql
set lock_timeout = '1s' as $$
declare
  v_last bigint;
  v_dropped int;
begin
  select max(id) into v_last from (
    select e.id from dockline.outbox_entry e where e.business_id = p_business and e.sent_at < p_cutoff
    order by e.sent_at, e.id limit p_limit) as old;
  with gone as (
    delete from dockline.outbox_entry where business_id = p_business and id <= v_last returning type, id, sent_at
  ), newest as (
    select type, max(id) as id, max(sent_at) as sent_at, count(*) as dropped from gone group by type
  ), marked as (
    update dockline.outbox o set dropped_id = greatest(o.dropped_id, n.id),
      dropped_sent_at = greatest(o.dropped_sent_at, n.sent_at) from newest n
    where o.business_id = p_business and o.type = n.type returning n.dropped
  )
  select coalesce(sum(dropped), 0) into v_dropped from marked;
  return v_dropped;
exception when lock_not_available then
  return null;
end $$;
