/** Shipments as `Rows.ts` reads them. */
import { shipmentColumns, shown } from "../../Columns.ts"

export default `create or replace view dockline.shipment_body as
select s.business_id, s.id, s.facility_id, s.number_key, json_build_array(
  s.id, s.number, s.status, s.direction,
  dockline.rfc3339(s.expected_arrival_at), dockline.rfc3339(s.scheduled_at),
  dockline.rfc3339(s.arrived_at), dockline.rfc3339(s.departed_at),
  (select json_build_object('id', d.id, 'slug', d.slug) from dockline.dock d where d.id = s.dock_id),
  s.additional_fields,
  (select coalesce(json_agg(l.linked_shipment_id order by l.linked_shipment_id), '[]')
    from dockline.shipment_link l where l.business_id = s.business_id and l.shipment_id = s.id),
  json_build_array(${shown(shipmentColumns, "s")}),
  (select coalesce(json_agg(json_build_array(p.id, p.lpn, p.first_direction, p.last_direction, p.last_dock_id) order by p.id), '[]')
    from dockline.pallet p where p.business_id = s.business_id and p.shipment_id = s.id)
) as body
from dockline.shipment s`
