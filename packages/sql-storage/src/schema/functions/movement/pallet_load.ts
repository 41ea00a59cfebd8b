/**
 * Locks the id and the shipment of an event. The shipment may change while its lock is waited for: then the transaction must
 * be repeated, as a second lock could be a deadlock.
 */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.pallet_load(
  p_business bigint, p_facility text, p_event_key text, p_dock text, p_shipment bigint, p_number_key text,
  p_lpn text, p_lpn_key text
) returns json language plpgsql ${byIndex} as $$
declare
  v_business dockline.business;
  v_facility dockline.facility;
  v_dock dockline.dock;
  v_event dockline.pallet_event;
  v_match bigint;
  v_way text;
  v_again bigint;
  v_pallet bigint;
begin
  select * into v_business from dockline.business where id = p_business;
  select * into v_facility from dockline.facility where business_id = p_business and slug = p_facility;
  if v_facility.id is null then
    return json_build_object('business', case when v_business.id is not null
      then json_build_object('slug', v_business.slug, 'name', v_business.name) end);
  end if;
  perform pg_advisory_xact_lock(hashtextextended('dockline.event:' || v_facility.id || ':' || p_event_key, 0));
  select * into v_event from dockline.pallet_event
  where business_id = p_business and facility_id = v_facility.id and event_key = p_event_key;
  select * into v_dock from dockline.dock where facility_id = v_facility.id and slug = p_dock;
  if v_event.event_key is null then
    select id, way into v_match, v_way
    from dockline.pallet_match(p_business, v_facility.id, p_shipment, p_number_key, p_lpn, v_dock.id);
    if v_match is not null then
      perform from dockline.shipment where business_id = p_business and id = v_match for no key update;
      select id, way into v_again, v_way
      from dockline.pallet_match(p_business, v_facility.id, p_shipment, p_number_key, p_lpn, v_dock.id);
      if v_again is distinct from v_match then
        raise exception 'the shipment of a pallet changed' using errcode = 'serialization_failure';
      end if;
      select id into v_pallet from dockline.pallet
      where business_id = p_business and shipment_id = v_match and lpn_key = p_lpn_key;
    end if;
  end if;
  return json_build_object(
    'business', json_build_object('slug', v_business.slug, 'name', v_business.name),
    'facility', json_build_object('slug', v_facility.slug, 'name', v_facility.name),
    'facilityId', v_facility.id,
    'dock', case when v_dock.id is not null then json_build_object('id', v_dock.id, 'slug', v_dock.slug) end,
    'fieldMap', v_business.field_map,
    'recorded', case when v_event.event_key is not null then json_build_object('fingerprint', v_event.fingerprint,
      'answer', json_build_object('messageId', v_event.message_id, 'serviceShipmentId', v_event.shipment_id::text,
        'servicePalletId', v_event.pallet_id::text, 'orders', v_event.orders)) end,
    'way', v_way,
    'match', case when v_match is not null
      then dockline.pallet_shipment(p_business, v_match, p_lpn, v_pallet) end,
    'newPalletId', case when v_match is not null and v_pallet is null
      then nextval('dockline.pallet_id') else 0 end
  );
end $$`
