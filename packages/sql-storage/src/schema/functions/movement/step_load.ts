/** Locks and returns a shipment; null if it does not exist. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.step_load(p_business bigint, p_shipment bigint, p_dock text, p_pallets boolean) returns json
language plpgsql ${byIndex} as $$
declare
  v_facility bigint;
begin
  select facility_id into v_facility from dockline.shipment where business_id = p_business and id = p_shipment for no key update;
  if not found then return null; end if;
  return json_build_object(
    'found', dockline.located_shipment(p_business, p_shipment),
    'facilityId', v_facility,
    'fieldMap', (select field_map from dockline.business where id = p_business),
    'dock', (select json_build_object('id', id, 'slug', slug) from dockline.dock
      where facility_id = v_facility and slug = p_dock),
    'elsewhere', case when p_pallets then dockline.expected_elsewhere(p_business, p_shipment) else '[]' end,
    'pallets', (
      select coalesce(json_agg(json_build_object('palletId', e.pallet_id, 'messageId', e.message_id, 'direction', e.direction,
        'occurredAt', dockline.rfc3339(e.occurred_at), 'dock', json_build_object('id', d.id, 'slug', d.slug),
        'orders', e.orders, 'labels', e.labels) order by e.message_id), '[]')
      from dockline.pallet_event e join dockline.dock d on d.id = e.dock_id
      where p_pallets and e.business_id = p_business and e.shipment_id = p_shipment)
  );
end $$`
