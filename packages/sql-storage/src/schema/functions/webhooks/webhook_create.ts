/**
 * {"unknown": "business" or "facility"}, {"full"}, {"expired": dropped id}, {"ahead": newest id} or {"id"}. The row of the
 * business is locked, which keeps the limit. A message that is committed later has a higher id than the newest of the log.
 */
export default `create or replace function dockline.webhook_create(
  p_business bigint, p_draft json, p_from bigint, p_limit int, p_now timestamptz
) returns json language plpgsql as $$
declare
  v_facility bigint;
  v_log dockline.message_log;
  v_id bigint;
begin
  perform from dockline.business where id = p_business for no key update;
  if not found then return json_build_object('unknown', 'business'); end if;
  if p_draft->>'facility' is not null then
    select id into v_facility from dockline.facility
    where business_id = p_business and slug = p_draft->>'facility';
    if v_facility is null then return json_build_object('unknown', 'facility'); end if;
  end if;
  if (select count(*) from dockline.webhook_endpoint where business_id = p_business) >= p_limit then
    return json_build_object('full', true);
  end if;
  select * into v_log from dockline.message_log where business_id = p_business;
  if p_from <= v_log.dropped_id then return json_build_object('expired', v_log.dropped_id); end if;
  if p_from > coalesce(v_log.last_id, 0) + 1 then
    return json_build_object('ahead', coalesce(v_log.last_id, 0));
  end if;
  insert into dockline.webhook_endpoint (business_id, facility_id, base_url, message_types, authentication,
    signing_secrets, enabled, disabled_reason, cursor_id, created_at)
  values (p_business, v_facility, p_draft->>'baseUrl',
    array(select json_array_elements_text(p_draft->'messageTypes')), (p_draft->'authentication')::jsonb,
    (p_draft->'signingSecrets')::jsonb, (p_draft->>'enabled')::boolean,
    case when (p_draft->>'enabled')::boolean then '' else 'OPERATOR' end,
    coalesce(p_from - 1, v_log.last_id, 0), p_now)
  returning id into v_id;
  return json_build_object('id', v_id);
end $$`
