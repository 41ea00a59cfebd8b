export default `create or replace view dockline.webhook_delivery_body as
select d.business_id, d.endpoint_id, d.message_id, d.status, json_build_object(
  'messageId', d.message_id, 'messageType', d.type, 'shipmentId', d.shipment_id, 'status', d.status, 'tries', d.tries,
  'failedSince', dockline.rfc3339(d.failed_since), 'nextAttemptAt', dockline.rfc3339(d.next_attempt_at),
  'attempts', d.attempts
) as body
from dockline.webhook_delivery d`
