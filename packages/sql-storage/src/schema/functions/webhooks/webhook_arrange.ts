/**
 * Gives the earliest pending delivery of each shipment a time, if it has none, and takes it from the others. p_touched:
 * [[endpoint id, shipment id]]. p_demote: whether another delivery can have a time.
 */
import { inOrder } from "../../Plans.ts"

/*
 * Rows are found one by one, and then changed where they lie, which the lock of their endpoint keeps from changing: joined to the
 * table, a plan that was made while it was empty would read all of it, and so it would where an index begins with the business.
 * The order leaves the index that has it: while the table is small, others cost as little.
 */

/** The earliest pending delivery of each shipment. */
const firstPending = `(
        select t.business, t.endpoint, t.shipment, (select p.message_id from dockline.webhook_delivery p
          where p.business_id + 0 = t.business and p.shipment_id = t.shipment and p.endpoint_id + 0 = t.endpoint and p.status = 'PENDING'
          order by p.message_id limit 1) as first
        from (select p_business as business, (pair->>0)::bigint as endpoint, (pair->>1)::bigint as shipment
          from json_array_elements(p_touched) as pair offset 0) as t
        offset 0
      )`

export default `create or replace function dockline.webhook_arrange(p_business bigint, p_touched json, p_demote boolean, p_now timestamptz) returns void
language plpgsql ${inOrder} as $$
begin
  if p_demote then
    update dockline.webhook_delivery d set next_attempt_at = null
    where d.business_id + 0 = p_business and d.ctid = any (array(select o.ctid from ${firstPending} as l, lateral (select p.ctid from dockline.webhook_delivery p
      where p.business_id + 0 = l.business and (p.shipment_id, p.endpoint_id + 0) >= (l.shipment, l.endpoint)
        and (p.shipment_id, p.endpoint_id + 0) <= (l.shipment, l.endpoint)
        and p.next_attempt_at is not null and p.message_id > l.first
      order by p.shipment_id, p.endpoint_id + 0 offset 0) as o));
  end if;
  update dockline.webhook_delivery d set next_attempt_at = p_now
  where d.business_id + 0 = p_business and d.ctid = any (array(select (select p.ctid from dockline.webhook_delivery p
    where p.business_id = l.business and p.endpoint_id = l.endpoint and p.message_id = l.first and p.next_attempt_at is null)
    from ${firstPending} as l));
end $$`
