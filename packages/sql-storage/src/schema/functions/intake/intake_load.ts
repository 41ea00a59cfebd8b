import { byIndex } from "../../Plans.ts"
import { linkOf, newestRemappable, statusOf } from "../../Remappable.ts"

export default `create or replace function dockline.intake_load(
  p_business bigint, p_facility text, p_dock text, p_shipment_key text, p_order_keys text[], p_direction text
) returns json language plpgsql ${byIndex} as $$
declare
  v_business dockline.business;
  v_facility dockline.facility;
  v_target bigint;
  v_candidates bigint[];
begin
  select * into v_business from dockline.business where id = p_business;
  select * into v_facility from dockline.facility where business_id = p_business and slug = p_facility;
  if v_facility.id is null then
    return json_build_object('business', case when v_business.id is not null
      then json_build_object('slug', v_business.slug, 'name', v_business.name) end);
  end if;
  perform dockline.intake_lock(p_business, v_facility.id, p_shipment_key, p_order_keys, p_direction);
  select id into v_target from dockline.shipment
  where business_id = p_business and facility_id = v_facility.id and number_key = p_shipment_key;
  v_candidates := array(
    ${newestRemappable("v_facility.id", "v_target")});
  return json_build_object(
    'business', json_build_object('slug', v_business.slug, 'name', v_business.name),
    'facility', json_build_object('slug', v_facility.slug, 'name', v_facility.name),
    'facilityId', v_facility.id,
    'dock', (select json_build_object('id', id, 'slug', slug) from dockline.dock
      where facility_id = v_facility.id and slug = p_dock),
    'target', (select body from dockline.shipment_body where business_id = p_business and id = v_target),
    'orders', (select json_agg(body order by id + 0) from dockline.order_body
      where business_id = p_business and shipment_id = v_target),
    'candidates', (select json_agg(json_build_array(
        b.body, ${statusOf("b")}, ${linkOf("b")} is not null
      ) order by b.id)
      from dockline.order_body b where b.business_id = p_business and b.id = any (v_candidates))
  );
end $$`
