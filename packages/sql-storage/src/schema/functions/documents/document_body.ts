/** A recorded document, as DocumentRows.ts reads it. */
export default `create or replace view dockline.document_body as
select d.business_id, d.facility_id, d.outcome, d.id, json_build_array(
  json_build_object('slug', b.slug, 'name', b.name), json_build_object('slug', f.slug, 'name', f.name),
  d.id, dockline.rfc3339(d.received_at), d.outcome, d.correlation_id, d.shipment_id, d.new_orders::text[], d.new_items::text[],
  d.content) as body
from dockline.document_record d join dockline.business b on b.id = d.business_id join dockline.facility f on f.id = d.facility_id`
