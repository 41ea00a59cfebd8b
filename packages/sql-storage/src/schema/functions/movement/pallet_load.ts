/**
 * Locks the ids and the shipments of events, and returns what each is judged by. p_events: rows with facility, eventKey, dock,
 * shipment, numberKey, lpn and lpnKey; what an event does not have is null.
 *
 * A shipment that an event was matched to may change while its lock is waited for: then the transaction must be repeated, as
 * a second lock could be a deadlock. Events that do not wait (p_wait) never do: one that finds a lock taken, or the shipment
 * of an earlier one, is held. Their transaction waits for the log of their business only, and for that briefly.
 */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.pallet_load(p_business bigint, p_events json, p_wait boolean) returns json
language plpgsql ${byIndex} as $$
declare
  v_business dockline.business;
  v_facility dockline.facility;
  v_dock dockline.dock;
  v_event dockline.pallet_event;
  v_match bigint;
  v_way text;
  v_again bigint;
  v_pallet bigint;
  v_lock bigint;
  v_taken bigint[] := '{}';
  v_events json[] := '{}';
  e record;
begin
  if not p_wait then perform set_config('lock_timeout', '250ms', true); end if;
  select * into v_business from dockline.business where id = p_business;
  for e in select * from json_to_recordset(p_events) as r(facility text, "eventKey" text, dock text, shipment bigint,
    "numberKey" text, lpn text, "lpnKey" text)
  loop
    if v_facility.slug is distinct from e.facility then
      select * into v_facility from dockline.facility where business_id = p_business and slug = e.facility;
    end if;
    if v_facility.id is null then
      v_events := v_events || 'null'::json;
      continue;
    end if;
    v_lock := hashtextextended('dockline.event:' || v_facility.id || ':' || e."eventKey", 0);
    if p_wait then
      perform pg_advisory_xact_lock(v_lock);
    elsif not pg_try_advisory_xact_lock(v_lock) then
      v_events := v_events || '"held"'::json;
      continue;
    end if;
    select * into v_event from dockline.pallet_event
    where business_id = p_business and facility_id = v_facility.id and event_key = e."eventKey";
    select * into v_dock from dockline.dock where facility_id = v_facility.id and slug = e.dock;
    v_match := null;
    v_way := null;
    v_pallet := null;
    if v_event.event_key is null then
      select id, way into v_match, v_way
      from dockline.pallet_match(p_business, v_facility.id, e.shipment, e."numberKey", e.lpn, v_dock.id);
    end if;
    if v_match is not null then
      if p_wait then
        perform from dockline.shipment where business_id = p_business and id = v_match for no key update;
      else
        perform from dockline.shipment where business_id = p_business and id = v_match for no key update skip locked;
        if not found or v_match = any (v_taken) then
          v_events := v_events || '"held"'::json;
          continue;
        end if;
      end if;
      -- A shipment keeps its id, its number and its facility.
      if v_way <> 'given' then
        select id, way into v_again, v_way
        from dockline.pallet_match(p_business, v_facility.id, e.shipment, e."numberKey", e.lpn, v_dock.id);
        if v_again is distinct from v_match then
          if not p_wait then
            v_events := v_events || '"held"'::json;
            continue;
          end if;
          raise exception 'the shipment of a pallet changed' using errcode = 'serialization_failure';
        end if;
      end if;
      v_taken := v_taken || v_match;
      select id into v_pallet from dockline.pallet
      where business_id = p_business and shipment_id = v_match and lpn_key = e."lpnKey";
    end if;
    v_events := v_events || json_build_object(
      'facility', json_build_object('slug', v_facility.slug, 'name', v_facility.name),
      'facilityId', v_facility.id,
      'dock', case when v_dock.id is not null then json_build_object('id', v_dock.id, 'slug', v_dock.slug) end,
      'recorded', case when v_event.event_key is not null then json_build_object('fingerprint', v_event.fingerprint,
        'answer', json_build_object('messageId', v_event.message_id, 'serviceShipmentId', v_event.shipment_id::text,
          'servicePalletId', v_event.pallet_id::text, 'orders', v_event.orders)) end,
      'way', v_way,
      'match', case when v_match is not null
        then dockline.pallet_shipment(p_business, v_match, e.lpn, v_pallet) end,
      'tracked', case when v_match is not null then dockline.pallet_tracked(p_business, v_match, v_pallet) end,
      'newPalletId', case when v_match is not null and v_pallet is null
        then nextval('dockline.pallet_id') else 0 end
    );
  end loop;
  return json_build_object(
    'begun', now()::text,
    'business', case when v_business.id is not null
      then json_build_object('slug', v_business.slug, 'name', v_business.name) end,
    'fieldMap', v_business.field_map,
    'events', array_to_json(v_events)
  );
end $$`
