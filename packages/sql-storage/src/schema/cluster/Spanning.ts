/** The functions that span businesses in a cluster. Most of them query the shards with possible matches, and merge the answers. */
import { retentionMillis } from "@dockline/core/access/Idempotency"
import { modulus } from "../../connections/Nodes.ts"
import { sql } from "../../connections/Planner.ts"
import {
  aggregate,
  anchorHere,
  asking,
  collecting,
  eachAnswer,
  everyShard,
  first,
  firsts,
  ofShards,
  page,
  rows,
  shardsOfBusinesses,
  shardsOfIds,
  shardsOfScopes,
  values
} from "./Merging.ts"
import type { Text } from "./Merging.ts"

/**
 * Messages are appended to the logs in the order of the businesses, so that transactions do not deadlock. Citus does not accept a call to
 * another node as a simple expression.
 */
const messageAppendNamed: Text = () =>
  sql`
create or replace function dockline.message_append_named(p_drafts json, p_now timestamptz) returns json
language plpgsql set plan_cache_mode = force_custom_plan as $$
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
    select b.id, json_agg(json_build_array(f.id, draft->>2, draft->>3, draft->>4, draft->>5) order by n) as drafts,
      array_agg(n order by n) as positions
    from json_array_elements(p_drafts) with ordinality as d(draft, n)
    join dockline.business b on b.slug = draft->>0
    join dockline.facility f on f.business_id = b.id and f.slug = draft->>1
    group by b.id order by b.id
  loop
    execute 'select appended from dockline.message_append($1, $2, $3) as appended' into v_ids
      using v_business.id, v_business.drafts, p_now;
    v_appended := v_appended || (
      select jsonb_agg(jsonb_build_array(v_business.positions[k], id->0, id->1))
      from json_array_elements(v_ids) with ordinality as i(id, k));
  end loop;
  return json_build_object('appended', v_appended);
end $$`

/**
 * The ids of the shards advance one after another, so a repetition after an interruption advances the others. They advance to a multiple of
 * `modulus`, which is then the newest id of all logs.
 */
const messageAdvance: Text = (signature, layout) =>
  ofShards(
    everyShard,
    () =>
      `v_newest bigint := dockline.message_newest();
  v_beyond bigint := (p_beyond + ${modulus - 1}) / ${modulus} * ${modulus};
  v_sequence record;`,
    (signature) =>
      `if p_beyond - v_newest > p_limit then return json_build_object('tooFar', v_newest); end if;
  if p_beyond > v_newest then
    for v_sequence in select format('%I.%I', schemaname, sequencename)::regclass as name, last_value as last
      from pg_sequences where schemaname = 'dockline' and data_type = 'bigint'::regtype
    loop
      perform setval(v_sequence.name, coalesce(v_sequence.last, 0) + p_others);
    end loop;
  end if;
  ${
        eachAnswer(signature, "v_newest := greatest(v_newest, (v_answer->1->>'newestId')::bigint);", {
          p_beyond: "v_beyond",
          p_limit: "9223372036854775807"
        })
      }
  return json_build_object('newestId', v_newest);`
  )(signature, layout)

const distance = (text: string): string =>
  `case when ${text} = p_text then 0 when lower(${text} collate "C") = p_folded then 1 else 2 end`

/** The first entries of each kind. Among removed LPNs, exact matches come first, and then the newest of each shard. */
const searchEntries: Text = asking(
  shardsOfScopes,
  `v_entries json[] := '{}';
  v_removed json[] := '{}';`,
  (signature) =>
    `${
      eachAnswer(
        signature,
        `v_entries := v_entries || array(select json_array_elements(v_answer->1->'entries'));
    v_removed := v_removed || array(select json_build_array(n, lpn) from json_array_elements_text(v_answer->1->'removed')
      with ordinality as r(lpn, n));`
      )
    }
  return json_build_object(
    'entries', (select coalesce(json_agg(chosen.e order by chosen.n), '[]') from (
      select e, n, row_number() over (partition by e->>'kind' order by ${distance("(e->>'text')")},
        case when e->>'kind' = 'ITEM' then (e->>'shipmentId')::bigint end desc, (e->>'id')::bigint desc) as place
      from unnest(v_entries) with ordinality as found(e, n)) as chosen where chosen.place <= p_limit),
    'removed', array(select r->>1 from unnest(v_removed) as r group by r->>1
      order by ${distance("(r->>1)")}, min((r->>0)::bigint), r->>1 limit p_limit));`
)

/**
 * In a cluster, kept answers expire without regard to a jump of the clock: otherwise each transaction on a worker would need one more
 * statement to ask the coordinator about it.
 */
const answersSince: Text = () =>
  sql`
create or replace function dockline.answers_since(p_here timestamptz, p_now timestamptz) returns timestamptz
language sql as $$
  select least(p_here, coalesce(p_now, clock_timestamp())) - ${retentionMillis} * interval '1 millisecond'
$$`

/**
 * Citus sends statements about kept answers from workers to the coordinator without the parameters that they do not use, and the
 * coordinator then cannot infer the types of these parameters. So the values are part of the text.
 */
const answersKept: Text = () =>
  sql`
create or replace function dockline.answers_kept(p_clients text[], p_keys text[], p_here timestamptz, p_now timestamptz)
returns table (place int, fingerprint text, answer text)
language plpgsql as $$
begin
  return query execute 'select request.n, kept.fingerprint, kept.answer from (values ' || (
    select string_agg(format('(%s, %L, %L)', n, client, key), ', ')
    from unnest(p_clients, p_keys) with ordinality as request(client, key, n))
    || ') as request(n, client_id, key) join dockline.idempotent_answer kept on kept.client_id = request.client_id'
    || format(' and kept.key = request.key where kept.kept_at > %L::timestamptz', dockline.answers_since(p_here, p_now));
end $$`

/**
 * Citus does not notice that functions write to tables of shards, and would commit separately on the coordinator and on this node. An
 * update of a shard on this node, even of no row, tells Citus that two nodes take part, so that both commit or neither does.
 */
const answersKeep: Text = (_signature, layout) =>
  sql`
create or replace function dockline.answers_keep(
  p_clients text[], p_keys text[], p_fingerprints text[], p_answers text[], p_here timestamptz, p_now timestamptz
) returns void
language plpgsql as $$
declare
  v_anchor bigint := ${anchorHere(layout)};
  v_at timestamptz := coalesce(p_now, clock_timestamp());
begin
  if v_anchor is not null then
    execute format('update dockline.shard set ordinal = ordinal where anchor = %s and ordinal < 0', v_anchor);
  end if;
  execute 'insert into dockline.idempotent_answer as kept (client_id, key, fingerprint, answer, kept_at) values ' || (
    select string_agg(format('(%L, %L, %L, %L, %L)', client, key, fingerprint, answer, v_at), ', ')
    from unnest(p_clients, p_keys, p_fingerprints, p_answers) as given(client, key, fingerprint, answer))
    || ' on conflict (client_id, key) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,'
    || format(' kept_at = excluded.kept_at where dockline.key_is_free(kept.kept_at <= %L::timestamptz)',
      dockline.answers_since(p_here, p_now));
end $$`

/** The functions of kept answers whose texts differ in a cluster. */
export const ofCoordinator: Readonly<Record<string, Text>> = {
  answers_keep: answersKeep,
  answers_kept: answersKept,
  answers_since: answersSince
}

/** Each function that spans businesses, by its name. */
export const spanning: Readonly<Record<string, Text>> = {
  document_drop: aggregate("sum"),
  document_oldest: aggregate("min"),
  document_page: page(shardsOfScopes, "dockline.list_place((e->2->>3)::timestamptz, (e->2->>2)::bigint)"),
  document_shown: first(shardsOfIds("array[p_id]")),
  message_advance: messageAdvance,
  message_append_named: messageAppendNamed,
  message_newest: aggregate("max"),
  message_expired: values(everyShard),
  order_page: page(shardsOfScopes, "(e->>0)::bigint"),
  orders_shown: rows(
    shardsOfIds("p_ids"),
    "e->'business', e->'facility', e->>'shipment_number', e->'body'",
    "(e->'body'->0->>0)::bigint"
  ),
  pallet_page: page(
    shardsOfScopes,
    "dockline.list_place((e->>'recordedAt')::timestamptz, (e->>'id')::bigint)"
  ),
  search_entries: searchEntries,
  shipment_business: first(shardsOfIds("array[p_id]")),
  shipment_page: page(shardsOfScopes, "(e->>0)::bigint"),
  shipment_page_by_time: page(
    shardsOfScopes,
    `case when p_latest then extract(epoch from (e->>3)::timestamptz) end desc,
      case when p_latest then (e->>0)::bigint end desc,
      extract(epoch from (e->>3)::timestamptz), (e->>0)::bigint`
  ),
  shipments_shown: rows(
    shardsOfIds("p_ids"),
    "e->'business', e->'facility', e->'shipment', e->'orders', (e->>'characters')::bigint",
    "array_position(p_ids, (e->'shipment'->>'id')::bigint)"
  ),
  webhook_backlog: firsts(everyShard, "(e->>'endpointId')::bigint", "p_endpoints"),
  webhook_business: first(shardsOfIds("array[p_id]")),
  webhook_endpoint_page: collecting(
    shardsOfBusinesses,
    "bigint",
    "array(select json_array_elements_text(v_answer->1)::bigint)",
    () => "array(select id from unnest(v_all) as id order by id limit p_limit)"
  ),
  webhook_expired: rows(everyShard, "(e->>'business')::bigint, (e->>'endpoint')::bigint", "n"),
  webhook_ready: asking(
    everyShard,
    `v_ids bigint[] := '{}';
  v_due timestamptz;
  v_now timestamptz := coalesce(p_now, clock_timestamp());`,
    (signature) =>
      `${
        eachAnswer(
          signature,
          `v_ids := v_ids || array(select json_array_elements_text(v_answer->1->'endpoints')::bigint);
    v_due := least(v_due, (v_answer->1->>'nextDueAt')::timestamptz);`,
          { p_now: "v_now" }
        )
      }
  return json_build_object('endpoints', array(select id from unnest(v_ids) as id order by id),
    'nextDueAt', dockline.rfc3339(v_due), 'now', dockline.rfc3339(v_now));`
  ),
  webhooks_open: values(shardsOfIds("p_ids")),
  webhooks_shown: rows(
    shardsOfIds("p_ids"),
    // A row with one column is its value.
    "e",
    "array_position(p_ids, (e->0->>'id')::bigint)"
  )
}
