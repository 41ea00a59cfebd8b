/** A function for its settings: planned for an empty table, the statement alone would go along another index. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.arrive_apply(p_business bigint, p_shipment bigint, p_arrived_at timestamptz, p_dock bigint) returns void
language plpgsql ${byIndex} as $$
begin
  update dockline.shipment set status = 'ARRIVED', arrived_at = p_arrived_at, dock_id = p_dock
  where business_id = p_business and id = p_shipment;
end $$`
