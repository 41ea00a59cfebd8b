/**
 * Writes a change of the endpoint of p_version; returns false if the endpoint has changed since. If the change enables it,
 * deliveries begin anew, and its lease ends.
 */
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.webhook_update(
  p_business bigint, p_id bigint, p_version int, p_was_enabled boolean, p_change json, p_now timestamptz
) returns boolean language plpgsql ${byIndex} as $$
declare
  v_enabled boolean := p_change->>'enabled';
  v_anew boolean := v_enabled and not p_was_enabled;
begin
  update dockline.webhook_endpoint e set version = e.version + 1, base_url = p_change->>'baseUrl',
    message_types = array(select json_array_elements_text(p_change->'messageTypes')),
    authentication = (p_change->'authentication')::jsonb, signing_secrets = (p_change->'signingSecrets')::jsonb,
    enabled = v_enabled, disabled_reason = p_change->>'disabledReason',
    failing_since = case when not v_anew then e.failing_since end, login = null,
    epoch = e.epoch + v_anew::int
  where e.business_id = p_business and e.id = p_id and e.version = p_version and e.enabled = p_was_enabled;
  if not found then return false; end if;
  if v_anew then
    update dockline.webhook_delivery d set tries = 0, failed_since = null,
      next_attempt_at = case when d.next_attempt_at is not null then p_now end
    where d.business_id = p_business and d.endpoint_id = p_id and d.status = 'PENDING'
      and (d.tries > 0 or d.failed_since is not null or d.next_attempt_at is not null);
  end if;
  return true;
end $$`
