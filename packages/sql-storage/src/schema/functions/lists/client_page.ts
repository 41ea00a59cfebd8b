/**
 * The clients or people of a page as [[id, 1 and the number of facilities that the grants name]]: those within p_businesses, or all if
 * it is null.
 */
import { inOrder } from "../../Plans.ts"
import { all, merged } from "../../Streams.ts"

export const pageOf = (table: "client" | "person"): string =>
  `create or replace function dockline.${table}_page(p_businesses text[], p_after text, p_limit int) returns json
language plpgsql stable ${inOrder} as $$
declare
  v_ids text[];
begin
  if p_businesses is null then
    ${all(table, `t.id collate "C"`)};
  else
    ${
    merged({
      table,
      key: [["(t.grants->0->>'business')", "k.business"]],
      values: "(select distinct unnest(p_businesses) as business) as k",
      id: `t.id collate "C"`,
      largest: `U&'\\+10FFFF'`,
      within: "dockline.client_within(t.grants, p_businesses)"
    })
  };
  end if;
  return (select coalesce(json_agg(json_build_array(c.id, (
      select 1 + coalesce(sum(case when jsonb_typeof(granted->'facilities') = 'array'
        then jsonb_array_length(granted->'facilities') else 1 end), 0)
      from jsonb_array_elements(c.grants) as granted)) order by named.n), '[]')
    from unnest(v_ids) with ordinality as named(id, n) cross join lateral (
      select t.id, t.grants from dockline.${table} t where t.id = named.id offset 0) as c);
end $$`

export default pageOf("client")
