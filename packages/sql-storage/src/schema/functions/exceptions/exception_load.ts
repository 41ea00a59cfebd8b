/** Locks a shipment, and returns what changes of its exceptions depend on; null if it does not exist. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.exception_load(
  p_business bigint, p_shipment bigint, p_pallet bigint, p_exception bigint
) returns json language plpgsql ${byIndex} as $$
declare
  v_number text;
begin
  select number into v_number from dockline.shipment where business_id = p_business and id = p_shipment for no key update;
  if not found then return null; end if;
  return json_build_object(
    'found', dockline.exceptions_of_shipment(p_business, p_shipment, p_exception - 1, 1),
    'number', v_number,
    'count', (select count(*) from dockline.shipment_exception where business_id = p_business and shipment_id = p_shipment),
    'lpn', (select p.lpn from dockline.pallet p
      where p.business_id = p_business and p.shipment_id = p_shipment and p.id = p_pallet));
end $$`
