/**
 * p_request: {endpoint, epoch, version, after, taken, room, text}. Returns "lost", "closed", or {"endpoint": null or its
 * body, "business", "due": [[message, tries, failed_since]], "gone": [bodies], "fresh": [messages], "blocked": [[id, type,
 * shipment id]], "readTo", "more", "expiredUpTo"} as text (LogScans.ts). A dispatcher that knows of more messages than the log
 * holds has lost its lease: the database was restored, or a standby was promoted.
 */
import { byKind, messageColumns, messageText, notRecorded } from "../../LogScans.ts"
import { inOrder } from "../../Plans.ts"

const jsonTime = (column: string) => `coalesce(to_json(dockline.rfc3339(${column}))::text, 'null')`

/*
 * Due deliveries that fit, in the order of their times. A message fits by its place and the text up to it; the first text
 * always fits. Messages are joined one by one.
 */
const takeDue = `select coalesce(bool_or(not p.fits), false), count(*) filter (where p.fits),
      coalesce(sum(p.size) filter (where p.fits), 0),
      coalesce(string_agg(format('[%s,%s,%s]', ${messageText("p")}, p.tries, ${
  jsonTime("p.failed_since")
}), ',')
        filter (where p.fits and p.id is not null), ''),
      coalesce(string_agg((select b.body::text from dockline.webhook_delivery_body b
          where b.business_id = p_business and b.endpoint_id = v_endpoint.id and b.message_id = p.message_id), ',')
        filter (where p.fits and p.id is null), '')
    into v_cut, v_count, v_text, v_due, v_gone
    from (
      select s.*, row_number() over ordered <= r.room
        and (sum(coalesce(s.size, 0)) over ordered <= r.text
          or sum(coalesce(s.size, 0)) over ordered = coalesce(s.size, 0)) as fits
      from (
        select d.message_id, d.tries, d.failed_since, d.next_attempt_at, m.* from (
          select * from dockline.webhook_delivery d
          where d.business_id = p_business and d.endpoint_id = v_endpoint.id and d.next_attempt_at <= p_now
            and d.message_id not in (select unnest(r.taken))
          order by d.next_attempt_at, d.message_id limit r.room + 1
        ) as d
        left join lateral (select ${messageColumns}
          from dockline.message m
          where m.business_id = v_endpoint.business_id and m.id = d.message_id offset 0) as m on true
      ) as s
      window ordered as (order by s.next_attempt_at, s.message_id)
    ) as p`

/*
 * Messages of the log within the rest of the limits; a blocked message takes no text. Whether one is blocked is looked up by its
 * shipment: a plan that was made while the table was empty, or small, might read all deliveries of the business. Only the index
 * of pending deliveries by shipment has their ids in order.
 */
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
            select ${messageColumns},
              (select d.message_id from dockline.webhook_delivery d
                where d.business_id + 0 = p_business and d.shipment_id = m.shipment_id
                and d.endpoint_id + 0 = v_endpoint.id and d.status = 'PENDING' order by d.message_id limit 1) is not null as blocked
            from dockline.message m
            where ${scan} and m.id > v_after and ${notRecorded}
            order by m.id limit r.room - v_count + 1
          ) as t
        ) as s
        window ordered as (order by s.id)
      ) as p`
)

export default `create or replace function dockline.webhook_take(p_business bigint, p_request json, p_now timestamptz) returns text
language plpgsql stable ${inOrder} as $$
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
  select * into r from json_to_record(p_request) as q(
    endpoint bigint, epoch bigint, version int, after bigint, taken bigint[], room int, text bigint);
  select e.id, e.epoch, e.enabled, e.version, e.business_id, e.facility_id, e.message_types,
    to_json(b.slug)::text as business, coalesce(l.last_id, 0) as last_id, coalesce(l.dropped_id, 0) as dropped_id,
    (select d.next_attempt_at from dockline.webhook_delivery d
      where d.business_id = p_business and d.endpoint_id = e.id and d.next_attempt_at is not null
      order by d.next_attempt_at limit 1) <= p_now as has_due
  into v_endpoint
  from dockline.webhook_endpoint e
  join dockline.business b on b.id = e.business_id
  left join dockline.message_log l on l.business_id = e.business_id
  where e.business_id = p_business and e.id = r.endpoint;
  if v_endpoint.epoch is distinct from r.epoch or r.after > v_endpoint.last_id then
    return '"lost"';
  end if;
  if not v_endpoint.enabled then return '"closed"'; end if;
  v_body := 'null';
  if v_endpoint.version <> r.version then
    select b.body::text into v_body from dockline.webhook_endpoint_body b
    where b.business_id = p_business and b.id = v_endpoint.id;
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
  return format(
    '{"endpoint":%s,"business":%s,"due":[%s],"gone":[%s],"fresh":[%s],"blocked":[%s],"readTo":%s,"more":%s,'
      '"expiredUpTo":%s}',
    v_body, v_endpoint.business, v_due, v_gone, v_fresh, v_blocked,
    case when v_cut then r.after else coalesce(v_read_to, v_after) end, v_more::text,
    case when not v_cut and r.after < v_endpoint.dropped_id then v_endpoint.dropped_id::text else 'null' end);
end $$`
