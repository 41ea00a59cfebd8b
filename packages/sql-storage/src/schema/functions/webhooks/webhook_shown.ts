/**
 * [endpoint, backlog up to p_limit]; null if it does not exist. Most endpoints have no deliveries after their cursor: then
 * no message is looked up in the record.
 */
import { notRecorded } from "../../LogScans.ts"
import { byIndex } from "../../Plans.ts"

/** Adds the messages of a kind after the cursor to `v_backlog`, if the endpoint gets them; it reads only an index. */
const behind = (wanted: string, kind: string): string => {
  const count = (scan: string) =>
    `select v_backlog + count(*) into v_backlog from (select from dockline.message m
            where ${scan} and ${kind} and m.id > v_endpoint.cursor_id and (v_ahead is null or ${notRecorded})
            order by m.id limit p_limit) as counted`
  return `if v_backlog < p_limit and ${wanted} then
        if v_endpoint.facility_id is null then
          ${count("m.business_id = v_endpoint.business_id")};
        else
          ${count("m.business_id = v_endpoint.business_id and m.facility_id = v_endpoint.facility_id")};
        end if;
      end if`
}

export default `create or replace function dockline.webhook_shown(p_business bigint, p_id bigint, p_limit int) returns json language plpgsql stable
${byIndex} as $$
declare
  v_endpoint dockline.webhook_endpoint;
  v_backlog bigint;
  v_ahead bigint;
begin
  select * into v_endpoint from dockline.webhook_endpoint where business_id = p_business and id = p_id;
  if v_endpoint.id is null then return null; end if;
  select count(*) into v_backlog from (select from dockline.webhook_delivery d
    where d.business_id = p_business and d.endpoint_id = p_id and d.status = 'PENDING' limit p_limit) as pending;
  select d.message_id into v_ahead from dockline.webhook_delivery d
  where d.business_id = p_business and d.endpoint_id = p_id and d.message_id > v_endpoint.cursor_id limit 1;
  ${behind("'PALLET_EVENT' = any (v_endpoint.message_types)", "m.type = 'PALLET_EVENT'")};
  ${
  behind(
    "not v_endpoint.message_types <@ array['PALLET_EVENT']",
    "m.type <> 'PALLET_EVENT' and m.type = any (v_endpoint.message_types)"
  )
};
  return (select json_build_array(b.body, least(v_backlog, p_limit)) from dockline.webhook_endpoint_body b
    where b.business_id = p_business and b.id = p_id);
end $$`
