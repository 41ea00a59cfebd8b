/**
 * A part of migration 6: `webhook_take`, which hands out messages with their trace context.
 */
import { byIndex, byKind } from "./0005_reading.ts"
import { traceText } from "./0006_trace.ts"

const notRecorded = `(select d.message_id from dockline.webhook_delivery d
            where d.endpoint_id = v_endpoint.id and d.message_id = m.id) is null`

/** A message as text: [id, facility slug, type, shipment id, sent_at in milliseconds since 1970, size, payload, trace]; the last one where there is one. */
const messageText = (row: string) =>
  `format('[%s,%s,"%s",%s,%s,%s,%s%s]', ${row}.id, to_json(${row}.facility), ${row}.type, ${row}.shipment_id,
            (extract(epoch from ${row}.sent_at) * 1000)::bigint, ${row}.size, ${row}.payload, ${
    traceText(row)
  })`

const jsonTime = (column: string) => `coalesce(to_json(dockline.rfc3339(${column}))::text, 'null')`

/*
 * The due ones, as long as they fit, in the order of their times. Whether a message fits is told by its place and by the
 * text up to it; where there was no text before it, it always fits. Messages are joined one by one.
 */
const takeDue = `select coalesce(bool_or(not p.fits), false), count(*) filter (where p.fits),
        coalesce(sum(p.size) filter (where p.fits), 0),
        coalesce(string_agg(format('[%s,%s,%s]', ${messageText("p")}, p.tries, ${
  jsonTime("p.failed_since")
}), ',')
          filter (where p.fits and p.id is not null), ''),
        coalesce(string_agg((select b.body::text from dockline.webhook_delivery_body b
            where b.endpoint_id = v_endpoint.id and b.message_id = p.message_id), ',')
          filter (where p.fits and p.id is null), '')
      into v_cut, v_count, v_text, v_due, v_gone
      from (
        select s.*, row_number() over ordered <= r.room
          and (sum(coalesce(s.size, 0)) over ordered <= r.text
            or sum(coalesce(s.size, 0)) over ordered = coalesce(s.size, 0)) as fits
        from (
          select d.message_id, d.tries, d.failed_since, d.next_attempt_at, m.* from (
            select * from dockline.webhook_delivery d
            where d.endpoint_id = v_endpoint.id and d.next_attempt_at <= p_now
              and d.message_id not in (select unnest(r.taken))
            order by d.next_attempt_at, d.message_id limit r.room + 1
          ) as d
          left join lateral (select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload,
              m.trace
            from dockline.message m
            where m.business_id = v_endpoint.business_id and m.id = d.message_id offset 0) as m on true
        ) as s
        window ordered as (order by s.next_attempt_at, s.message_id)
      ) as p`

/* The log after the due ones, with what is left of the limits; blocked messages have no text to hand out. */
const takeLog = byKind((scan) =>
  `select coalesce(bool_or(not p.fits), false), max(p.id) filter (where p.fits),
          coalesce(string_agg(${messageText("p")}, ',') filter (where p.fits and not p.blocked), ''),
          coalesce(string_agg(format('[%s,"%s",%s]', p.id, p.type, p.shipment_id), ',')
            filter (where p.fits and p.blocked), '')
        into v_more, v_read_to, v_fresh, v_blocked
        from (
          select s.*, v_count + row_number() over ordered <= r.room
            and (v_text + sum(s.text) over ordered <= r.text or v_text + sum(s.text) over ordered = s.text) as fits
          from (
            select t.*, case when t.blocked then 0 else t.size end as text from (
              select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace,
                (select d.message_id from dockline.webhook_delivery d where d.shipment_id = m.shipment_id
                  and d.endpoint_id + 0 = v_endpoint.id and d.status = 'PENDING' limit 1) is not null as blocked
              from dockline.message m
              where ${scan} and m.id > v_after and ${notRecorded}
              order by m.id limit r.room - v_count + 1
            ) as t
          ) as s
          window ordered as (order by s.id)
        ) as p`
)

/** The function of migration 5, whose messages may end with their trace context. */
export const taking: ReadonlyArray<string> = [
  /*
   * p_requests: [{endpoint, epoch, version, after, taken, room, text}]. One row for each, in their order: "lost",
   * "closed", or {"endpoint": null or its body, "business", "due": [[message, tries, failed_since]], "gone": [bodies],
   * "fresh": [messages], "blocked": [[id, type, shipment id]], "readTo", "more", "expiredUpTo"}. Written as text, as
   * pages of the log are.
   */
  `create or replace function dockline.webhook_take(p_requests json, p_now timestamptz) returns setof text
    language plpgsql stable ${byIndex} as $$
    declare
      r record;
      v_endpoint record;
      v_body text;
      v_after bigint;
      v_cut boolean;
      v_count bigint;
      v_text bigint;
      v_due text;
      v_gone text;
      v_more boolean;
      v_read_to bigint;
      v_fresh text;
      v_blocked text;
    begin
      for r in select * from json_to_recordset(p_requests) as q(
        endpoint bigint, epoch bigint, version int, after bigint, taken bigint[], room int, text bigint)
      loop
        select e.id, e.epoch, e.enabled, e.version, e.business_id, e.facility_id, e.message_types,
          to_json(b.slug)::text as business, coalesce(l.last_id, 0) as last_id, coalesce(l.dropped_id, 0) as dropped_id,
          (select d.next_attempt_at from dockline.webhook_delivery d
            where d.endpoint_id = e.id and d.next_attempt_at is not null
            order by d.next_attempt_at limit 1) <= p_now as has_due
        into v_endpoint
        from dockline.webhook_endpoint e
        join dockline.business b on b.id = e.business_id
        left join dockline.message_log l on l.business_id = e.business_id
        where e.id = r.endpoint;
        if v_endpoint.epoch is distinct from r.epoch then return next '"lost"'; continue; end if;
        if not v_endpoint.enabled then return next '"closed"'; continue; end if;
        v_body := 'null';
        if v_endpoint.version <> r.version then
          select b.body::text into v_body from dockline.webhook_endpoint_body b where b.id = v_endpoint.id;
        end if;
        v_cut := false;
        v_count := 0;
        v_text := 0;
        v_due := '';
        v_gone := '';
        if v_endpoint.has_due then
          ${takeDue};
        end if;
        v_after := greatest(r.after, v_endpoint.dropped_id);
        v_more := v_cut;
        v_read_to := null;
        v_fresh := '';
        v_blocked := '';
        if not v_cut and v_endpoint.last_id > v_after then
          ${takeLog};
          if not v_more then v_read_to := v_endpoint.last_id; end if;
        end if;
        return next format(
          '{"endpoint":%s,"business":%s,"due":[%s],"gone":[%s],"fresh":[%s],"blocked":[%s],"readTo":%s,"more":%s,'
            '"expiredUpTo":%s}',
          v_body, v_endpoint.business, v_due, v_gone, v_fresh, v_blocked,
          case when v_cut then r.after else coalesce(v_read_to, v_after) end, v_more::text,
          case when not v_cut and r.after < v_endpoint.dropped_id then v_endpoint.dropped_id::text else 'null' end);
      end loop;
    end $$`
]
