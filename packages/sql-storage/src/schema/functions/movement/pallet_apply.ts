/**
 * Records events of different shipments, in the transaction that began at p_begun: another one would not hold their locks.
 * p_plans: the plans of core with the fields of the events, numbered by "at" from 0. p_drafts: their messages, as
 * message_append takes them. Returns the ids of the messages.
 */
import { ends } from "@dockline/core/internal/shipment/SeenPallet"
import { byIndex } from "../../Plans.ts"

const row =
  `"at" int, "facilityId" bigint, "eventKey" text, fingerprint text, "shipmentId" bigint, "palletId" bigint,
    "isNewPallet" boolean, lpn text, "lpnKey" text, "arrivedAt" timestamptz, direction text, "occurredAt" timestamptz,
    "dockId" bigint, orders json, labels json, "labelText" int,
    "isExpected" boolean, "rowCount" int, "textSize" int`

/** Whether a pallet, as its variables have it, has passed the dock of a shipment `s`: `hasPassed` of core. */
const hasPassed = (first: string, last: string): string =>
  `coalesce((${first} = ${last} and ${last} = case s.direction ${
    Object.entries(ends).map(([direction, end]) => `when '${direction}' then '${end}'`).join(" ")
  } else ${last} end)::int, 0)`

/** How many pallets more have passed after an event. */
const passed = `(${hasPassed("v_first", "v_last")} - ${hasPassed("v_was_first", "v_was_last")})`

/** Whether a pallet was seen last at another dock than that of the shipment. */
const isElsewhere = (dock: string): string =>
  `coalesce((${dock} <> case when p."arrivedAt" is null then s.dock_id else p."dockId" end)::int, 0)`

const missing = `s.missing_pallets - case when p."isExpected" then ${passed} else 0 end`

const unexpected = `s.unexpected_pallets + case when p."isExpected" then 0 else ${passed} end`

const wrongDock = `s.wrong_dock_pallets + ${isElsewhere("v_dock")} - ${isElsewhere("v_was_dock")}`

export default `create or replace function dockline.pallet_apply(
  p_business bigint, p_begun timestamptz, p_plans json, p_drafts json, p_now timestamptz
) returns json language plpgsql ${byIndex} as $$
declare
  p record;
  v_first text;
  v_last text;
  v_dock bigint;
  v_was_first text;
  v_was_last text;
  v_was_dock bigint;
  v_messages json;
begin
  if p_begun is distinct from now() then
    raise exception 'The transaction of the plans has ended' using errcode = 'serialization_failure';
  end if;
  for p in select * from json_to_recordset(p_plans) as r(${row}) loop
    if p."isNewPallet" then
      insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction, first_seen_at,
        last_direction, last_seen_at, last_dock_id, row_count, text_size)
      values (p_business, p."palletId", p."facilityId", p."shipmentId", p.lpn, p."lpnKey", p.direction, p."occurredAt", p.direction,
        p."occurredAt", p."dockId", 1 + p."rowCount", p."textSize");
      v_first := p.direction;
      v_last := p.direction;
      v_dock := p."dockId";
      v_was_first := null;
      v_was_last := null;
      v_was_dock := null;
    else
      -- Of events of one instant, those recorded first occurred first.
      update dockline.pallet t set
        first_direction = case when p."occurredAt" < t.first_seen_at then p.direction else t.first_direction end,
        first_seen_at = least(t.first_seen_at, p."occurredAt"),
        last_direction = case when p."occurredAt" >= t.last_seen_at then p.direction else t.last_direction end,
        last_dock_id = case when p."occurredAt" >= t.last_seen_at then p."dockId" else t.last_dock_id end,
        last_seen_at = greatest(t.last_seen_at, p."occurredAt"),
        row_count = t.row_count + p."rowCount",
        text_size = t.text_size + p."textSize"
      from dockline.pallet was
      where t.business_id = p_business and t.shipment_id = p."shipmentId" and t.id = p."palletId"
        and was.business_id = p_business and was.shipment_id = p."shipmentId" and was.id = p."palletId"
      returning t.first_direction, t.last_direction, t.last_dock_id, was.first_direction, was.last_direction, was.last_dock_id
      into v_first, v_last, v_dock, v_was_first, v_was_last, v_was_dock;
    end if;
    update dockline.shipment s set pallet_events = pallet_events + 1, label_text = label_text + p."labelText",
      status = case when p."arrivedAt" is null then status else 'ARRIVED' end,
      arrived_at = coalesce(p."arrivedAt", arrived_at),
      dock_id = case when p."arrivedAt" is null then dock_id else p."dockId" end,
      missing_pallets = ${missing}, unexpected_pallets = ${unexpected}, wrong_dock_pallets = ${wrongDock},
      discrepant = ${missing} + ${unexpected} + ${wrongDock} > 0
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
