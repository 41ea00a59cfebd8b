import { sql } from "../Plans.ts"
import { all, merged } from "../Streams.ts"

/** Whether a client or a person has grants, and all are at these businesses. */
export const clientWithin = sql`
create or replace function dockline.client_within(
  p_grants jsonb, p_businesses text[]
) returns boolean immutable
return jsonb_array_length(p_grants) > 0 and not exists (select from jsonb_array_elements(p_grants) as granted
  where granted->>'business' <> all (p_businesses))`

const pageWithin = (table: "client" | "person"): string =>
  merged({
    table,
    key: [["(t.grants->0->>'business')", "k.business"]],
    values: "(select distinct unnest(p_businesses) as business) as k",
    id: `t.id collate "C"`,
    largest: `U&'\\+10FFFF'`,
    within: "dockline.client_within(t.grants, p_businesses)"
  })

const pageOf = (table: "client" | "person"): string =>
  `create or replace function dockline.${table}_page(p_businesses text[], p_after text, p_limit int) returns json
language plpgsql stable as $$
declare
  v_ids text[];
begin
  if p_businesses is null then
    ${all(table, `t.id collate "C"`)};
  else
    ${pageWithin(table)};
  end if;
  return (select coalesce(json_agg(json_build_array(c.id, (
      select 1 + coalesce(sum(case when jsonb_typeof(granted->'facilities') = 'array'
        then jsonb_array_length(granted->'facilities') else 1 end), 0)
      from jsonb_array_elements(c.grants) as granted)) order by named.n), '[]')
    from unnest(v_ids) with ordinality as named(id, n) cross join lateral (
      select t.id, t.grants from dockline.${table} t where t.id = named.id) as c);
end $$`

/**
 * The clients or people of a page as [[id, 1 and the number of facilities that the grants name]]: those within p_businesses, or all if
 * it is null.
 */
export const clientPage = pageOf("client")

export const personPage = pageOf("person")

const shownOf = (table: "client" | "person"): string =>
  `create or replace function dockline.${table}_shown(p_ids text[], p_businesses text[]) returns setof dockline.${table}
language plpgsql stable as $$
begin
  return query select c.* from unnest(p_ids) with ordinality as named(id, n)
  join dockline.${table} c on c.id = named.id
  where p_businesses is null or dockline.client_within(c.grants, p_businesses) order by named.n;
end $$`

/** The clients or people within p_businesses, or all if it is null, in the order of p_ids. */
export const clientShown = shownOf("client")

export const personShown = shownOf("person")
