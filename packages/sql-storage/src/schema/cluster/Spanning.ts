/**
 * The functions that span businesses in a cluster: each asks the shards that may have something, all at once, and puts
 * their answers together.
 *
 * Guarantee: a page costs a page of each shard that is asked, however many businesses there are; of one business it costs one.
 */
import { modulus } from "../../connections/Nodes.ts"
import { sql } from "../Plans.ts"
import type { Layout } from "./Layout.ts"
import type { Signature } from "./Signatures.ts"

/** The text of a function, for its signature. */
type Text = (signature: Signature, layout: Layout) => string

/** The anchors of the shards that are asked, as an SQL expression. */
type Asked = (layout: Layout) => string

const arrayOf = (values: ReadonlyArray<string | number>): string => `'{${values.join(",")}}'::bigint[]`

const everyShard: Asked = ({ shards }) => arrayOf(shards.map(({ anchor }) => anchor))

/** The shard that each id tells; all, where one of the ids is older than the cluster. */
const shardsOfIds = (ids: string): Asked => (layout) =>
  `case when exists (select from unnest(${ids}) as given(id) where given.id <= ${layout.beyond}) then ${
    everyShard(layout)
  }
    else array(select distinct (${arrayOf(layout.shards.map(({ anchor }) => anchor))})[given.id % ${modulus}]
      from unnest(${ids}) as given(id)) end`

const businessOf = (slug: string): string =>
  `(('x' || substr(encode(sha256(convert_to(${slug}, 'UTF8')), 'hex'), 1, 15))::bit(60)::bigint)`

/** The shards of businesses, named by slugs in a query. */
const shardsOfSlugs = ({ shards }: Layout, slugs: string): string =>
  `array(select distinct (${arrayOf(shards.map(({ anchor }) => anchor))})[array_position(
      ${arrayOf(shards.map(({ id }) => id))}, get_shard_id_for_distribution_column('dockline.shipment', ${
    businessOf("named.slug")
  }))]
      from (${slugs}) as named(slug))`

/** The shards of scopes (facilities_within). */
const shardsOfScopes: Asked = (layout) =>
  `case when p_scopes is null or exists (select from json_array_elements(p_scopes) as s where s->>0 is null)
    then ${everyShard(layout)}
    else ${shardsOfSlugs(layout, "select s->>0 from json_array_elements(p_scopes) as s")} end`

const shardsOfBusinesses: Asked = (layout) =>
  `case when p_businesses is null then ${everyShard(layout)}
    else ${shardsOfSlugs(layout, "select slug from unnest(p_businesses) as slug")} end`

/** The arguments that a shard is asked with: those that were given, but for some. */
const passedWith = (
  { parameters }: Signature,
  others: Readonly<Record<string, string>>
): ReadonlyArray<string> => parameters.map(({ name }) => others[name] ?? name)

const asks = (signature: Signature, passed = passedWith(signature, {})): string =>
  `dockline.at_${signature.name}(${["s.anchor", ...passed].join(", ")})`

/**
 * A function that asks shards. Citus needs the values of a statement to find its shards, so that it plans at each call. It opens
 * one connection to a node: others would be closed at the end, and a new one costs more than several shards do.
 */
const asking =
  (asked: Asked, declarations: string, body: (signature: Signature) => string): Text => (signature, layout) =>
    sql`
create or replace function dockline.${signature.name}(${
      signature.parameters.map(({ name, type }) => `${name} ${type}`).join(", ")
    }) returns ${signature.returns}
language plpgsql set plan_cache_mode = force_custom_plan set citus.max_adaptive_executor_pool_size = 1 as $$
#variable_conflict use_column
declare
  v_anchors bigint[] := ${asked(layout)};
  ${declarations}
begin
  ${body(signature)}
end $$`

const eachShard = (signature: Signature, variable: string, body: string): string =>
  `for ${variable} in select ${asks(signature)} from dockline.shard s where s.anchor = any (v_anchors) loop
    ${body}
  end loop;`

/** The first entries of all by a key of the entry `e`, as JSON; each shard is asked for so many. */
const firsts = (asked: Asked, order: string, limit: string): Text =>
  asking(
    asked,
    `v_answer json;
  v_all json[] := '{}';`,
    (signature) =>
      `${eachShard(signature, "v_answer", "v_all := v_all || array(select json_array_elements(v_answer));")}
  return (select coalesce(json_agg(chosen.e), '[]') from (
    select e from unnest(v_all) as e order by ${order} limit ${limit}) as chosen);`
  )

/**
 * A page of JSON: the first p_limit entries of all by a key of the entry `e`, in which the shards have their entries. Each is asked
 * for twice its share of the page first. Where all that a shard has given is on the page, more of it may be: it is asked for a whole page.
 */
const page = (asked: Asked, order: string): Text =>
  asking(
    asked,
    `v_limit int := least(p_limit, 2 * p_limit / greatest(cardinality(v_anchors), 1) + 4);
  v_answer record;
  v_all json[] := '{}';
  v_from bigint[] := '{}';`,
    (signature) =>
      `loop
    for v_answer in select s.anchor, ${
        asks(signature, passedWith(signature, { p_limit: "v_limit" }))
      } as entries
      from dockline.shard s where s.anchor = any (v_anchors)
    loop
      v_all := v_all || array(select json_array_elements(v_answer.entries));
      v_from := v_from || array_fill(v_answer.anchor, array[json_array_length(v_answer.entries)]);
    end loop;
    exit when v_limit >= p_limit;
    v_anchors := array(select given.anchor from (
        select anchor, row_number() over (order by ${order}) as place from unnest(v_all, v_from) as given(e, anchor)) as given
      group by given.anchor having count(*) = v_limit and max(given.place) <= p_limit);
    exit when v_anchors = '{}';
    select coalesce(array_agg(e), '{}'), coalesce(array_agg(anchor), '{}') into v_all, v_from
    from unnest(v_all, v_from) as given(e, anchor) where anchor <> all (v_anchors);
    v_limit := p_limit;
  end loop;
  return (select coalesce(json_agg(chosen.e), '[]') from (
    select e from unnest(v_all) as e order by ${order} limit p_limit) as chosen);`
  )

/** The one answer that is not null. */
const first = (asked: Asked): Text =>
  asking(
    asked,
    "v_answer record;",
    (signature) =>
      `for v_answer in select ${
        asks(signature)
      } as value from dockline.shard s where s.anchor = any (v_anchors) loop
    if v_answer.value is not null then return v_answer.value; end if;
  end loop;
  return null;`
  )

/** The rows of all, in an order. */
const rows = (asked: Asked, columns: string, order: string): Text =>
  asking(
    asked,
    "v_all json[] := '{}';\n  v_answer json;",
    (signature) =>
      `${eachShard(signature, "v_answer", "v_all := v_all || v_answer;")}
  return query select ${columns} from unnest(v_all) with ordinality as answer(e, n) order by ${order};`
  )

/** The scalars of all. */
const values = (asked: Asked): Text =>
  asking(
    asked,
    "",
    (signature) =>
      `return query select ${asks(signature)} from dockline.shard s where s.anchor = any (v_anchors);`
  )

/** An aggregate of the scalars of all. */
const aggregate = (how: string): Text =>
  asking(
    everyShard,
    "",
    (signature) =>
      `return (select ${how}(answer) from (select ${asks(signature)} as answer from dockline.shard s
    where s.anchor = any (v_anchors)) as answers);`
  )

/** Logs get their messages in the order of their businesses, so that no two transactions wait for each other. */
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
    -- Citus takes no call to another node that is a simple expression.
    execute 'select appended from dockline.message_append($1, $2, $3) as appended' into v_ids using v_business.id, v_business.drafts, p_now;
    v_appended := v_appended || (
      select jsonb_agg(jsonb_build_array(v_business.positions[k], id->0, id->1))
      from json_array_elements(v_ids) with ordinality as i(id, k));
  end loop;
  return json_build_object('appended', v_appended);
end $$`

/**
 * The ids of the shards move one after another: repeated after an interruption, it moves the rest. They move to a multiple of
 * `modulus`, which is the newest id of all logs then.
 */
const messageAdvance: Text = (signature, layout) =>
  asking(
    everyShard,
    `v_newest bigint := dockline.message_newest();
  v_beyond bigint := (p_beyond + ${modulus - 1}) / ${modulus} * ${modulus};
  v_answer json;
  v_sequence record;`,
    () =>
      `if p_beyond - v_newest > p_limit then return json_build_object('tooFar', v_newest); end if;
  if p_beyond > v_newest then
    for v_sequence in select format('%I.%I', schemaname, sequencename)::regclass as name, last_value as last
      from pg_sequences where schemaname = 'dockline' and data_type = 'bigint'::regtype
    loop
      perform setval(v_sequence.name, coalesce(v_sequence.last, 0) + p_others);
    end loop;
  end if;
  for v_answer in select ${
        asks(signature, ["v_beyond", "9223372036854775807", "p_others"])
      } from dockline.shard s
    where s.anchor = any (v_anchors) loop
    v_newest := greatest(v_newest, (v_answer->>'newestId')::bigint);
  end loop;
  return json_build_object('newestId', v_newest);`
  )(signature, layout)

/** Of each kind the newest; of LPNs that were removed, the newest of each shard come first. */
const searchEntries: Text = asking(
  shardsOfScopes,
  `v_answer json;
  v_entries json[] := '{}';
  v_removed json[] := '{}';`,
  (signature) =>
    `${
      eachShard(
        signature,
        "v_answer",
        `v_entries := v_entries || array(select json_array_elements(v_answer->'entries'));
    v_removed := v_removed || array(select json_build_array(n, lpn) from json_array_elements_text(v_answer->'removed')
      with ordinality as r(lpn, n));`
      )
    }
  return json_build_object(
    'entries', (select coalesce(json_agg(chosen.e order by chosen.n), '[]') from (
      select e, n, row_number() over (partition by e->>'kind' order by (e->>'id')::bigint desc) as place
      from unnest(v_entries) with ordinality as found(e, n)) as chosen where chosen.place <= p_limit),
    'removed', array(select r->>1 from unnest(v_removed) as r group by r->>1 order by min((r->>0)::bigint) limit p_limit));`
)

/*
 * Citus sends statements with kept answers from workers to the coordinator, and no parameters that they do not need there, of which
 * the coordinator then cannot tell the types. So the values stand in the statement.
 */
const answersKept: Text = () =>
  sql`
create or replace function dockline.answers_kept(p_clients text[], p_keys text[], p_since timestamptz)
returns table (place int, fingerprint text, answer text)
language plpgsql as $$
begin
  return query execute 'select request.n, kept.fingerprint, kept.answer from (values ' || (
    select string_agg(format('(%s, %L, %L)', n, client, key), ', ')
    from unnest(p_clients, p_keys) with ordinality as request(client, key, n))
    || ') as request(n, client_id, key) join dockline.idempotent_answer kept on kept.client_id = request.client_id'
    || format(' and kept.key = request.key where kept.kept_at > %L::timestamptz', p_since);
end $$`

/** A shard of this node, by its anchor; the coordinator has none. */
const anchorHere = (layout: Layout): string =>
  `(select min(a.anchor) from unnest(${everyShard(layout)}) as a(anchor)
    join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('dockline.shard', a.anchor)
    join pg_dist_local_group g on g.groupid = p.groupid)`

/*
 * Citus does not know what functions write to tables of shards, and would commit on the coordinator and then here, each by itself.
 * A change of a shard of this node, even of no row, tells it that there are two nodes, so that it commits on both or on neither.
 */
const answersKeep: Text = (_signature, layout) =>
  sql`
create or replace function dockline.answers_keep(
  p_clients text[], p_keys text[], p_fingerprints text[], p_answers text[], p_now timestamptz, p_since timestamptz
) returns void
language plpgsql as $$
declare
  v_anchor bigint := ${anchorHere(layout)};
begin
  if v_anchor is not null then
    execute format('update dockline.shard set ordinal = ordinal where anchor = %s and ordinal < 0', v_anchor);
  end if;
  execute 'insert into dockline.idempotent_answer as kept (client_id, key, fingerprint, answer, kept_at) values ' || (
    select string_agg(format('(%L, %L, %L, %L, %L)', client, key, fingerprint, answer, p_now), ', ')
    from unnest(p_clients, p_keys, p_fingerprints, p_answers) as given(client, key, fingerprint, answer))
    || ' on conflict (client_id, key) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,'
    || format(' kept_at = excluded.kept_at where dockline.key_is_free(kept.kept_at <= %L::timestamptz)', p_since);
end $$`

/** Functions of kept answers that have other texts in a cluster. */
export const ofCoordinator: Readonly<Record<string, Text>> = {
  answers_keep: answersKeep,
  answers_kept: answersKept
}

/** Each function that spans businesses, by its name. */
export const spanning: Readonly<Record<string, Text>> = {
  day_shipments: firsts(shardsOfScopes, "(e->>'id')::bigint", "p_limit"),
  document_drop: aggregate("sum"),
  document_oldest: aggregate("min"),
  document_page: page(shardsOfScopes, "(e->2->>2)::bigint desc"),
  document_shown: first(shardsOfIds("array[p_id]")),
  exception_page: page(shardsOfScopes, "(e->'exception'->>'id')::bigint desc"),
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
  pallet_page: page(shardsOfScopes, "(e->>4)::bigint desc"),
  search_entries: searchEntries,
  shipment_business: first(shardsOfIds("array[p_shipment]")),
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
    "array_position(p_ids, (e->'shipment'->>0)::bigint)"
  ),
  webhook_backlog: firsts(everyShard, "(e->>'endpointId')::bigint", "p_endpoints"),
  webhook_business: first(shardsOfIds("array[p_endpoint]")),
  webhook_endpoint_page: asking(
    shardsOfBusinesses,
    "v_ids bigint[];\n  v_all bigint[] := '{}';",
    (signature) =>
      `${eachShard(signature, "v_ids", "v_all := v_all || v_ids;")}
  return array(select id from unnest(v_all) as id order by id limit p_limit);`
  ),
  webhook_expired: rows(everyShard, "(e->>'business')::bigint, (e->>'endpoint')::bigint", "n"),
  webhook_ready: asking(
    everyShard,
    `v_answer json;
  v_ids bigint[] := '{}';
  v_due timestamptz;`,
    (signature) =>
      `${
        eachShard(
          signature,
          "v_answer",
          `v_ids := v_ids || array(select json_array_elements_text(v_answer->'endpoints')::bigint);
    v_due := least(v_due, (v_answer->>'nextDueAt')::timestamptz);`
        )
      }
  return json_build_object('endpoints', array(select id from unnest(v_ids) as id order by id),
    'nextDueAt', dockline.rfc3339(v_due));`
  ),
  webhooks_open: values(shardsOfIds("p_ids")),
  webhooks_shown: rows(
    shardsOfIds("p_ids"),
    // A row of one column is its value.
    "e",
    "array_position(p_ids, (e->0->>'id')::bigint)"
  )
}
