/** The clients or people within p_businesses, or all if it is null, in the order of p_ids. */
import { byIndex } from "../../Plans.ts"

export const shownOf = (table: "client" | "person", name: string): string =>
  `create or replace function dockline.${name}(p_ids text[], p_businesses text[]) returns setof dockline.${table}
language plpgsql stable ${byIndex} as $$
begin
  return query select c.* from unnest(p_ids) with ordinality as named(id, n)
  join dockline.${table} c on c.id = named.id
  where p_businesses is null or dockline.client_within(c.grants, p_businesses) order by named.n;
end $$`

export default shownOf("client", "clients_shown")
