/** Moves the mark to the last message sent before the cutoff; false if the row of the log is locked. */
import { briefly, byIndex } from "../../Plans.ts"

export default `create or replace function dockline.message_expire(p_business bigint, p_cutoff timestamptz) returns boolean language plpgsql
${byIndex} ${briefly} as $$
declare
  v_id bigint;
  v_sent_at timestamptz;
begin
  select m.id, m.sent_at into v_id, v_sent_at from dockline.message m
  where m.business_id = p_business and m.sent_at < p_cutoff order by m.sent_at desc, m.id desc limit 1;
  if v_id > (select l.dropped_id from dockline.message_log l where l.business_id = p_business) then
    update dockline.message_log set dropped_id = v_id, dropped_sent_at = v_sent_at
    where business_id = p_business and dropped_id < v_id;
  end if;
  return true;
exception when lock_not_available then
  return false;
end $$`
