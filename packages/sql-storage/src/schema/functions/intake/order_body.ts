/** Orders as `Rows.ts` reads them: arrays, so that no key is written, sent and parsed once per item. */
import { itemColumns, orderColumns, shown } from "../../Columns.ts"

/** What a body shows of a row of `customer_order` itself. */
export const head = (order: string): string =>
  `json_build_array(${order}.id::text, ${order}.number, ${order}.status, ${order}.direction, ${order}.shipment_id,
    dockline.rfc3339(${order}.created_at), json_build_array(${shown(orderColumns, order)}))`

export default `create or replace view dockline.order_body as
select o.business_id, o.id, o.facility_id, o.shipment_id, o.number_key, json_build_array(
  ${head("o")},
  (select coalesce(json_agg(json_build_array(i.id::text, ${shown(itemColumns, "i")}) order by i.id), '[]')
    from dockline.order_item i where i.business_id = o.business_id and i.order_id = o.id)
) as body
from dockline.customer_order o`
