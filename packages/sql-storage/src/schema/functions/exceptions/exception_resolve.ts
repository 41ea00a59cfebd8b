/** A function for its settings: see arrive_apply. */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.exception_resolve(
  p_business bigint, p_shipment bigint, p_exception bigint, p_note text, p_at timestamptz, p_by text
) returns void language plpgsql ${byIndex} as $$
begin
  update dockline.shipment_exception set note = p_note, resolved_at = p_at, resolved_by = p_by
  where business_id = p_business and shipment_id = p_shipment and id = p_exception;
end $$`
