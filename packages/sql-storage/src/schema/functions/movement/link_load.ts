/** Locks two shipments and returns both, each null if it does not exist. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.link_load(p_business bigint, p_shipment bigint, p_linked bigint) returns json language plpgsql ${byIndex} as $$
begin
  perform from dockline.shipment where business_id = p_business and id in (p_shipment, p_linked) order by id for no key update;
  return json_build_array(dockline.located_shipment(p_business, p_shipment), dockline.located_shipment(p_business, p_linked));
end $$`
