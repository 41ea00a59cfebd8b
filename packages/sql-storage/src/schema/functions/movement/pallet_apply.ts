/**
 * Records events of different shipments, in the transaction that began at p_begun: another one would not hold their locks.
 * p_plans: the plans of core with the fields of the events, numbered by "at" from 0. p_drafts: their messages, as
 * message_append takes them. Returns the ids of the messages.
 */
import { byIndex } from "../../Plans.ts"

const row =
  `"at" int, "facilityId" bigint, "eventKey" text, fingerprint text, "shipmentId" bigint, "palletId" bigint,
    "isNewPallet" boolean, lpn text, "lpnKey" text, "arrivedAt" timestamptz, direction text, "occurredAt" timestamptz,
    "dockId" bigint, orders json, labels json, "labelText" int,
    "rowCount" int, "textSize" int, first text, "firstSeenAt" timestamptz, last text, "lastSeenAt" timestamptz,
    "lastDockId" bigint, "missingPallets" int, "unexpectedPallets" int, "wrongDockPallets" int, discrepant boolean`

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
        last_direction, last_seen_at, last_dock_id, row_count, text_size)
      values (p_business, p."palletId", p."facilityId", p."shipmentId", p.lpn, p."lpnKey", p.first, p."firstSeenAt", p.last,
        p."lastSeenAt", p."lastDockId", 1 + p."rowCount", p."textSize");
    else
      update dockline.pallet set
        first_direction = p.first, first_seen_at = p."firstSeenAt", last_direction = p.last,
        last_seen_at = p."lastSeenAt", last_dock_id = p."lastDockId",
        row_count = row_count + p."rowCount", text_size = text_size + p."textSize"
      where business_id = p_business and shipment_id = p."shipmentId" and id = p."palletId";
    end if;
    update dockline.shipment s set pallet_events = pallet_events + 1, label_text = label_text + p."labelText",
      status = case when p."arrivedAt" is null then status else 'ARRIVED' end,
      arrived_at = coalesce(p."arrivedAt", arrived_at),
      dock_id = case when p."arrivedAt" is null then dock_id else p."dockId" end,
      missing_pallets = p."missingPallets", unexpected_pallets = p."unexpectedPallets",
      wrong_dock_pallets = p."wrongDockPallets", discrepant = p.discrepant
    where s.business_id = p_business and s.id = p."shipmentId";
  end loop;
  v_messages := dockline.message_append(p_business, p_drafts, p_now);
  insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
    direction, occurred_at, dock_id, orders, labels)
  select p_business, r."facilityId", r."eventKey", r.fingerprint, r."shipmentId", r."palletId", (v_messages->r."at"->>0)::bigint,
    r.direction, r."occurredAt", r."dockId", r.orders, r.labels
  from json_to_recordset(p_plans) as r(${row});
  return (select json_agg(m->0) from json_array_elements(v_messages) as m);
end $$`
