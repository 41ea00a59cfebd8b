/**
 * p_plan has the fields of rows under core's names: shipment (absent if unchanged), shipmentId (absent for a new one),
 * newOrders and changedOrders, removedItems (ids), changedItems, newItems and, in the same order, newItemPlaces: the key of
 * each item with its orderId or newOrder, the position in newOrders from 1. Returns new ids in the order of the plan: rows
 * get identity values in the order of the array. The items of a departed shipment do not change.
 */
import { changes, itemColumns, names, orderColumns, shipmentColumns, typed, values } from "../../Columns.ts"
import { byIndex } from "../../Plans.ts"

const shipment = `number text, "numberKey" text, status text, direction text, "expectedArrivalAt" timestamptz,
      "scheduledAt" timestamptz, "dockId" bigint, "additionalFields" jsonb, ${typed(shipmentColumns)}`

export default `create or replace function dockline.intake_apply(
  p_business bigint, p_facility bigint, p_now timestamptz, p_plan jsonb
) returns json language plpgsql ${byIndex} as $$
declare
  v_shipment bigint := p_plan->'shipmentId';
  v_orders bigint[] := '{}';
  v_changed bigint[];
  v_items bigint[] := '{}';
begin
  if p_plan ? 'shipment' and v_shipment is null then
    insert into dockline.shipment (business_id, facility_id, number, number_key, status, direction, expected_arrival_at,
      scheduled_at, dock_id, additional_fields, ${names(shipmentColumns)}, created_at)
    select p_business, p_facility, r.number, r."numberKey", r.status, r.direction, r."expectedArrivalAt", r."scheduledAt",
      r."dockId", r."additionalFields", ${values(shipmentColumns, "r")}, p_now
    from jsonb_to_record(p_plan->'shipment') as r(${shipment})
    returning id into v_shipment;
  elsif p_plan ? 'shipment' then
    update dockline.shipment s set expected_arrival_at = r."expectedArrivalAt", dock_id = r."dockId",
      additional_fields = r."additionalFields", ${changes(shipmentColumns, "r")}
    from jsonb_to_record(p_plan->'shipment') as r(${shipment})
    where s.business_id = p_business and s.id = v_shipment;
  end if;
  if p_plan ? 'newOrders' then
    with inserted as (
      insert into dockline.customer_order (business_id, facility_id, shipment_id, number, number_key, status, direction,
        ${names(orderColumns)}, created_at)
      select p_business, p_facility, v_shipment, r.number, r."numberKey", r.status, r.direction,
        ${values(orderColumns, "r")}, p_now
      from jsonb_to_recordset(p_plan->'newOrders') as r(
        number text, "numberKey" text, status text, direction text, ${typed(orderColumns)})
      returning id
    )
    select array_agg(id order by id) into v_orders from inserted;
  end if;
  if p_plan ? 'changedOrders' then
    with changed as (
      update dockline.customer_order o set shipment_id = v_shipment, ${changes(orderColumns, "r")}
      from jsonb_to_recordset(p_plan->'changedOrders') as r(id bigint, ${typed(orderColumns)})
      where o.business_id = p_business and o.id = r.id
      returning o.id
    )
    select array_agg(id) into v_changed from changed;
    update dockline.order_item set lpn_shipment_id = v_shipment
    where business_id = p_business and order_id = any (v_changed) and lpn_shipment_id <> v_shipment;
  end if;
  if p_plan ? 'removedItems' then
    delete from dockline.order_item
    where business_id = p_business and id in (select value::bigint from jsonb_array_elements_text(p_plan->'removedItems'));
  end if;
  if p_plan ? 'changedItems' then
    update dockline.order_item i set ${changes(itemColumns, "r")}
    from jsonb_to_recordset(p_plan->'changedItems') as r(id bigint, ${typed(itemColumns)})
    where i.business_id = p_business and i.id = r.id;
  end if;
  if p_plan ? 'newItems' then
    with inserted as (
      insert into dockline.order_item (business_id, order_id, item_key, ${
  names(itemColumns)
}, facility_id, lpn_shipment_id)
      select p_business, coalesce(r."orderId", v_orders[r."newOrder"]), r."itemKey", ${
  values(itemColumns, "r")
}, p_facility,
        v_shipment
      from rows from (
        jsonb_to_recordset(p_plan->'newItems') as (${typed(itemColumns)}),
        jsonb_to_recordset(p_plan->'newItemPlaces') as ("orderId" bigint, "newOrder" int, "itemKey" text)
      ) as r
      returning id
    )
    select array_agg(id order by id) into v_items from inserted;
  end if;
  return json_build_array(v_shipment, v_orders::text[], v_items::text[]);
end $$`
