/** A page of businesses: those of p_slugs, or all if it is null. */
import { inOrder } from "../../Plans.ts"

export default `create or replace function dockline.business_page(p_slugs text[], p_after text, p_limit int)
returns table (slug text, name text, sandbox boolean) language plpgsql stable ${inOrder} as $$
begin
  if p_slugs is null then
    return query select b.slug, b.name, b.sandbox from dockline.business b where b.slug collate "C" > p_after
    order by b.slug collate "C" limit p_limit;
  else
    return query select b.slug, b.name, b.sandbox from (select distinct unnest(p_slugs) as slug) as named
    cross join lateral (select t.slug, t.name, t.sandbox from dockline.business t where t.slug = named.slug offset 0) as b
    where b.slug collate "C" > p_after order by b.slug collate "C" limit p_limit;
  end if;
end $$`
