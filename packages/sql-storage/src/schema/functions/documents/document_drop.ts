/** Deletes the oldest recorded documents that came before the cutoff, up to p_limit of them: their number. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.document_drop(p_cutoff timestamptz, p_limit int) returns int language plpgsql ${byIndex} as $$
declare
  v_last bigint;
  v_count int;
begin
  select max(old.id) into v_last from (
    select d.id, d.received_at from dockline.document_record d order by d.id limit p_limit) as old
  where old.received_at < p_cutoff;
  delete from dockline.document_order where document_id <= v_last;
  delete from dockline.document_removal where document_id <= v_last;
  delete from dockline.document_record where id <= v_last;
  get diagnostics v_count = row_count;
  return v_count;
end $$`
