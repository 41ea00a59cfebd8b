/**
 * Deletes up to p_limit messages after an id and up to the mark: [number, last id]; the last id is null when there
 * were none.
 */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.message_drop(p_business bigint, p_after bigint, p_limit int) returns json language plpgsql
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
end $$`
