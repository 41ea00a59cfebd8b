/**
 * Migration 8: expired rows are dropped under load too, and cursors stay within the log.
 *
 * Dropping messages takes two steps. The mark of the log (`dropped_id`) is moved first, for which the row of the log is
 * locked as briefly as by an append; from then on a reader from before it is told so. Then the messages up to the mark
 * are deleted, for which no lock of the log is needed. Whoever waits here for a lock does not wait for long, and says
 * that the lock was held: "held" and "nothing to drop" are different answers. Everything here is frozen: later changes
 * are later migrations.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { operating } from "./0005_operating.ts"
import { byIndex } from "./0005_reading.ts"
import { settling } from "./0005_settling.ts"
import { taking } from "./0006_taking.ts"

/** For how long a statement that drops waits for a lock before it says that it is held. */
const briefly = `set lock_timeout = '1s'`

const messages = [
  `drop function dockline.message_drop(timestamptz, int)`,
  /* The businesses whose logs hold messages that are to go. */
  `create function dockline.message_expired(p_cutoff timestamptz) returns setof bigint language plpgsql stable
    ${byIndex} as $$
    begin
      return query select l.business_id from dockline.message_log l
      where (select m.id from dockline.message m where m.business_id = l.business_id and m.id <= l.dropped_id
          order by m.id limit 1) is not null
        or (select m.id from dockline.message m where m.business_id = l.business_id and m.sent_at < p_cutoff
          order by m.sent_at, m.id limit 1) is not null
      order by l.business_id;
    end $$`,
  /* Moves the mark to the last message that was sent before the cutoff; false when the row of the log is held. */
  `create function dockline.message_expire(p_business bigint, p_cutoff timestamptz) returns boolean language plpgsql
    ${byIndex} ${briefly} as $$
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
    end $$`,
  /*
   * Deletes up to p_limit messages after an id and up to the mark: [number, last id]; the last id is null when there
   * were none.
   */
  `create function dockline.message_drop(p_business bigint, p_after bigint, p_limit int) returns json language plpgsql
    ${byIndex} as $$
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
    end $$`,
  /*
   * Moves the ids that are given next, and the newest id of each log, to p_beyond where they are below it: {"newestId"},
   * or {"tooFar": newest id} when that is more than p_limit away. Where the ids of messages move, those of all other
   * entities go on by p_others. Nobody appends meanwhile. The leases of all endpoints end: what their holders know may be
   * of a database that is gone, and once ids were moved on, nothing in the log tells.
   */
  `create function dockline.message_advance(p_beyond bigint, p_limit bigint, p_others bigint) returns json
    language plpgsql as $$
    declare
      v_newest bigint;
      v_other record;
    begin
      lock table dockline.message_log in exclusive mode;
      select case when is_called then last_value else 0 end into v_newest from dockline.message_id;
      if p_beyond - v_newest > p_limit then return json_build_object('tooFar', v_newest); end if;
      if p_beyond > v_newest then
        perform setval('dockline.message_id', p_beyond);
        v_newest := p_beyond;
        for v_other in select format('%I.%I', schemaname, sequencename)::regclass as name, last_value as last
          from pg_sequences
          where schemaname = 'dockline' and sequencename <> 'message_id' and data_type = 'bigint'::regtype
        loop
          perform setval(v_other.name, coalesce(v_other.last, 0) + p_others);
        end loop;
      end if;
      insert into dockline.message_log as l (business_id, last_id)
      select b.id, p_beyond from dockline.business b order by b.id
      on conflict (business_id) do update set last_id = excluded.last_id where l.last_id < excluded.last_id;
      update dockline.webhook_endpoint e set epoch = e.epoch + 1
      where e.id in (select o.id from dockline.webhook_endpoint o order by o.id for no key update);
      return json_build_object('newestId', v_newest);
    end $$`
]

const deliveries = [
  `drop function dockline.webhook_drop(int)`,
  /*
   * The endpoints whose record holds deliveries that are to go: those that are gone, and those with settled deliveries of
   * messages that the log has dropped. The endpoints of the record are found by leaps from one to the next.
   */
  `create function dockline.webhook_expired() returns setof bigint language plpgsql stable ${byIndex} as $$
    begin
      return query with recursive leap as (
        (select endpoint_id from dockline.webhook_delivery order by endpoint_id limit 1)
        union all
        select (select d.endpoint_id from dockline.webhook_delivery d where d.endpoint_id > leap.endpoint_id
          order by d.endpoint_id limit 1) from leap where leap.endpoint_id is not null
      )
      select leap.endpoint_id from leap where leap.endpoint_id is not null and (
        (select e.id from dockline.webhook_endpoint e where e.id = leap.endpoint_id) is null
        or (select d.message_id from dockline.webhook_delivery d where d.endpoint_id = leap.endpoint_id
          and d.message_id <= (select l.dropped_id from dockline.message_log l
            join dockline.webhook_endpoint e on e.business_id = l.business_id where e.id = leap.endpoint_id)
          and d.status <> 'PENDING' order by d.message_id limit 1) is not null);
    end $$`,
  /*
   * Deletes up to p_limit such deliveries of an endpoint after the message of an id: [number, last id]; the last id is
   * null when there were none. Null when the endpoint is held.
   */
  `create function dockline.webhook_drop(p_endpoint bigint, p_after bigint, p_limit int) returns json language plpgsql
    ${byIndex} ${briefly} as $$
    declare
      v_dropped bigint;
      v_last bigint;
      v_count int;
    begin
      perform from dockline.webhook_endpoint where id = p_endpoint for no key update;
      if found then
        select l.dropped_id into v_dropped from dockline.message_log l
        join dockline.webhook_endpoint e on e.business_id = l.business_id where e.id = p_endpoint;
      else
        v_dropped := 9223372036854775807;
      end if;
      select max(message_id) into v_last from (
        select d.message_id from dockline.webhook_delivery d
        where d.endpoint_id = p_endpoint and d.message_id > p_after and d.message_id <= v_dropped
          and (d.status <> 'PENDING' or v_dropped = 9223372036854775807)
        order by d.message_id limit p_limit) as old;
      delete from dockline.webhook_delivery where endpoint_id = p_endpoint and message_id > p_after
        and message_id <= v_last and (status <> 'PENDING' or v_dropped = 9223372036854775807);
      get diagnostics v_count = row_count;
      return json_build_array(v_count, v_last);
    exception when lock_not_available then
      return null;
    end $$`
]

/** A function of an earlier migration with parts of it replaced; each part is there once. */
const changed = (
  earlier: ReadonlyArray<string>,
  name: string,
  ...parts: ReadonlyArray<readonly [before: string, after: string]>
): string =>
  parts.reduce(
    (text, [before, after]) => {
      if (text.split(before).length !== 2) throw new Error(`${name} does not hold once: ${before}`)
      return text.replace(before, () => after)
    },
    earlier.find((text) => text.includes(`function dockline.${name}(`))!.replace(
      /^create (or replace )?function/,
      "create or replace function"
    )
  )

/*
 * The cursor of an endpoint never lies beyond its log. A dispatcher that knows of more than the log holds, as the
 * database was restored or a standby promoted while it ran, has lost its lease: it begins anew from the stored cursor.
 */
const cursors = [
  changed(operating, "webhook_create", [
    `return json_build_object('expired', v_log.dropped_id); end if;`,
    `return json_build_object('expired', v_log.dropped_id); end if;
      if p_from > coalesce(v_log.last_id, 0) + 1 then
        return json_build_object('ahead', coalesce(v_log.last_id, 0));
      end if;`
  ]),
  changed(taking, "webhook_take", [
    `is distinct from r.epoch then`,
    `is distinct from r.epoch or r.after > v_endpoint.last_id then`
  ]),
  changed(settling, "webhook_settle", [
    `where e.id = s.endpoint and e.epoch = s.epoch`,
    `where e.id = s.endpoint and e.epoch = s.epoch and s.cursor <= coalesce((select l.last_id
          from dockline.message_log l where l.business_id = e.business_id), 0)`
  ])
]

/** Runs the migration. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach([...messages, ...deliveries, ...cursors], (statement) => sql.unsafe(statement), {
    discard: true
  })
})
