/** p_plan: the plan of core with the fields of the event; trace is optional. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.pallet_apply(p_business bigint, p_plan json, p_now timestamptz) returns bigint language plpgsql ${byIndex} as $$
declare
  p record;
  v_message bigint;
begin
  select * into p from json_to_record(p_plan) as r(
    "facilityId" bigint, "eventKey" text, fingerprint text, "shipmentId" bigint, "palletId" bigint,
    "isNewPallet" boolean, lpn text, "lpnKey" text, "arrivedAt" timestamptz, direction text, "occurredAt" timestamptz,
    "dockId" bigint, orders json, labels json, "labelText" int, type text, payload text, trace text);
  if p."isNewPallet" then
    insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction, first_seen_at,
      last_direction, last_seen_at, last_dock_id)
    values (p_business, p."palletId", p."facilityId", p."shipmentId", p.lpn, p."lpnKey", p.direction, p."occurredAt", p.direction,
      p."occurredAt", p."dockId");
  else
    -- Of events of one instant, those recorded first occurred first.
    update dockline.pallet set
      first_direction = case when p."occurredAt" < first_seen_at then p.direction else first_direction end,
      first_seen_at = least(first_seen_at, p."occurredAt"),
      last_direction = case when p."occurredAt" >= last_seen_at then p.direction else last_direction end,
      last_dock_id = case when p."occurredAt" >= last_seen_at then p."dockId" else last_dock_id end,
      last_seen_at = greatest(last_seen_at, p."occurredAt")
    where business_id = p_business and shipment_id = p."shipmentId" and id = p."palletId";
  end if;
  update dockline.shipment set pallet_events = pallet_events + 1, label_text = label_text + p."labelText",
    status = case when p."arrivedAt" is null then status else 'ARRIVED' end,
    arrived_at = coalesce(p."arrivedAt", arrived_at),
    dock_id = case when p."arrivedAt" is null then dock_id else p."dockId" end
  where business_id = p_business and id = p."shipmentId";
  v_message := dockline.message_append(p_business,
    json_build_array(json_build_array(p."facilityId", p.type, p."shipmentId", p.payload, p.trace)), p_now)->0->>0;
  insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
    direction, occurred_at, dock_id, orders, labels)
  values (p_business, p."facilityId", p."eventKey", p.fingerprint, p."shipmentId", p."palletId", v_message, p.direction,
    p."occurredAt", p."dockId", p.orders, p.labels);
  return v_message;
end $$`
