/**
 * Documents that share a number at a facility run one after another. A document of few orders locks its numbers and shares
 * the facility's lock; a document of many takes the facility's lock alone, so that the number of locks is bounded. Numbers
 * and then rows are locked in one order, so documents do not deadlock.
 */
import { remappable } from "../../Remappable.ts"

export default `create or replace function dockline.intake_lock(
  p_business bigint, p_facility bigint, p_shipment_key text, p_order_keys text[], p_direction text
) returns void language plpgsql as $$
declare
  v_shipments bigint[];
begin
  if cardinality(p_order_keys) > 32 then
    perform pg_advisory_xact_lock(hashtextextended('dockline.facility:' || p_facility, 0));
  else
    perform pg_advisory_xact_lock_shared(hashtextextended('dockline.facility:' || p_facility, 0));
    perform pg_advisory_xact_lock(number.lock) from (
      select distinct hashtextextended('dockline.number:' || p_facility || ':' || key, 0) as lock
      from unnest(p_order_keys || p_shipment_key) as key
      order by lock
    ) as number;
  end if;
  v_shipments := array(select t.id from dockline.shipment t
      where t.business_id = p_business and t.facility_id = p_facility and t.number_key = p_shipment_key)
    || array(select o.shipment_id from dockline.customer_order o where ${remappable("p_facility")});
  perform from dockline.shipment s where s.business_id = p_business and s.id = any (v_shipments)
  order by s.id for no key update;
end $$`
