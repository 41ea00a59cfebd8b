/** p_drafts: an array of [facility id, type, shipment id, payload as text, trace context or null]. */
export default `create or replace function dockline.message_append(p_business bigint, p_drafts json, p_now timestamptz) returns json
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  v_sent_at timestamptz;
  v_last bigint;
  v_result json;
begin
  select greatest(last_sent_at, p_now) into v_sent_at from dockline.message_log
  where business_id = p_business for no key update;
  if not found then
    insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
    select greatest(last_sent_at, p_now) into v_sent_at from dockline.message_log
    where business_id = p_business for no key update;
  end if;
  with appended as (
    insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload,
      trace)
    select p_business, nextval('dockline.message_id'), (draft->>0)::bigint,
      (select f.slug from dockline.facility f where f.id = (draft->>0)::bigint and f.business_id = p_business),
      draft->>1, (draft->>2)::bigint, v_sent_at, length(draft->>3), (draft->>3)::json, draft->>4
    from json_array_elements(p_drafts) as draft
    returning id
  )
  select max(id), json_agg(json_build_array(id, dockline.rfc3339(v_sent_at)) order by id)
  into v_last, v_result from appended;
  update dockline.message_log set last_id = v_last, last_sent_at = v_sent_at
  where business_id = p_business and v_last is not null;
  return coalesce(v_result, '[]');
end $$`
