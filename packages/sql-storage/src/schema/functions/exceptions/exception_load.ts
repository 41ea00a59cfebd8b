/**
 * Locks a shipment, and returns what changes of its exceptions depend on; null if it does not exist. The pallet is that of an id,
 * else that of an lpn.
 */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.exception_load(
  p_business bigint, p_shipment bigint, p_pallet bigint, p_lpn_key text, p_exception bigint
) returns json language plpgsql ${byIndex} as $$
declare
  v_number text;
  v_facility bigint;
begin
  select number, facility_id into v_number, v_facility from dockline.shipment
  where business_id = p_business and id = p_shipment for no key update;
  if not found then return null; end if;
  return json_build_object(
    'found', dockline.exceptions_of_shipment(p_business, p_shipment, p_exception - 1, 1),
    'number', v_number,
    'facilityId', v_facility,
    'count', (select count(*) from dockline.shipment_exception where business_id = p_business and shipment_id = p_shipment),
    'pallet', case when p_pallet is not null then (select json_build_object('id', p.id, 'lpn', p.lpn) from dockline.pallet p
        where p.business_id = p_business and p.shipment_id = p_shipment and p.id = p_pallet)
      else (select json_build_object('id', p.id, 'lpn', p.lpn) from dockline.pallet p
        where p.business_id = p_business and p.lpn_key = p_lpn_key and p.shipment_id = p_shipment) end);
end $$`
