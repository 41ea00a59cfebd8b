/** What a pallet event changes of its shipment and its pallet: the counts of discrepancies, and where the pallet was seen. */
export default `create or replace function dockline.pallet_tracked(p_business bigint, p_shipment bigint, p_pallet bigint) returns json
language plpgsql stable as $$
begin
  return (select json_build_object('direction', s.direction, 'dockId', s.dock_id, 'missingPallets', s.missing_pallets,
    'unexpectedPallets', s.unexpected_pallets, 'wrongDockPallets', s.wrong_dock_pallets,
    'sighted', case when p_pallet is not null then (
      select json_build_object('first', p.first_direction, 'firstSeenAt', dockline.rfc3339(p.first_seen_at),
        'last', p.last_direction, 'lastSeenAt', dockline.rfc3339(p.last_seen_at), 'dockId', p.last_dock_id)
      from dockline.pallet p
      where p.business_id = p_business and p.shipment_id = p_shipment and p.id = p_pallet) end)
  from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
end $$`
