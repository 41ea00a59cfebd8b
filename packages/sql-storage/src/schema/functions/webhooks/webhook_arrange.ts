/**
 * Gives the earliest pending delivery of each shipment a time, if it has none, and takes it from the others. p_touched:
 * [[endpoint id, shipment id]]. p_demote: whether another delivery can have a time.
 */
import { byIndex } from "../../Plans.ts"

/**
 * The earliest pending delivery of each shipment. The business is a column: with a constant the planner would read all
 * deliveries of the business.
 */
const firstPending = `(
        select t.business, t.endpoint, t.shipment, (select p.message_id from dockline.webhook_delivery p
          where p.business_id = t.business and p.shipment_id = t.shipment and p.endpoint_id + 0 = t.endpoint and p.status = 'PENDING'
          order by p.message_id limit 1) as first
        from (select p_business as business, (pair->>0)::bigint as endpoint, (pair->>1)::bigint as shipment
          from json_array_elements(p_touched) as pair offset 0) as t
        offset 0
      )`

export default `create or replace function dockline.webhook_arrange(p_business bigint, p_touched json, p_demote boolean, p_now timestamptz) returns void
language plpgsql ${byIndex} as $$
begin
  if p_demote then
    update dockline.webhook_delivery d set next_attempt_at = null from ${firstPending} as l
    where d.business_id = l.business and d.shipment_id = l.shipment and d.endpoint_id + 0 = l.endpoint and d.next_attempt_at is not null
      and d.message_id > l.first;
  end if;
  update dockline.webhook_delivery d set next_attempt_at = p_now from ${firstPending} as l
  where d.business_id = l.business and d.endpoint_id = l.endpoint and d.message_id = l.first and d.next_attempt_at is null;
end $$`
