/** A page of facilities. */
import { inOrder } from "../../Plans.ts"

export default `create or replace function dockline.facility_page(p_business text, p_after text, p_limit int)
returns table (slug text, name text, "timeZone" text) language plpgsql stable ${inOrder} as $$
declare
  v_business bigint := (select b.id from dockline.business b where b.slug = p_business);
begin
  return query select f.slug, f.name, f.time_zone from dockline.facility f
  where f.business_id = v_business and f.slug collate "C" > p_after order by f.slug collate "C" limit p_limit;
end $$`
