/** The shipment of a pallet event, and how it was found (D6.2). Values that the event does not have are null. */
export default `create or replace function dockline.pallet_match(
  p_business bigint, p_facility bigint, p_shipment bigint, p_number_key text, p_lpn text, p_dock bigint,
  out id bigint, out way text
) language plpgsql stable as $$
begin
  way := 'given';
  if p_shipment is not null then
    select s.id into id from dockline.shipment s where s.business_id = p_business and s.id = p_shipment and s.facility_id = p_facility;
  elsif p_number_key is not null then
    select s.id into id from dockline.shipment s
    where s.business_id = p_business and s.facility_id = p_facility and s.number_key = p_number_key;
  else
    if p_lpn is not null then
      way := 'byLpn';
      id := dockline.shipment_by_lpn(p_business, p_facility, p_lpn);
    end if;
    if id is null then
      way := 'atDock';
      select s.id into id from dockline.shipment s where s.business_id = p_business and s.dock_id = p_dock and s.status = 'ARRIVED'
      order by s.arrived_at desc, s.id desc limit 1;
    end if;
  end if;
end $$`
