/**
 * Makes functions that query the shards with possible matches, and merge their answers.
 *
 * Guarantee: a node is queried once for all of its shards, over one connection. Each shard answers once, or the statement fails as if a
 * shard had moved. A page costs about twice its size, and at most a whole page of each queried shard.
 */
import { elsewhere, modulus } from "../../connections/Nodes.ts"
import * as Planner from "../../connections/Planner.ts"
import { sql } from "../../connections/Planner.ts"
import type { Layout } from "./Layout.ts"

/** Makes the text of a function with this signature. */
export type Text = (signature: Signature, layout: Layout) => string

/** The ids of the shards to query, as an SQL expression. */
export type ShardsOf = (layout: Layout) => string

const arrayOf = (values: ReadonlyArray<string>): string => `'{${values.join(",")}}'::bigint[]`

const anchorsOf = ({ shards }: Layout): string => arrayOf(shards.map(({ anchor }) => anchor))

/** The ids of all shards, in the order of their ordinals. */
const idsOf = ({ shards }: Layout): string => arrayOf(shards.map(({ id }) => id))

export const everyShard: ShardsOf = idsOf

/** The shards of rows with these ids; all shards if one of the ids is from before the cluster. */
export const shardsOfIds = (ids: string): ShardsOf => (layout) =>
  `case when exists (select from unnest(${ids}) as given(id) where given.id <= ${layout.beyond}) then ${
    everyShard(layout)
  }
    else array(select distinct s.id from unnest(${ids}) as given(id)
      cross join lateral (select (${
    idsOf(layout)
  })[given.id % ${modulus}] as id) as s where s.id is not null) end`

/** The shards of businesses whose slugs a query returns. */
const shardsOfSlugs = (slugs: string): string =>
  `array(select distinct get_shard_id_for_distribution_column('dockline.shipment',
      ('x' || substr(encode(sha256(convert_to(named.slug, 'UTF8')), 'hex'), 1, 15))::bit(60)::bigint)
      from (${slugs}) as named(slug))`

/** The shards of scopes, the argument of `facilities_within`. */
export const shardsOfScopes: ShardsOf = (layout) =>
  `case when p_scopes is null or exists (select from json_array_elements(p_scopes) as s where s->>0 is null)
    then ${everyShard(layout)}
    else ${shardsOfSlugs("select s->>0 from json_array_elements(p_scopes) as s")} end`

export const shardsOfBusinesses: ShardsOf = (layout) =>
  `case when p_businesses is null then ${everyShard(layout)}
    else ${shardsOfSlugs("select slug from unnest(p_businesses) as slug")} end`

/** Finds which of the given shards are on this node. They do not move before the end of the transaction. */
const shardsHere = sql`
create or replace function dockline.shards_here(p_shards bigint[]) returns bigint[]
language plpgsql as $$
declare
  v_here bigint[];
begin
  for look in 1..2 loop
    v_here := array(select p.shardid from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
      where p.shardid = any (p_shards));
    exit when v_here = '{}' or look = 2;
    perform lock_shard_metadata(5, v_here);
  end loop;
  return v_here;
end $$`

/** The anchor of the first shard among the placements `p` of a statement. */
const firstAnchor = (layout: Layout): string =>
  `(${anchorsOf(layout)})[array_position(${idsOf(layout)}, min(p.shardid))]`

/** The anchor of a shard on this node; null on the coordinator, which has no shards. */
export const anchorHere = (layout: Layout): string =>
  `(select ${firstAnchor(layout)} from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
    where p.shardid = any (${idsOf(layout)}))`

/** For each node with some of the shards, the anchor of one of them. */
const leadsOf = (layout: Layout): string =>
  sql`
create or replace function dockline.leads_of(p_shards bigint[]) returns bigint[]
language plpgsql as $$
begin
  return array(select ${firstAnchor(layout)}
    from pg_dist_placement p where p.shardid = any (p_shards) group by p.groupid);
end $$`

/** Fails unless each shard has answered once: while a shard moves, both nodes or none may have it. */
const answeredOnce = sql`
create or replace function dockline.answered_once(p_shards bigint[], p_answered bigint[]) returns void
language plpgsql as $$
begin
  if array(select a from unnest(p_shards) as a order by a) <> array(select a from unnest(p_answered) as a order by a) then
    raise exception 'A business was moved meanwhile' using errcode = '${elsewhere}';
  end if;
end $$`

/** The helpers of the functions below. */
export const helpers = (layout: Layout): ReadonlyArray<string> => [shardsHere, leadsOf(layout), answeredOnce]

/** A function on each node that returns [shard, answer] for each queried shard of the node. A set of rows becomes an array. */
export const atNode = ({ name, parameters, returns }: Signature): string => {
  const call = `dockline_' || v_shard || '.${name}(${placesOf(parameters)})`
  const answer = isSet(returns)
    ? `coalesce(json_agg(to_json(answer)), ''[]'') from ${call} as answer`
    : `to_json(${call})`
  return sql`
create or replace function dockline.at_${name}(${
    ["p_shards bigint[]", ...parameters.map((each) => `${each.name} ${each.type}`)].join(", ")
  }) returns setof json
language plpgsql ${Planner.clause} as $$
declare
  v_shard bigint;
  v_answer json;
begin
  foreach v_shard in array dockline.shards_here(p_shards) loop
    execute 'select ${answer}' into v_answer${
    parameters.length === 0 ? "" : ` using ${parameters.map((each) => each.name).join(", ")}`
  };
    return next json_build_array(v_shard, v_answer);
  end loop;
end $$`
}

/**
 * A function that queries shards. It opens one connection to each node: more connections would be closed at the end, and opening a
 * connection costs more than querying several shards.
 */
export const ofShards = (
  shardsOf: ShardsOf,
  declarations: (signature: Signature) => string,
  body: (signature: Signature) => string
): Text =>
(signature, layout) =>
  sql`
create or replace function dockline.${signature.name}(${
    signature.parameters.map(({ name, type }) => `${name} ${type}`).join(", ")
  }) returns ${signature.returns}
language plpgsql set plan_cache_mode = force_generic_plan set citus.max_adaptive_executor_pool_size = 1 as $$
#variable_conflict use_column
declare
  v_shards bigint[] := ${shardsOf(layout)};
  v_leads bigint[];
  v_answered bigint[];
  v_answer json;
  ${declarations(signature)}
begin
  ${body(signature)}
end $$`

/**
 * Queries the shards in `v_shards`, with some arguments replaced, and processes each `v_answer`. Citus plans the statement at each call,
 * because it finds shards by values.
 */
export const eachAnswer = (
  { name, parameters }: Signature,
  does: string,
  others: Readonly<Record<string, string>> = {}
): string =>
  `perform set_config('plan_cache_mode', 'force_custom_plan', true);
  v_leads := dockline.leads_of(v_shards);
  v_answered := '{}';
  for v_answer in select dockline.at_${name}(${
    ["v_shards", ...parameters.map((each) => others[each.name] ?? each.name)].join(", ")
  })
    from dockline.shard s where s.anchor = any (v_leads)
  loop
    v_answered := v_answered || (v_answer->>0)::bigint;
    ${does}
  end loop;
  perform dockline.answered_once(v_shards, v_answered);`

/** A function that merges the answers of shards. If only one shard is queried and this node has it, its answer is returned unchanged. */
export const asking = (
  shardsOf: ShardsOf,
  declarations: string,
  body: (signature: Signature) => string
): Text =>
  ofShards(
    shardsOf,
    (signature) =>
      `v_here bigint := case when cardinality(v_shards) = 1 then (dockline.shards_here(v_shards))[1] end;
  ${resultOf(signature)}
  ${declarations}`,
    (signature) =>
      `if v_here is not null then
    ${callInShard(signature, "v_here")}
  end if;
  ${body(signature)}`
  )

const entries = "array(select json_array_elements(v_answer->1))"

/** Collects a value from each answer in `v_all`, and returns a result made from them. */
export const collecting = (
  shardsOf: ShardsOf,
  type: "bigint" | "json" | "text",
  subset: string,
  result: (signature: Signature) => string
): Text =>
  asking(
    shardsOf,
    `v_all ${type}[] := '{}';`,
    (signature) =>
      `${eachAnswer(signature, `v_all := v_all || ${subset};`)}
  return ${result(signature)};`
  )

const firstOf = (order: string, limit: string): string =>
  `(select coalesce(json_agg(chosen.e), '[]') from (
    select e from unnest(v_all) as e order by ${order} limit ${limit}) as chosen)`

/** The first entries of all shards by a key of the entry `e`, as JSON. Each shard returns up to the same limit. */
export const firsts = (shardsOf: ShardsOf, order: string, limit: string): Text =>
  collecting(shardsOf, "json", entries, () => firstOf(order, limit))

/**
 * A page of JSON: the first `p_limit` entries of all shards by a key of the entry `e`, which also orders the entries of each shard. Each
 * shard first returns up to about twice its share of the page. If all of these entries are on the page, the shard may have more for it, and
 * is queried for a whole page.
 */
export const page = (shardsOf: ShardsOf, order: string): Text =>
  asking(
    shardsOf,
    `v_limit int := least(p_limit, 2 * p_limit / greatest(cardinality(v_shards), 1) + 4);
  v_all json[] := '{}';
  v_from bigint[] := '{}';`,
    (signature) =>
      `loop
    ${
        eachAnswer(
          signature,
          `v_all := v_all || ${entries};
    v_from := v_from || array_fill((v_answer->>0)::bigint, array[json_array_length(v_answer->1)]);`,
          { p_limit: "v_limit" }
        )
      }
    exit when v_limit >= p_limit;
    v_shards := array(select given.shard from (
        select shard, row_number() over (order by ${order}) as place from unnest(v_all, v_from) as given(e, shard)) as given
      group by given.shard having count(*) = v_limit and max(given.place) <= p_limit);
    exit when v_shards = '{}';
    select coalesce(array_agg(e), '{}'), coalesce(array_agg(shard), '{}') into v_all, v_from
    from unnest(v_all, v_from) as given(e, shard) where shard <> all (v_shards);
    v_limit := p_limit;
  end loop;
  return ${firstOf(order, "p_limit")};`
  )

/** The only answer that is not null. */
export const first = (shardsOf: ShardsOf): Text =>
  asking(
    shardsOf,
    "v_found json;",
    (signature) =>
      `${eachAnswer(signature, "if v_answer->>1 is not null then v_found := v_answer; end if;")}
  return (v_found->>1)::${signature.returns};`
  )

export const rows = (shardsOf: ShardsOf, columns: string, order: string): Text =>
  collecting(
    shardsOf,
    "json",
    entries,
    () => `query select ${columns} from unnest(v_all) with ordinality as answer(e, n) order by ${order}`
  )

/** The scalars from all shards. */
export const values = (shardsOf: ShardsOf): Text =>
  collecting(
    shardsOf,
    "text",
    "array(select json_array_elements_text(v_answer->1))",
    ({ returns }) => `query select value::${returns.replace("setof ", "")} from unnest(v_all) as value`
  )

/** An aggregate of the scalars from all shards. */
export const aggregate = (how: string): Text =>
  collecting(
    everyShard,
    "text",
    "(v_answer->>1)",
    ({ returns }) => `(select ${how}(value::${returns}) from unnest(v_all) as value)`
  )

/** A function: its parameters and its result. */
export interface Signature {
  readonly name: string
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly type: string }>
  /** The type of the result, such as `void`, `json`, `setof bigint` or `table (…)`. */
  readonly returns: string
}

/** The declaration of a variable for the result of a called function ({@link callInShard}), unless the result is a set. */
export const resultOf = ({ returns }: Signature): string =>
  isSet(returns) || returns === "void" ? "" : `v_result ${returns};`

export const isSet = (returns: string): boolean => /^(?:table|setof)/.test(returns)

/** The placeholders of a statement that passes on the parameters of a function. */
export const placesOf = (parameters: Signature["parameters"]): string =>
  parameters.map((_, at) => `$${at + 1}`).join(", ")

/** Statements that call the function of the shard whose id is in a variable, and return its result. */
export const callInShard = (
  { name, parameters, returns }: Signature,
  shard: string
): string => {
  const using = parameters.length === 0 ? "" : ` using ${parameters.map((each) => each.name).join(", ")}`
  const call = `dockline_' || ${shard} || '.${name}(${placesOf(parameters)})`
  if (isSet(returns)) {
    return `return query execute 'select answer.* from ${call} as answer'${using}; return;`
  }
  return returns === "void"
    ? `execute 'select ${call}'${using}; return;`
    : `execute 'select ${call}' into v_result${using}; return v_result;`
}

/** Reads the signature of a function from its text. */
export const signatureOf = (
  { name, text }: { readonly name: string; readonly text: string }
): Signature => {
  const [, parameterList = "", returns = ""] =
    /function [\w.]+\s*\(([^)]*)\)\s*returns\s+((?:table\s*\([^)]*\)|setof\s+[\w.]+|[\w.]+)(?:\[\])?)/.exec(
      text
    ) ?? []
  const parameters = parameterList.split(",").map((each) => each.trim()).filter((each) => each !== "").map(
    (each) => {
      const [parameter = "", ...type] = each.split(/\s+/)
      return { name: parameter, type: type.join(" ") }
    }
  )
  return { name, parameters, returns }
}
