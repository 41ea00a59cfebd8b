/**
 * Migration 3: the message log.
 *
 * `message_append` takes the row of the business's log before it draws ids and keeps it to the commit, so that ids,
 * and `sent_at`, become visible in their order (D7.2). It is to come last in a transaction: other writers of the same
 * business wait from there to the commit, and no longer. Everything here is frozen: later changes are
 * later migrations.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `create sequence dockline.message_id`,
  `create table dockline.message_log (
    business_id bigint primary key references dockline.business,
    last_id bigint not null default 0,
    last_sent_at timestamptz not null default '-infinity',
    dropped_id bigint not null default 0,
    dropped_sent_at timestamptz not null default '-infinity'
  ) with (fillfactor = 50)`,
  `create table dockline.message (
    business_id bigint not null,
    id bigint not null,
    facility_id bigint not null,
    facility text not null,
    type text not null,
    shipment_id bigint not null,
    sent_at timestamptz not null,
    size int not null,
    payload json not null,
    primary key (business_id, id)
  )`,
  `create index message_facility on dockline.message (facility_id, id)`,
  `create index message_sent_at on dockline.message (business_id, sent_at, id)`,
  // Whoever asks for completions only does not go through all pallets.
  `create index message_rare on dockline.message (business_id, id) where type <> 'PALLET_EVENT'`
]

const writing = [
  /*
   * p_drafts: an array of [facility id, type, shipment id, payload as text]. Returns an array of [id, sent_at]. A
   * payload comes as text, so that what a consumer gets is to the letter what core wrote.
   */
  `create function dockline.message_append(p_business bigint, p_drafts json, p_now timestamptz) returns json
    language plpgsql set plan_cache_mode = force_generic_plan as $$
    declare
      v_sent_at timestamptz;
      v_last bigint;
      v_result json;
    begin
      select greatest(last_sent_at, p_now) into v_sent_at from dockline.message_log
      where business_id = p_business for no key update;
      if not found then
        insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
        select greatest(last_sent_at, p_now) into v_sent_at from dockline.message_log
        where business_id = p_business for no key update;
      end if;
      with appended as (
        insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload)
        select p_business, nextval('dockline.message_id'), (draft->>0)::bigint,
          (select f.slug from dockline.facility f where f.id = (draft->>0)::bigint and f.business_id = p_business),
          draft->>1, (draft->>2)::bigint, v_sent_at, length(draft->>3), (draft->>3)::json
        from json_array_elements(p_drafts) as draft
        returning id
      )
      select max(id), json_agg(json_build_array(id, dockline.rfc3339(v_sent_at)) order by id)
      into v_last, v_result from appended;
      update dockline.message_log set last_id = v_last, last_sent_at = v_sent_at
      where business_id = p_business and v_last is not null;
      return coalesce(v_result, '[]');
    end $$`,
  /*
   * p_drafts: an array of [business slug, facility slug, type, shipment id, payload as text]. Returns {"unknown":
   * [business, facility or null]} and writes nothing when a place is unknown, else {"appended": an array of
   * [position of the draft from 1, id, sent_at]}. Logs are locked in one order.
   */
  `create function dockline.message_append_named(p_drafts json, p_now timestamptz) returns json
    language plpgsql set plan_cache_mode = force_generic_plan as $$
    declare
      v_unknown json;
      v_business record;
      v_ids json;
      v_appended jsonb := '[]';
    begin
      select json_build_array(draft->>0, case when b.id is not null then draft->>1 end) into v_unknown
      from json_array_elements(p_drafts) with ordinality as d(draft, n)
      left join dockline.business b on b.slug = draft->>0
      left join dockline.facility f on f.business_id = b.id and f.slug = draft->>1
      where f.id is null order by n limit 1;
      if v_unknown is not null then return json_build_object('unknown', v_unknown); end if;
      for v_business in
        select b.id, json_agg(json_build_array(f.id, draft->>2, draft->>3, draft->>4) order by n) as drafts,
          array_agg(n order by n) as positions
        from json_array_elements(p_drafts) with ordinality as d(draft, n)
        join dockline.business b on b.slug = draft->>0
        join dockline.facility f on f.business_id = b.id and f.slug = draft->>1
        group by b.id order by b.id
      loop
        v_ids := dockline.message_append(v_business.id, v_business.drafts, p_now);
        v_appended := v_appended || (
          select jsonb_agg(jsonb_build_array(v_business.positions[k], id->0, id->1))
          from json_array_elements(v_ids) with ordinality as i(id, k));
      end loop;
      return json_build_object('appended', v_appended);
    end $$`,
  /*
   * Drops up to p_limit messages of one business that were sent before the cutoff, and returns their number. What is
   * dropped is always a beginning of the log, as sent_at grows with the ids.
   */
  `create function dockline.message_drop(p_cutoff timestamptz, p_limit int) returns int language plpgsql as $$
    declare
      v_business bigint;
      v_id bigint;
      v_sent_at timestamptz;
      v_count int;
    begin
      select l.business_id into v_business from dockline.message_log l
      where exists (select from dockline.message m where m.business_id = l.business_id and m.sent_at < p_cutoff)
      limit 1 for no key update skip locked;
      select max(id), max(sent_at) into v_id, v_sent_at from (
        select id, sent_at from dockline.message where business_id = v_business and sent_at < p_cutoff
        order by sent_at, id limit p_limit) as old;
      if v_id is null then return 0; end if;
      update dockline.message_log set dropped_id = v_id, dropped_sent_at = v_sent_at where business_id = v_business;
      delete from dockline.message where business_id = v_business and id <= v_id;
      get diagnostics v_count = row_count;
      return v_count;
    end $$`
]

const columns = `m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload`

/** The last part of each way to find messages: those of a page, and one more, to say whether there is more. */
const beginning = `m.id > v_after and m.type = any (p_types) order by m.id limit p_limit + 1`

/*
 * Text rather than json functions: a page is written once, in less than half of their time, and what a payload is to
 * the letter goes out as it is. No sort is asked of the aggregate, as its rows come in order from the window below it.
 */
const pageOf = (scan: string) =>
  `select coalesce(bool_or(not p.fits), false), coalesce(string_agg(
      format('[%s,%s,"%s",%s,%s,%s,%s]', p.id, to_json(p.facility), p.type, p.shipment_id,
        (extract(epoch from p.sent_at) * 1000)::bigint, p.size, p.payload), ','
    ) filter (where p.fits), '')
  into v_more, v_messages
  from (
    select s.*, row_number() over ordered <= p_limit
      and (row_number() over ordered = 1 or sum(s.size) over ordered <= p_text) as fits
    from (select ${columns} from dockline.message m where ${scan} and ${beginning}) as s
    window ordered as (order by s.id)
  ) as p`

/** Stable functions: all of a page is read from one snapshot, what has been dropped and the newest id with it. */
const reading = [
  /*
   * A page as JSON: {"expired": dropped id}, or {"lastId", "more", "messages": [[id, facility slug, type, shipment id,
   * sent_at in milliseconds since 1970, size, payload], …]}. p_facility and p_since may be null; an unknown place has
   * no messages. There is one plan for each kind of reader, along an index of its own.
   */
  `create function dockline.message_read(
      p_business text, p_facility text, p_types text[], p_after bigint, p_since timestamptz, p_limit int, p_text bigint
    ) returns text language plpgsql stable set plan_cache_mode = force_generic_plan as $$
    declare
      v_log dockline.message_log;
      v_facility bigint;
      v_after bigint := p_after;
      v_more boolean;
      v_messages text;
    begin
      select l.* into v_log from dockline.message_log l join dockline.business b on b.id = l.business_id
      where b.slug = p_business;
      if v_log.business_id is null then return '{"lastId":0,"more":false,"messages":[]}'; end if;
      if p_after < v_log.dropped_id and (p_since is null or p_since <= v_log.dropped_sent_at) then
        return format('{"expired":%s}', v_log.dropped_id);
      end if;
      if p_facility is not null then
        select coalesce(max(f.id), 0) into v_facility from dockline.facility f
        where f.business_id = v_log.business_id and f.slug = p_facility;
      end if;
      if p_since is not null then
        select m.id - 1 into v_after from dockline.message m
        where m.business_id = v_log.business_id and m.sent_at >= p_since order by m.sent_at, m.id limit 1;
        v_after := greatest(p_after, coalesce(v_after, v_log.last_id));
      end if;
      if not 'PALLET_EVENT' = any (p_types) then
        ${
    pageOf(`m.business_id = v_log.business_id and m.type <> 'PALLET_EVENT'
          and (v_facility is null or m.facility_id = v_facility)`)
  };
      elsif v_facility is not null then
        ${pageOf(`m.facility_id = v_facility`)};
      else
        ${pageOf(`m.business_id = v_log.business_id`)};
      end if;
      return format('{"lastId":%s,"more":%s,"messages":[%s]}', v_log.last_id, v_more::text, v_messages);
    end $$`
]

/** Runs the migration. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach([...tables, ...writing, ...reading], (statement) => sql.unsafe(statement), {
    discard: true
  })
})
