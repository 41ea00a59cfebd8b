/**
 * The functions of migration 5 for dispatchers that write: opening endpoints and settling.
 */
import { byIndex } from "./0005_reading.ts"

/** The newest attempts, 50 of them. */
const newest = `'$[last - 49 to last]'`

/** Of each shipment that is named, its earliest pending delivery. */
const firstPending = `(
        select t.endpoint, t.shipment, (select p.message_id from dockline.webhook_delivery p
          where p.shipment_id = t.shipment and p.endpoint_id + 0 = t.endpoint and p.status = 'PENDING'
          order by p.message_id limit 1) as first
        from (select (pair->>0)::bigint as endpoint, (pair->>1)::bigint as shipment
          from json_array_elements(p_touched) as pair offset 0) as t
        offset 0
      )`

const statements = [
  /*
   * Gives the earliest pending delivery of each shipment a time, now where it has none, and takes it from the others.
   * p_touched: [[endpoint id, shipment id], …]. p_demote: whether another one can have a time.
   */
  `create function dockline.webhook_arrange(p_touched json, p_demote boolean, p_now timestamptz) returns void
    language plpgsql ${byIndex} as $$
    begin
      if p_demote then
        update dockline.webhook_delivery d set next_attempt_at = null from ${firstPending} as l
        where d.shipment_id = l.shipment and d.endpoint_id + 0 = l.endpoint and d.next_attempt_at is not null
          and d.message_id > l.first;
      end if;
      update dockline.webhook_delivery d set next_attempt_at = p_now from ${firstPending} as l
      where d.endpoint_id = l.endpoint and d.message_id = l.first and d.next_attempt_at is null;
    end $$`,
  /*
   * p_settlements: [{endpoint, epoch, cursor, failing_since, login, disable, expired_up_to}], an endpoint once;
   * p_results: [{endpoint, message, type, shipment, status, tries, failed_since, next_attempt_at, attempts}];
   * p_parked: [{endpoint, message, type, shipment}]; p_settled, p_pending: the [endpoint id, shipment id] of results
   * that are pending no longer, and of the others and what is parked. Returns the ids of the endpoints whose lease
   * holds; nothing is written of the others.
   */
  `create function dockline.webhook_settle(
      p_settlements json, p_results json, p_parked json, p_settled json, p_pending json, p_now timestamptz
    ) returns json language plpgsql ${byIndex} as $$
    declare
      v_held bigint[];
      v_all boolean;
    begin
      perform from dockline.webhook_endpoint e
      where e.id = any (array(select (s->>'endpoint')::bigint from json_array_elements(p_settlements) as s))
      order by e.id for no key update;
      with changed as (
        update dockline.webhook_endpoint e set cursor_id = greatest(e.cursor_id, s.cursor),
          failing_since = s.failing_since, login = s.login, enabled = e.enabled and s.disable is null,
          disabled_reason = case when e.enabled then coalesce(s.disable, '') else e.disabled_reason end,
          expired_up_to = greatest(e.expired_up_to, s.expired_up_to)
        from json_to_recordset(p_settlements) as s(endpoint bigint, epoch bigint, cursor bigint,
          failing_since timestamptz, login jsonb, disable text, expired_up_to bigint)
        where e.id = s.endpoint and e.epoch = s.epoch
        returning e.id
      )
      select coalesce(array_agg(id), '{}') into v_held from changed;
      v_all := cardinality(v_held) = json_array_length(p_settlements);
      insert into dockline.webhook_delivery as d (endpoint_id, message_id, type, shipment_id, status, tries,
        failed_since, next_attempt_at, attempts)
      select r.endpoint, r.message, r.type, r.shipment, r.status, r.tries, r.failed_since,
        case when r.status = 'PENDING' then coalesce(r.next_attempt_at, p_now) end, r.attempts
      from json_to_recordset(p_results) as r(endpoint bigint, message bigint, type text, shipment bigint,
        status text, tries int, failed_since timestamptz, next_attempt_at timestamptz, attempts jsonb)
      where v_all or r.endpoint = any (v_held)
      on conflict (endpoint_id, message_id) do update set status = excluded.status, tries = excluded.tries,
        failed_since = excluded.failed_since, next_attempt_at = excluded.next_attempt_at,
        attempts = jsonb_path_query_array(d.attempts || excluded.attempts, ${newest});
      insert into dockline.webhook_delivery (endpoint_id, message_id, type, shipment_id, status, tries, attempts)
      select p.endpoint, p.message, p.type, p.shipment, 'PENDING', 0, '[]'
      from json_to_recordset(p_parked) as p(endpoint bigint, message bigint, type text, shipment bigint)
      where v_all or p.endpoint = any (v_held)
      on conflict (endpoint_id, message_id) do nothing;
      if not v_all then
        p_settled := (select coalesce(json_agg(t), '[]') from json_array_elements(p_settled) as t
          where (t->>0)::bigint = any (v_held));
        p_pending := (select coalesce(json_agg(t), '[]') from json_array_elements(p_pending) as t
          where (t->>0)::bigint = any (v_held));
      end if;
      if json_array_length(p_settled) > 0 then
        perform dockline.webhook_arrange(p_settled, false, p_now);
      end if;
      if json_array_length(p_pending) > 0 then
        perform dockline.webhook_arrange(p_pending, true, p_now);
      end if;
      return to_json(v_held);
    end $$`,
  /* Ends the leases before, and returns [[epoch, body of the endpoint], …], those that are gone or disabled left out. */
  `create function dockline.webhook_open(p_ids bigint[]) returns json
    language plpgsql ${byIndex} as $$
    declare
      v_opened json;
    begin
      perform from dockline.webhook_endpoint e where e.id = any (p_ids) order by e.id for no key update;
      with opened as (
        update dockline.webhook_endpoint e set epoch = e.epoch + 1 where e.id = any (p_ids) and e.enabled
        returning e.id, e.epoch
      )
      select coalesce(json_agg(json_build_array(o.epoch, b.body) order by o.id), '[]') into v_opened
      from opened o join dockline.webhook_endpoint_body b on b.id = o.id;
      return v_opened;
    end $$`
]

/** The statements, in the order in which they run. */
export const settling: ReadonlyArray<string> = [...statements]
