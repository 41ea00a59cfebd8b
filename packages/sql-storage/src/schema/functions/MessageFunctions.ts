import {
  appendNamed,
  byTypes,
  lockOfLog,
  messageColumns,
  messageRow,
  messageTable,
  moveLog
} from "../LogScans.ts"
import { briefly, sql } from "../Plans.ts"

/**
 * p_drafts: an array of [facility id, type, shipment id, payload as text, trace context or null]. p_now: the time of a clock that was
 * given; null for that of the database, which is read while the log is locked: whoever waited before is not sent in the past.
 */
export const messageAppend = sql`
create or replace function dockline.message_append(
  p_business bigint, p_drafts json, p_now timestamptz
) returns json
language plpgsql as $$
declare
  v_sent_at timestamptz;
  v_last bigint;
  v_result json;
begin
  ${lockOfLog}
  v_sent_at := greatest(v_sent_at, coalesce(p_now, date_trunc('milliseconds', clock_timestamp())));
  with appended as (
    insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload,
      trace)
    select p_business, nextval('dockline.message_id'), (draft->>0)::bigint,
      (select f.slug from dockline.facility f where f.id = (draft->>0)::bigint and f.business_id = p_business),
      draft->>1, (draft->>2)::bigint, v_sent_at, length(draft->>3), (draft->>3)::json, draft->>4
    from json_array_elements(p_drafts) as draft
    returning id
  )
  select max(id), json_agg(json_build_array(id, dockline.rfc3339(v_sent_at)) order by id)
  into v_last, v_result from appended;
  ${moveLog}
  return coalesce(v_result, '[]');
end $$`

export const messageLast = sql`
create or replace function dockline.message_last(p_business bigint) returns bigint
language plpgsql stable as $$
begin
  return coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0);
end $$`

/** Logs are locked in one order, and businesses get their ids in the order in which they are named. */
export const messageAppendNamed = appendNamed({
  lock: `perform from dockline.message_log l where l.business_id in (
    select b.id from json_array_elements(p_drafts) as draft join dockline.business b on b.slug = draft->>0)
  order by l.business_id for no key update;`,
  order: "min(n)",
  append: "v_ids := dockline.message_append(v_business.id, v_business.drafts, p_now);"
})

/* One message more than the page tells whether there are more. */
const pageOf = (page: string) =>
  `return query select ${messageRow("p", "case when p.fits then p.payload end")}
      from (
        select s.*, row_number() over ordered <= p_limit
          and (row_number() over ordered = 1 or sum(s.size) over ordered <= p_text) as fits
        from (
          ${page}
        ) as s
        window ordered as (order by s.id)
      ) as p order by p.id`

/**
 * The head of a page as JSON, {"expired": dropped id} or {"lastId"}, then its messages (messageTable in LogScans.ts); a last
 * one without payload does not fit: there are more. p_facility and p_since may be null; an unknown place has no messages.
 * Rows are sent as they are: one text of all of them took twice the time, here and at the reader.
 */
export const messageRead = sql`
create or replace function dockline.message_read(
  p_business bigint, p_facility text, p_types text[], p_after bigint, p_since timestamptz, p_limit int, p_text bigint
) returns table (${messageTable})
language plpgsql stable as $$
#variable_conflict use_column
declare
  v_log dockline.message_log;
  v_facility bigint;
  v_after bigint := p_after;
begin
  select * into v_log from dockline.message_log where business_id = p_business;
  if p_after < v_log.dropped_id and (p_since is null or p_since <= v_log.dropped_sent_at) then
    head := format('{"expired":%s}', v_log.dropped_id);
    return next;
    return;
  end if;
  head := format('{"lastId":%s}', coalesce(v_log.last_id, 0));
  return next;
  if p_facility is not null then
    select coalesce(max(f.id), 0) into v_facility from dockline.facility f
    where f.business_id = p_business and f.slug = p_facility;
  end if;
  if p_since is not null then
    select m.id - 1 into v_after from dockline.message m
    where m.business_id = p_business and m.sent_at >= p_since order by m.sent_at, m.id limit 1;
    v_after := greatest(p_after, coalesce(v_after, v_log.last_id));
  end if;
  ${
  byTypes(
    (messages) => pageOf(messages({ columns: messageColumns, after: "v_after", limit: "p_limit + 1" })),
    { reader: { business: "p_business", facility: "v_facility", types: "p_types" } }
  )
};
end $$`

/**
 * The newest id of all messages; before the first, one below all that will be given. In a part of a cluster, which has every
 * 1024th id, it is the multiple of 1024 before it: the same for parts whose ids were moved on together.
 */
export const messageNewest = sql`
create or replace function dockline.message_newest() returns bigint
language plpgsql as $$
begin
  return (select case when m.is_called then m.last_value else s.seqstart - s.seqincrement end / s.seqincrement * s.seqincrement
    from dockline.message_id m, pg_sequence s where s.seqrelid = 'dockline.message_id'::regclass);
end $$`

/**
 * Moves the next id of messages, and the newest id of each log, to p_beyond if they are below: {"newestId"}, or {"tooFar":
 * newest id} if it is more than p_limit away. If the ids of messages move, those of all other entities move by p_others.
 * Appends wait meanwhile. All leases of endpoints end, as their holders may know of messages of a lost database.
 */
export const messageAdvance = sql`
create or replace function dockline.message_advance(
  p_beyond bigint, p_limit bigint, p_others bigint
) returns json
language plpgsql as $$
declare
  v_newest bigint;
  v_other record;
begin
  lock table dockline.message_log in exclusive mode;
  v_newest := dockline.message_newest();
  if p_beyond - v_newest > p_limit then return json_build_object('tooFar', v_newest); end if;
  if p_beyond > v_newest then
    perform setval('dockline.message_id', dockline.id_beyond('dockline.message_id', p_beyond));
    v_newest := p_beyond;
    for v_other in select format('%I.%I', schemaname, sequencename)::regclass as name,
        coalesce(last_value, start_value - increment_by) as last
      from pg_sequences
      where schemaname = 'dockline' and sequencename <> 'message_id' and data_type = 'bigint'::regtype
    loop
      perform setval(v_other.name, dockline.id_beyond(v_other.name, v_other.last + p_others));
    end loop;
  end if;
  insert into dockline.message_log as l (business_id, last_id)
  select b.id, p_beyond from dockline.business b where dockline.is_here(b.id) order by b.id
  on conflict (business_id) do update set last_id = excluded.last_id where l.last_id < excluded.last_id;
  update dockline.webhook_endpoint e set epoch = e.epoch + 1
  where e.id in (select o.id from dockline.webhook_endpoint o order by o.id for no key update);
  return json_build_object('newestId', v_newest);
end $$`

/** Moves the mark to the last message sent before the cutoff; false if the row of the log is locked. */
export const messageExpire = sql`
create or replace function dockline.message_expire(p_business bigint, p_cutoff timestamptz) returns boolean
language plpgsql
${briefly} as $$
declare
  v_id bigint;
  v_sent_at timestamptz;
begin
  select m.id, m.sent_at into v_id, v_sent_at from dockline.message m
  where m.business_id = p_business and m.sent_at < p_cutoff order by m.sent_at desc, m.id desc limit 1;
  if v_id > (select l.dropped_id from dockline.message_log l where l.business_id = p_business) then
    update dockline.message_log set dropped_id = v_id, dropped_sent_at = v_sent_at
    where business_id = p_business and dropped_id < v_id;
  end if;
  return true;
exception when lock_not_available then
  return false;
end $$`

/** The businesses whose logs hold expired messages, or whose outboxes hold expired entries. */
export const messageExpired = sql`
create or replace function dockline.message_expired(p_cutoff timestamptz) returns setof bigint
language plpgsql stable as $$
begin
  return query select l.business_id from dockline.message_log l
  where (select m.id from dockline.message m where m.business_id = l.business_id and m.id <= l.dropped_id
      order by m.id limit 1) is not null
    or (select m.id from dockline.message m where m.business_id = l.business_id and m.sent_at < p_cutoff
      order by m.sent_at, m.id limit 1) is not null
    or (select e.id from dockline.outbox_entry e where e.business_id = l.business_id and e.sent_at < p_cutoff
      order by e.sent_at, e.id limit 1) is not null
  order by l.business_id;
end $$`

/**
 * Deletes up to p_limit messages after an id and up to the mark: [number, last id]; the last id is null when there
 * were none.
 */
export const messageDrop = sql`
create or replace function dockline.message_drop(p_business bigint, p_after bigint, p_limit int) returns json
language plpgsql as $$
declare
  v_last bigint;
  v_count int;
begin
  select max(id) into v_last from (
    select m.id from dockline.message m where m.business_id = p_business and m.id > p_after
      and m.id <= (select l.dropped_id from dockline.message_log l where l.business_id = p_business)
    order by m.id limit p_limit) as old;
  delete from dockline.message where business_id = p_business and id > p_after and id <= v_last;
  get diagnostics v_count = row_count;
  return json_build_array(v_count, v_last);
end $$`
