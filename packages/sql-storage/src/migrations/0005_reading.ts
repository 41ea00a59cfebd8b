/**
 * The functions of migration 5 that read: endpoints, which of them have something to do, and what comes next.
 *
 * They are stable: all that one call finds is of one snapshot. Their plans are made once, along indexes only, as a
 * plan that is best for an empty table would be kept for a full one. Where a look-up for each row is meant, it is a
 * scalar subquery: `exists` might become a join that goes through all deliveries there ever were.
 */

/** The settings of functions whose statements look rows up by index and by nothing else. */
export const byIndex = `set plan_cache_mode = force_generic_plan set enable_seqscan = off
    set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
    set enable_material = off`

/**
 * {@link byIndex} for statements that read the beginning of what an index has in order. Without it they sort what
 * another index finds, as that costs less while there is little to sort.
 */
export const inOrder = `${byIndex} set enable_sort = off set enable_incremental_sort = off`

/** Whose messages are read: expressions of a function. The facility may be null. */
interface Reader {
  readonly business: string
  readonly facility: string
  readonly types: string
}

const endpoint: Reader = {
  business: "v_endpoint.business_id",
  facility: "v_endpoint.facility_id",
  types: "v_endpoint.message_types"
}

/**
 * A statement in six variants, one for each way to find the messages of a reader in the log: of a business or of a
 * facility, pallet events alone, or none of them, or both. Each has an index of its own, so that no reader goes through
 * what others read, however little of the log it wants.
 */
export const byKind = (statement: (scan: string) => string, reader = endpoint): string => {
  const { business, facility, types } = reader
  const variants = (type: string) =>
    `if ${facility} is null then
          ${statement(`m.business_id = ${business} and ${type}`)};
        else
          ${statement(`m.facility_id = ${facility} and ${type}`)};
        end if`
  return `
      if not 'PALLET_EVENT' = any (${types}) then
        ${variants(`m.type <> 'PALLET_EVENT' and m.type = any (${types})`)};
      elsif ${types} <@ array['PALLET_EVENT'] then
        ${variants(`m.type = 'PALLET_EVENT'`)};
      else
        ${variants(`m.type = any (${types})`)};
      end if`
}

const bodies = [
  `create view dockline.webhook_endpoint_body as
    select e.id, e.business_id, json_build_array(
      e.id, b.slug, f.slug, e.base_url, e.message_types, e.authentication, e.signing_secrets, e.enabled,
      e.disabled_reason, e.version, dockline.rfc3339(e.created_at), e.cursor_id, dockline.rfc3339(e.failing_since),
      e.login, e.expired_up_to
    ) as body
    from dockline.webhook_endpoint e
    join dockline.business b on b.id = e.business_id
    left join dockline.facility f on f.id = e.facility_id`,
  `create view dockline.webhook_delivery_body as
    select d.endpoint_id, d.message_id, d.status, json_build_array(
      d.message_id, d.type, d.shipment_id, d.status, d.tries, dockline.rfc3339(d.failed_since),
      dockline.rfc3339(d.next_attempt_at), d.attempts
    ) as body
    from dockline.webhook_delivery d`
]

const notRecorded = `(select d.message_id from dockline.webhook_delivery d
            where d.endpoint_id = v_endpoint.id and d.message_id = m.id) is null`

/** Adds to `v_backlog` the messages of a kind after the cursor, if they are wanted; read of an index and nothing else. */
const behind = (wanted: string, kind: string): string => {
  const count = (scan: string) =>
    `select v_backlog + count(*) into v_backlog from (select from dockline.message m
            where ${scan} and ${kind} and m.id > v_endpoint.cursor_id and (v_ahead is null or ${notRecorded})
            order by m.id limit p_limit) as counted`
  return `if v_backlog < p_limit and ${wanted} then
        if v_endpoint.facility_id is null then
          ${count("m.business_id = v_endpoint.business_id")};
        else
          ${count("m.facility_id = v_endpoint.facility_id")};
        end if;
      end if`
}

const shown = [
  /*
   * An endpoint with its backlog, counted up to p_limit: [body, backlog]; null when there is none. Most endpoints have
   * nothing recorded after their cursor: then no message is looked up in the record.
   */
  `create function dockline.webhook_shown(p_id bigint, p_limit int) returns json language plpgsql stable
    ${byIndex} as $$
    declare
      v_endpoint dockline.webhook_endpoint;
      v_backlog bigint;
      v_ahead bigint;
    begin
      select * into v_endpoint from dockline.webhook_endpoint where id = p_id;
      if v_endpoint.id is null then return null; end if;
      select count(*) into v_backlog from (select from dockline.webhook_delivery d
        where d.endpoint_id = p_id and d.status = 'PENDING' limit p_limit) as pending;
      select d.message_id into v_ahead from dockline.webhook_delivery d
      where d.endpoint_id = p_id and d.message_id > v_endpoint.cursor_id limit 1;
      ${behind("'PALLET_EVENT' = any (v_endpoint.message_types)", "m.type = 'PALLET_EVENT'")};
      ${
    behind(
      "not v_endpoint.message_types <@ array['PALLET_EVENT']",
      "m.type <> 'PALLET_EVENT' and m.type = any (v_endpoint.message_types)"
    )
  };
      return (select json_build_array(b.body, least(v_backlog, p_limit)) from dockline.webhook_endpoint_body b
        where b.id = p_id);
    end $$`,
  /*
   * {"endpoints": ids, "nextDueAt"}. p_count: into how many partitions endpoints are divided. That the log has grown is
   * told from its newest id, whether or not the endpoint wants what has come.
   */
  `create function dockline.webhook_ready(p_partitions int[], p_count int, p_now timestamptz) returns json
    language plpgsql stable set plan_cache_mode = force_generic_plan as $$
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
              where d.endpoint_id = e.id and d.next_attempt_at is not null
              order by d.next_attempt_at limit 1) end as at) as work
          where e.enabled and (e.id % p_count)::int = any (p_partitions) and work.at is not null
        ) as r);
    end $$`
]

/** A message as text: [id, facility slug, type, shipment id, sent_at in milliseconds since 1970, size, payload]. */
const messageText = (row: string) =>
  `format('[%s,%s,"%s",%s,%s,%s,%s]', ${row}.id, to_json(${row}.facility), ${row}.type, ${row}.shipment_id,
            (extract(epoch from ${row}.sent_at) * 1000)::bigint, ${row}.size, ${row}.payload)`

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
          left join lateral (select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload
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
              select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload,
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

const taking = [
  /*
   * p_requests: [{endpoint, epoch, version, after, taken, room, text}]. One row for each, in their order: "lost",
   * "closed", or {"endpoint": null or its body, "business", "due": [[message, tries, failed_since]], "gone": [bodies],
   * "fresh": [messages], "blocked": [[id, type, shipment id]], "readTo", "more", "expiredUpTo"}. Written as text, as
   * pages of the log are.
   */
  `create function dockline.webhook_take(p_requests json, p_now timestamptz) returns setof text
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

/** The statements, in the order in which they run. */
export const reading: ReadonlyArray<string> = [...bodies, ...shown, ...taking]
