/** The businesses whose logs hold expired messages. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.message_expired(p_cutoff timestamptz) returns setof bigint language plpgsql stable
${byIndex} as $$
begin
  return query select l.business_id from dockline.message_log l
  where (select m.id from dockline.message m where m.business_id = l.business_id and m.id <= l.dropped_id
      order by m.id limit 1) is not null
    or (select m.id from dockline.message m where m.business_id = l.business_id and m.sent_at < p_cutoff
      order by m.sent_at, m.id limit 1) is not null
  order by l.business_id;
end $$`
