/** A page of slugs of docks. */
import { inOrder } from "../../Plans.ts"

export default `create or replace function dockline.dock_page(p_business text, p_facility text, p_after text, p_limit int)
returns table (slug text) language plpgsql stable ${inOrder} as $$
declare
  v_facility bigint := (select f.id from dockline.business b join dockline.facility f on f.business_id = b.id
    where b.slug = p_business and f.slug = p_facility);
begin
  return query select d.slug from dockline.dock d
  where d.facility_id = v_facility and d.slug collate "C" > p_after order by d.slug collate "C" limit p_limit;
end $$`
