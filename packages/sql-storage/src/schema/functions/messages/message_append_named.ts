/**
 * p_drafts: an array of [business slug, facility slug, type, shipment id, payload, trace or null]. Logs are locked in one
 * order, and businesses get their ids in the order in which they are named.
 */
export default `create or replace function dockline.message_append_named(p_drafts json, p_now timestamptz) returns json
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  v_unknown json;
  v_business record;
  v_ids json;
  v_appended jsonb := '[]';
begin
  select json_build_array(draft->>0, case when b.id is not null then draft->>1 end) into v_unknown
  from json_array_elements(p_drafts) with ordinality as d(draft, n)
  left join dockline.business b on b.slug = draft->>0
  left join dockline.facility f on f.business_id = b.id and f.slug = draft->>1
  where f.id is null order by n limit 1;
  if v_unknown is not null then return json_build_object('unknown', v_unknown); end if;
  perform from dockline.message_log l where l.business_id in (
    select b.id from json_array_elements(p_drafts) as draft join dockline.business b on b.slug = draft->>0)
  order by l.business_id for no key update;
  for v_business in
    select b.id, json_agg(json_build_array(f.id, draft->>2, draft->>3, draft->>4, draft->>5)
        order by n) as drafts,
      array_agg(n order by n) as positions
    from json_array_elements(p_drafts) with ordinality as d(draft, n)
    join dockline.business b on b.slug = draft->>0
    join dockline.facility f on f.business_id = b.id and f.slug = draft->>1
    group by b.id order by min(n)
  loop
    v_ids := dockline.message_append(v_business.id, v_business.drafts, p_now);
    v_appended := v_appended || (
      select jsonb_agg(jsonb_build_array(v_business.positions[k], id->0, id->1))
      from json_array_elements(v_ids) with ordinality as i(id, k));
  end loop;
  return json_build_object('appended', v_appended);
end $$`
