/**
 * The functions of migration 5 for operators, and for dropping old records.
 */
import { byIndex, byKind } from "./0005_reading.ts"

const changing = [
  /*
   * {"unknown": "business" or "facility"}, {"full": true}, {"expired": dropped id}, or {"id"}. The row of the business
   * is locked, so that the limit holds. The newest id of its log is all that was committed before: a message that is
   * committed later has a higher one.
   */
  `create function dockline.webhook_create(p_draft json, p_from bigint, p_limit int, p_now timestamptz) returns json
    language plpgsql as $$
    declare
      v_business bigint;
      v_facility bigint;
      v_log dockline.message_log;
      v_id bigint;
    begin
      select id into v_business from dockline.business where slug = p_draft->>'business' for no key update;
      if v_business is null then return json_build_object('unknown', 'business'); end if;
      if p_draft->>'facility' is not null then
        select id into v_facility from dockline.facility
        where business_id = v_business and slug = p_draft->>'facility';
        if v_facility is null then return json_build_object('unknown', 'facility'); end if;
      end if;
      if (select count(*) from dockline.webhook_endpoint where business_id = v_business) >= p_limit then
        return json_build_object('full', true);
      end if;
      select * into v_log from dockline.message_log where business_id = v_business;
      if p_from <= v_log.dropped_id then return json_build_object('expired', v_log.dropped_id); end if;
      insert into dockline.webhook_endpoint (business_id, facility_id, base_url, message_types, authentication,
        signing_secrets, enabled, disabled_reason, cursor_id, created_at)
      values (v_business, v_facility, p_draft->>'baseUrl',
        array(select json_array_elements_text(p_draft->'messageTypes')), (p_draft->'authentication')::jsonb,
        (p_draft->'signingSecrets')::jsonb, (p_draft->>'enabled')::boolean,
        case when (p_draft->>'enabled')::boolean then '' else 'OPERATOR' end,
        coalesce(p_from - 1, v_log.last_id, 0), p_now)
      returning id into v_id;
      return json_build_object('id', v_id);
    end $$`,
  /*
   * Writes p_change, which was made of the endpoint of that version; returns the slug of its business, null when the
   * endpoint is another one by now. One that is enabled by it begins anew, and its lease ends.
   */
  `create function dockline.webhook_update(
      p_id bigint, p_version int, p_was_enabled boolean, p_change json, p_now timestamptz
    ) returns text language plpgsql ${byIndex} as $$
    declare
      v_enabled boolean := p_change->>'enabled';
      v_anew boolean := v_enabled and not p_was_enabled;
      v_business bigint;
    begin
      update dockline.webhook_endpoint e set version = e.version + 1, base_url = p_change->>'baseUrl',
        message_types = array(select json_array_elements_text(p_change->'messageTypes')),
        authentication = (p_change->'authentication')::jsonb, signing_secrets = (p_change->'signingSecrets')::jsonb,
        enabled = v_enabled, disabled_reason = p_change->>'disabledReason',
        failing_since = case when not v_anew then e.failing_since end, login = null,
        epoch = e.epoch + v_anew::int
      where e.id = p_id and e.version = p_version and e.enabled = p_was_enabled
      returning e.business_id into v_business;
      if v_business is null then return null; end if;
      if v_anew then
        update dockline.webhook_delivery d set tries = 0, failed_since = null,
          next_attempt_at = case when d.next_attempt_at is not null then p_now end
        where d.endpoint_id = p_id and d.status = 'PENDING'
          and (d.tries > 0 or d.failed_since is not null or d.next_attempt_at is not null);
      end if;
      return (select slug from dockline.business where id = v_business);
    end $$`
]

/** Up to the cursor, or recorded after it. */
const isTaken = `(m.id <= v_endpoint.cursor_id or (select d.message_id from dockline.webhook_delivery d
            where d.endpoint_id = v_endpoint.id and d.message_id = m.id) is not null)`

const replaying = [
  /* {"missing": "endpoint" or "delivery"}, or {"business": slug}. */
  `create function dockline.webhook_replay_one(p_endpoint bigint, p_message bigint, p_now timestamptz) returns json
    language plpgsql ${byIndex} as $$
    declare
      v_business bigint;
      v_shipment bigint;
    begin
      select business_id into v_business from dockline.webhook_endpoint where id = p_endpoint for no key update;
      if v_business is null then return json_build_object('missing', 'endpoint'); end if;
      update dockline.webhook_delivery set status = 'PENDING', tries = 0, failed_since = null, next_attempt_at = null
      where endpoint_id = p_endpoint and message_id = p_message returning shipment_id into v_shipment;
      if v_shipment is null then return json_build_object('missing', 'delivery'); end if;
      perform dockline.webhook_arrange(json_build_array(json_build_array(p_endpoint, v_shipment)), true, p_now);
      return json_build_object('business', (select slug from dockline.business where id = v_business));
    end $$`,
  /*
   * The messages of a range as [business slug, first id, last id, count up to p_limit + 1]; null without the endpoint.
   * A range is of ids or of times, the other being null.
   */
  `create function dockline.webhook_replay_range(
      p_endpoint bigint, p_first bigint, p_last bigint, p_from timestamptz, p_to timestamptz, p_limit int
    ) returns json language plpgsql stable ${byIndex} as $$
    declare
      v_endpoint dockline.webhook_endpoint;
      v_first bigint := p_first;
      v_last bigint := p_last;
      v_count bigint;
    begin
      select * into v_endpoint from dockline.webhook_endpoint where id = p_endpoint;
      if v_endpoint.id is null then return null; end if;
      if p_from is not null then
        select m.id into v_first from dockline.message m
        where m.business_id = v_endpoint.business_id and m.sent_at >= p_from order by m.sent_at, m.id limit 1;
        select m.id into v_last from dockline.message m
        where m.business_id = v_endpoint.business_id and m.sent_at <= p_to
        order by m.sent_at desc, m.id desc limit 1;
      end if;
      if v_first is null then v_last := 0; end if;
      v_first := coalesce(v_first, 1);
      v_last := least(coalesce(v_last, 0), greatest(v_endpoint.cursor_id, (select d.message_id
        from dockline.webhook_delivery d where d.endpoint_id = p_endpoint order by d.message_id desc limit 1)));
      ${
    byKind((scan) =>
      `select count(*) into v_count from (select from dockline.message m
          where ${scan} and m.id >= v_first and m.id <= v_last and ${isTaken}
          order by m.id limit p_limit + 1) as named`
    )
  };
      return json_build_array((select slug from dockline.business where id = v_endpoint.business_id),
        v_first, v_last, v_count);
    end $$`,
  /* Replays the first p_limit messages of a range of ids; returns [count, last id], null without the endpoint. */
  `create function dockline.webhook_replay(
      p_endpoint bigint, p_first bigint, p_last bigint, p_limit int, p_now timestamptz
    ) returns json language plpgsql ${byIndex} as $$
    declare
      v_endpoint dockline.webhook_endpoint;
      v_count bigint;
      v_last bigint;
      v_touched json;
    begin
      select * into v_endpoint from dockline.webhook_endpoint where id = p_endpoint for no key update;
      if v_endpoint.id is null then return null; end if;
      ${
    byKind((scan) =>
      `with written as (
          insert into dockline.webhook_delivery as d (endpoint_id, message_id, type, shipment_id, status, tries,
            attempts)
          select p_endpoint, m.id, m.type, m.shipment_id, 'PENDING', 0, '[]'::jsonb from dockline.message m
          where ${scan} and m.id >= p_first and m.id <= p_last and ${isTaken}
          order by m.id limit p_limit
          on conflict (endpoint_id, message_id) do update set status = 'PENDING', tries = 0, failed_since = null,
            next_attempt_at = null
          returning d.message_id, d.shipment_id
        )
        select count(*), max(message_id), json_agg(distinct jsonb_build_array(p_endpoint, shipment_id))
        into v_count, v_last, v_touched from written`
    )
  };
      if v_count > 0 then perform dockline.webhook_arrange(v_touched, true, p_now); end if;
      return json_build_array(v_count, v_last);
    end $$`
]

const dropping = [
  /* Up to p_limit deliveries of an endpoint that is gone; returns their number. */
  `create function dockline.webhook_drop_orphans(p_endpoint bigint, p_limit int) returns int
    language plpgsql ${byIndex} as $$
    declare
      v_count int;
    begin
      delete from dockline.webhook_delivery d using (
        select o.message_id from dockline.webhook_delivery o where o.endpoint_id = p_endpoint
        order by o.message_id limit p_limit) as old
      where d.endpoint_id = p_endpoint and d.message_id = old.message_id;
      get diagnostics v_count = row_count;
      return v_count;
    end $$`,
  /*
   * Drops up to p_limit deliveries, of an endpoint that is gone or settled ones whose messages the log has dropped;
   * returns their number. The endpoints of the record are found by leaps from one to the next.
   */
  `create function dockline.webhook_drop(p_limit int) returns int language plpgsql ${byIndex} as $$
    declare
      v_endpoint bigint;
      v_dropped bigint;
      v_count int;
    begin
      with recursive leap as (
        (select endpoint_id from dockline.webhook_delivery order by endpoint_id limit 1)
        union all
        select (select d.endpoint_id from dockline.webhook_delivery d where d.endpoint_id > leap.endpoint_id
          order by d.endpoint_id limit 1) from leap where leap.endpoint_id is not null
      )
      select endpoint_id into v_endpoint from leap where endpoint_id is not null
        and (select e.id from dockline.webhook_endpoint e where e.id = leap.endpoint_id) is null
      limit 1;
      if v_endpoint is not null then return dockline.webhook_drop_orphans(v_endpoint, p_limit); end if;
      select e.id, l.dropped_id into v_endpoint, v_dropped
      from dockline.webhook_endpoint e join dockline.message_log l on l.business_id = e.business_id
      where (select d.message_id from dockline.webhook_delivery d where d.endpoint_id = e.id
        and d.message_id <= l.dropped_id and d.status <> 'PENDING' order by d.message_id limit 1) is not null
      limit 1 for no key update of e;
      if v_endpoint is null then return 0; end if;
      delete from dockline.webhook_delivery d using (
        select o.message_id from dockline.webhook_delivery o
        where o.endpoint_id = v_endpoint and o.message_id <= v_dropped and o.status <> 'PENDING'
        order by o.message_id limit p_limit) as old
      where d.endpoint_id = v_endpoint and d.message_id = old.message_id;
      get diagnostics v_count = row_count;
      return v_count;
    end $$`
]

/** The statements, in the order in which they run. */
export const operating: ReadonlyArray<string> = [...changing, ...replaying, ...dropping]
