export default `create or replace view dockline.webhook_endpoint_body as
select e.id, e.business_id, json_build_object(
  'id', e.id, 'business', b.slug, 'facility', f.slug, 'baseUrl', e.base_url, 'messageTypes', e.message_types,
  'authentication', e.authentication, 'signingSecrets', e.signing_secrets, 'enabled', e.enabled,
  'disabledReason', e.disabled_reason, 'version', e.version, 'createdAt', dockline.rfc3339(e.created_at),
  'cursorId', e.cursor_id, 'failingSince', dockline.rfc3339(e.failing_since), 'login', e.login,
  'expiredUpTo', e.expired_up_to
) as body
from dockline.webhook_endpoint e
join dockline.business b on b.id = e.business_id
left join dockline.facility f on f.id = e.facility_id`
