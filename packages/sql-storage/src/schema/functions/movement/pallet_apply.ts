/**
 * Records events of different shipments, in the transaction that began at p_begun: another one would not hold their locks.
 * p_plans: the plans of core with the fields of the events, numbered by "at" from 0. p_drafts: their messages, as
 * message_append takes them. Returns the ids of the messages.
 */
import { byIndex } from "../../Plans.ts"

const row =
  `"at" int, "facilityId" bigint, "eventKey" text, fingerprint text, "shipmentId" bigint, "palletId" bigint,
    "isNewPallet" boolean, lpn text, "lpnKey" text, "arrivedAt" timestamptz, direction text, "occurredAt" timestamptz,
    "dockId" bigint, orders json, labels json, "labelText" int`

export default `create or replace function dockline.pallet_apply(
  p_business bigint, p_begun timestamptz, p_plans json, p_drafts json, p_now timestamptz
) returns json language plpgsql ${byIndex} as $$
declare
  p record;
  v_messages json;
begin
  if p_begun is distinct from now() then
    raise exception 'The transaction of the plans has ended' using errcode = 'serialization_failure';
  end if;
  for p in select * from json_to_recordset(p_plans) as r(${row}) loop
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
  end loop;
  v_messages := dockline.message_append(p_business, p_drafts, p_now);
  insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
    direction, occurred_at, dock_id, orders, labels)
  select p_business, r."facilityId", r."eventKey", r.fingerprint, r."shipmentId", r."palletId", (v_messages->r."at"->>0)::bigint,
    r.direction, r."occurredAt", r."dockId", r.orders, r.labels
  from json_to_recordset(p_plans) as r(${row});
  return (select json_agg(m->0) from json_array_elements(v_messages) as m);
end $$`
