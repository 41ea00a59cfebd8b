/** Exceptions with where they belong, as core's `LocatedException`. */
export default `create or replace view dockline.exception_body as
select e.business_id, e.shipment_id, e.id, json_build_object(
  'location', json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = e.business_id),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f where f.id = e.facility_id)),
  'shipmentId', e.shipment_id,
  'shipmentNumber', (select s.number from dockline.shipment s where s.business_id = e.business_id and s.id = e.shipment_id),
  'exception', json_build_object('id', e.id, 'palletId', e.pallet_id, 'lpn', e.lpn, 'kind', e.kind, 'priority', e.priority,
    'description', e.description, 'reportedAt', dockline.rfc3339(e.reported_at), 'reportedBy', e.reported_by,
    'resolution', case when e.resolved_at is not null then
      json_build_object('note', e.note, 'at', dockline.rfc3339(e.resolved_at), 'by', e.resolved_by) end)
) as body
from dockline.shipment_exception e`
