/**
 * The first id of documents that came about p_time or later. Ids grow with time, but not strictly: the clocks of instances
 * differ, and transactions overlap. What came minutes later has a higher id. Ids have gaps, so each step looks for the next one.
 */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.document_at(p_time timestamptz) returns bigint language plpgsql stable ${byIndex} as $$
declare
  v_low bigint := coalesce((select d.id from dockline.document_record d order by d.id limit 1), 1);
  v_high bigint := coalesce((select d.id from dockline.document_record d order by d.id desc limit 1), 0) + 1;
  v_middle bigint;
begin
  while v_low < v_high loop
    v_middle := (v_low + v_high) / 2;
    if (select d.received_at from dockline.document_record d where d.id >= v_middle order by d.id limit 1) < p_time then
      v_low := v_middle + 1;
    else
      v_high := v_middle;
    end if;
  end loop;
  return v_low;
end $$`
