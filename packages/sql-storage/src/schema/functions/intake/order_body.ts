/** Orders as `Rows.ts` reads them: arrays, so that no key is written, sent and parsed once per item. */
import { itemColumns, orderColumns, shown } from "../../Columns.ts"

export default `create or replace view dockline.order_body as
select o.business_id, o.id, o.facility_id, o.shipment_id, o.number_key, json_build_array(
  o.id::text, o.number, o.status, o.direction, o.shipment_id, dockline.rfc3339(o.created_at),
  json_build_array(${shown(orderColumns, "o")}),
  (select coalesce(json_agg(json_build_array(i.id::text, ${shown(itemColumns, "i")}) order by i.id), '[]')
    from dockline.order_item i where i.business_id = o.business_id and i.order_id = o.id)
) as body
from dockline.customer_order o`
