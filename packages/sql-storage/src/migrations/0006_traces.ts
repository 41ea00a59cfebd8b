/**
 * Migration 6: the trace context of what appended a message, the W3C `traceparent`, so that its deliveries, whenever and
 * on whatever instance they are made, belong to the trace of the request it came of.
 *
 * Each function is that of an earlier migration, but that it takes, writes or returns the trace context. Where there is
 * none, nothing is added to what is read. Everything here is frozen: later changes are later migrations.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { byKind, inOrder } from "./0005_reading.ts"
import { taking } from "./0006_taking.ts"
import { traceText } from "./0006_trace.ts"

const tables = [`alter table dockline.message add column trace text`]

const writing = [
  /* Of migration 3. p_drafts: an array of [facility id, type, shipment id, payload as text, trace context or null]. */
  `create or replace function dockline.message_append(p_business bigint, p_drafts json, p_now timestamptz) returns json
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
      update dockline.message_log set last_id = v_last, last_sent_at = v_sent_at
      where business_id = p_business and v_last is not null;
      return coalesce(v_result, '[]');
    end $$`,
  /* Of migration 3. p_drafts: an array of [business slug, facility slug, type, shipment id, payload, trace or null]. */
  `create or replace function dockline.message_append_named(p_drafts json, p_now timestamptz) returns json
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
        select b.id, json_agg(json_build_array(f.id, draft->>2, draft->>3, draft->>4, draft->>5)
            order by n) as drafts,
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
  /* Of migration 4. The plan may hold a trace. */
  `create or replace function dockline.pallet_apply(p_plan json, p_now timestamptz) returns bigint language plpgsql as $$
    declare
      p record;
      v_message bigint;
    begin
      select * into p from json_to_record(p_plan) as r(
        business bigint, facility bigint, event_key text, fingerprint text, shipment bigint, pallet bigint,
        is_new boolean, lpn text, lpn_key text, arrived_at timestamptz, direction text, occurred_at timestamptz,
        dock bigint, orders json, labels json, label_text int, message_type text, payload text, trace text);
      if p.is_new then
        insert into dockline.pallet (id, shipment_id, lpn, lpn_key)
        values (p.pallet, p.shipment, p.lpn, p.lpn_key);
      end if;
      update dockline.shipment set pallet_events = pallet_events + 1, label_text = label_text + p.label_text,
        status = case when p.arrived_at is null then status else 'ARRIVED' end,
        arrived_at = coalesce(p.arrived_at, arrived_at),
        dock_id = case when p.arrived_at is null then dock_id else p.dock end
      where id = p.shipment;
      v_message := dockline.message_append(p.business,
        json_build_array(json_build_array(p.facility, p.message_type, p.shipment, p.payload, p.trace)), p_now)->0->>0;
      insert into dockline.pallet_event (facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
        direction, occurred_at, dock_id, orders, labels)
      values (p.facility, p.event_key, p.fingerprint, p.shipment, p.pallet, v_message, p.direction,
        p.occurred_at, p.dock, p.orders, p.labels);
      return v_message;
    end $$`
]

const columns = `m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace`

/** The last part of each way to find messages: those of a page, and one more, to say whether there is more. */
const beginning = `m.id > v_after order by m.id limit p_limit + 1`

/*
 * Text rather than json functions: a page is written once, in less than half of their time, and what a payload is to
 * the letter goes out as it is. No sort is asked of the aggregate, as its rows come in order from the window below it.
 */
const pageOf = (scan: string) =>
  `select coalesce(bool_or(not p.fits), false), coalesce(string_agg(
      format('[%s,%s,"%s",%s,%s,%s,%s%s]', p.id, to_json(p.facility), p.type, p.shipment_id,
        (extract(epoch from p.sent_at) * 1000)::bigint, p.size, p.payload, ${traceText("p")}), ','
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
  `create or replace function dockline.message_read(
      p_business text, p_facility text, p_types text[], p_after bigint, p_since timestamptz, p_limit int, p_text bigint
    ) returns text language plpgsql stable ${inOrder} as $$
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
      ${byKind(pageOf, { business: "v_log.business_id", facility: "v_facility", types: "p_types" })};
      return format('{"lastId":%s,"more":%s,"messages":[%s]}', v_log.last_id, v_more::text, v_messages);
    end $$`
]

/** Runs the migration. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    [...tables, ...writing, ...reading, ...taking],
    (statement) => sql.unsafe(statement),
    {
      discard: true
    }
  )
})
