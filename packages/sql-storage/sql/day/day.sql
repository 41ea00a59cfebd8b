-- The shipments of a facility's days (D13.13).

-- The shipments of some days, except cancelled ones, as core's `DayShipment`, found by the index of times: from p_from until before p_to,
-- any p_limit of them. p_scopes: see facilities_within.
create or replace function dockline.day_shipments(p_scopes json, p_from timestamptz, p_to timestamptz, p_limit int)
returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_object('id', s.id, 'shipmentNumber', s.number, 'status', s.status,
    'direction', s.direction,
      'expectedArrivalAt', dockline.rfc3339(s.expected_arrival_at), 'scheduledAt', dockline.rfc3339(s.scheduled_at),
      'arrivedAt', coalesce(dockline.rfc3339(s.arrived_at), ''),
      'departedAt', coalesce(dockline.rfc3339(s.departed_at), ''), 'carrier', s.carrier,
      'dockSlug', coalesce((select d.slug from dockline.dock d where d.id = s.dock_id), ''),
      'suppliers', (select coalesce(json_agg(distinct o.supplier), '[]') from dockline.customer_order o
        where o.business_id = s.business_id and o.shipment_id = s.id and o.supplier <> ''),
      'missingPallets', s.missing_pallets, 'unexpectedPallets', s.unexpected_pallets,
      'palletsIn', p.unloaded, 'palletsOut', p.loaded)), '[]')
    from (
      select t.* from unnest(dockline.facilities_within(p_scopes)) as facility
      cross join (values ('SCHEDULED', false), ('SCHEDULED', true), ('ARRIVED', false), ('ARRIVED', true),
        ('DEPARTED', false), ('DEPARTED', true)) as k(status, discrepant)
      cross join lateral (
        select t.* from dockline.shipment t
        where t.status = k.status and t.discrepant = k.discrepant and t.facility_id = facility
          and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) >= p_from
            and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) < p_to
        order by t.status, t.discrepant, t.facility_id,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) limit p_limit) as t
      limit p_limit) as s
    cross join lateral (
      select count(*) filter (where p.last_direction = 'UNLOADING') as unloaded,
        count(*) filter (where p.last_direction = 'LOADING') as loaded
      from dockline.pallet p
      where p.business_id = s.business_id and p.shipment_id = s.id and p.first_direction = p.last_direction) as p);
end $$;
