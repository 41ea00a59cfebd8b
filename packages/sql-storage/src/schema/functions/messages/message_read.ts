/**
 * A page as JSON: {"expired": dropped id}, or {"lastId", "more", "messages"} (messageText in LogScans.ts). p_facility and
 * p_since may be null; an unknown place has no messages.
 */
import { byKind, messageColumns, messageText } from "../../LogScans.ts"
import { inOrder } from "../../Plans.ts"

/* One message more than the page tells whether there are more. The window gives the aggregate its rows in order. */
const pageOf = (scan: string) =>
  `select coalesce(bool_or(not p.fits), false), coalesce(string_agg(${
    messageText("p")
  }, ',') filter (where p.fits), '')
      into v_more, v_messages
      from (
        select s.*, row_number() over ordered <= p_limit
          and (row_number() over ordered = 1 or sum(s.size) over ordered <= p_text) as fits
        from (
          select ${messageColumns} from dockline.message m
          where ${scan} and m.id > v_after order by m.id limit p_limit + 1
        ) as s
        window ordered as (order by s.id)
      ) as p`

export default `create or replace function dockline.message_read(
  p_business bigint, p_facility text, p_types text[], p_after bigint, p_since timestamptz, p_limit int, p_text bigint
) returns text language plpgsql stable ${inOrder} as $$
declare
  v_log dockline.message_log;
  v_facility bigint;
  v_after bigint := p_after;
  v_more boolean;
  v_messages text;
begin
  select * into v_log from dockline.message_log where business_id = p_business;
  if v_log.business_id is null then return '{"lastId":0,"more":false,"messages":[]}'; end if;
  if p_after < v_log.dropped_id and (p_since is null or p_since <= v_log.dropped_sent_at) then
    return format('{"expired":%s}', v_log.dropped_id);
  end if;
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
  return format('{"lastId":%s,"more":%s,"messages":[%s]}', v_log.last_id, v_more::text, v_messages);
end $$`
