/**
 * The head of a page as JSON, {"expired": dropped id} or {"lastId"}, then its messages (messageTable in LogScans.ts); a last
 * one without payload does not fit: there are more. p_facility and p_since may be null; an unknown place has no messages.
 * Rows are sent as they are: one text of all of them took twice the time, here and at the reader.
 */
import { byKind, messageColumns, messageRow, messageTable } from "../../LogScans.ts"
import { inOrder } from "../../Plans.ts"

/* One message more than the page tells whether there are more. */
const pageOf = (scan: string) =>
  `return query select ${messageRow("p", "case when p.fits then p.payload end")}
      from (
        select s.*, row_number() over ordered <= p_limit
          and (row_number() over ordered = 1 or sum(s.size) over ordered <= p_text) as fits
        from (
          select ${messageColumns} from dockline.message m
          where ${scan} and m.id > v_after order by m.id limit p_limit + 1
        ) as s
        window ordered as (order by s.id)
      ) as p order by p.id`

export default `create or replace function dockline.message_read(
  p_business bigint, p_facility text, p_types text[], p_after bigint, p_since timestamptz, p_limit int, p_text bigint
) returns table (${messageTable}) language plpgsql stable ${inOrder} as $$
#variable_conflict use_column
declare
  v_log dockline.message_log;
  v_facility bigint;
  v_after bigint := p_after;
begin
  select * into v_log from dockline.message_log where business_id = p_business;
  if p_after < v_log.dropped_id and (p_since is null or p_since <= v_log.dropped_sent_at) then
    head := format('{"expired":%s}', v_log.dropped_id);
    return next;
    return;
  end if;
  head := format('{"lastId":%s}', coalesce(v_log.last_id, 0));
  return next;
  if p_facility is not null then
    select coalesce(max(f.id), 0) into v_facility from dockline.facility f
    where f.business_id = p_business and f.slug = p_facility;
  end if;
  if p_since is not null then
    select m.id - 1 into v_after from dockline.message m
    where m.business_id = p_business and m.sent_at >= p_since order by m.sent_at, m.id limit 1;
    v_after := greatest(p_after, coalesce(v_after, v_log.last_id));
  end if;
  ${byKind(pageOf, { business: "p_business", facility: "v_facility", types: "p_types" })};
end $$`
