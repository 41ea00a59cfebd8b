/** The business of a shipment, null if the shipment does not exist: requests name a shipment by its id only. */
export default `create or replace function dockline.shipment_business(p_shipment bigint) returns bigint
language plpgsql stable as $$
begin
  return (select s.business_id from dockline.shipment s where s.id = p_shipment);
end $$`
