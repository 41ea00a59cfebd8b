/** The business of an endpoint, null if the endpoint does not exist: operators name an endpoint by its id only. */
export default `create or replace function dockline.webhook_business(p_endpoint bigint) returns bigint
language plpgsql stable as $$
begin
  return (select e.business_id from dockline.webhook_endpoint e where e.id = p_endpoint);
end $$`
