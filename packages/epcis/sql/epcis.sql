-- The facts that EPCIS events need beyond those in messages, the settings of businesses, and the publishing of events (D24).

-- The facts about messages, in one statement. p_pallets: [{shipmentId, palletId, upTo: message id}], p_departures: [{shipmentId, messageId}].
-- Rows that do not exist are left out. A departure has the pallets that remained then: those whose first and last directions are the same
-- (core's `remains`).
create or replace function dockline.epcis_facts(
  p_business bigint, p_pallets json, p_docks bigint[], p_facilities text[], p_departures json
) returns json
language sql stable as $$
  select json_build_object(
    'pallets', (select coalesce(json_agg(json_build_object('id', p.id, 'shipmentId', p.shipment_id, 'lpn', p.lpn,
        'records', (select coalesce(json_agg(json_build_object('messageId', e.message_id, 'direction', e.direction,
            'occurredAt', dockline.rfc3339(e.occurred_at), 'dock', d.slug, 'orders', e.orders) order by e.message_id),
              '[]')
          from dockline.pallet_event e join dockline.dock d on d.id = e.dock_id
          where e.business_id = p_business and e.shipment_id = p.shipment_id and e.pallet_id = p.id
            and e.message_id <= a."upTo"))), '[]')
      from json_to_recordset(p_pallets) as a("shipmentId" bigint, "palletId" bigint, "upTo" bigint)
      cross join lateral (select p.* from dockline.pallet p
        where p.business_id = p_business and p.shipment_id = a."shipmentId" and p.id = a."palletId" offset 0) as p),
    'docks', (select coalesce(json_agg(json_build_object('id', d.id, 'slug', d.slug)), '[]')
      from unnest(p_docks) as a(id)
      cross join lateral (select d.* from dockline.dock d where d.id = a.id offset 0) as d
      join dockline.facility f on f.id = d.facility_id and f.business_id = p_business),
    'timeZones', (select coalesce(json_agg(json_build_object('slug', f.slug, 'timeZone', f.time_zone)), '[]')
      from dockline.facility f where f.business_id = p_business and f.slug = any(p_facilities)),
    'departures', (select coalesce(json_agg(json_build_object('messageId', a."messageId",
        'departedAt', dockline.rfc3339(s.departed_at), 'trailerNumber', s.trailer_number,
        'pallets', (select coalesce(json_agg(json_build_object('id', p.id, 'shipmentId', p.shipment_id, 'lpn', p.lpn,
            'direction', seen.last) order by p.id), '[]')
          from (select e.pallet_id,
              (array_agg(e.direction order by e.occurred_at, e.message_id))[1] as first,
              (array_agg(e.direction order by e.occurred_at desc, e.message_id desc))[1] as last
            from dockline.pallet_event e where e.business_id = p_business and e.shipment_id = s.id
              and e.message_id <= a."messageId" group by e.pallet_id) as seen
          cross join lateral (select p.* from dockline.pallet p
            where p.business_id = p_business and p.shipment_id = s.id and p.id = seen.pallet_id offset 0) as p
          where seen.first = seen.last))), '[]')
      from json_to_recordset(p_departures) as a("shipmentId" bigint, "messageId" bigint)
      cross join lateral (select s.* from dockline.shipment s
        where s.business_id = p_business and s.id = a."shipmentId" offset 0) as s
      where s.departed_at is not null))
$$;

-- The settings of a business; null if it has none.
create or replace function dockline.epcis_settings(p_business bigint) returns json
language sql stable as $$
  select json_build_object('companyPrefixes', s.company_prefixes, 'publishes', s.publishes)
  from dockline.epcis_setting s where s.business_id = p_business
$$;

-- Locks the settings of a business, creating them with defaults if it has none, and returns them; null if there is no such business.
create or replace function dockline.epcis_settings_lock(p_business bigint) returns json
language plpgsql as $$
begin
  perform from dockline.business where id = p_business;
  if not found then return null; end if;
  insert into dockline.epcis_setting (business_id) values (p_business) on conflict do nothing;
  perform from dockline.epcis_setting where business_id = p_business for no key update;
  return dockline.epcis_settings(p_business);
end $$;

-- Replaces settings (after epcis_settings_lock). If publishing is turned on, it begins at the end of the log.
create or replace function dockline.epcis_settings_put(p_business bigint, p_prefixes text[], p_publishes boolean)
returns void
language sql as $$
  update dockline.epcis_setting s set company_prefixes = p_prefixes, publishes = p_publishes,
    cursor_id = case when s.publishes then s.cursor_id else coalesce(
      (select l.last_id from dockline.message_log l where l.business_id = p_business), 0) end
  where s.business_id = p_business
$$;

-- Businesses that publish and have messages of p_types after their cursors: the first p_limit after the business p_after, by id.
create or replace function dockline.epcis_behind(p_after bigint, p_types text[], p_limit int) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_object('business', b.slug, 'businessId', t.business_id::text,
      'cursorId', t.cursor_id) order by t.business_id), '[]')
    from (select s.business_id, s.cursor_id from dockline.epcis_setting s
      join dockline.message_log l on l.business_id = s.business_id
      where s.business_id > p_after and s.publishes and l.last_id > s.cursor_id
        and exists (select from unnest(p_types) as k(type) cross join lateral (
          select m.id from dockline.message m where m.business_id = s.business_id and m.type = k.type
            and m.id > s.cursor_id order by m.type, m.id limit 1) as m)
      order by s.business_id limit p_limit) as t
    join dockline.business b on b.id = t.business_id);
end $$;

-- Moves the cursor of a business from p_from to p_to, and adds entries to the outbox: [{facility, shipmentId, path, mediaType, text}]. False
-- if the cursor is not at p_from, or if the business does not publish. An added entry locks the log until the commit.
create or replace function dockline.epcis_publish(
  p_business bigint, p_from bigint, p_to bigint, p_type text, p_entries json, p_now timestamptz
) returns boolean
language plpgsql as $$
declare
  v_entry record;
begin
  update dockline.epcis_setting set cursor_id = p_to
  where business_id = p_business and cursor_id = p_from and publishes;
  if not found then return false; end if;
  for v_entry in select f.id as facility_id, e.* from rows from (json_to_recordset(p_entries)
      as (facility text, "shipmentId" bigint, path text, "mediaType" text, text text)) with ordinality
      as e(facility, "shipmentId", path, "mediaType", text, n)
    join dockline.facility f on f.business_id = p_business and f.slug = e.facility order by e.n
  loop
    perform dockline.outbox_append(p_business, v_entry.facility_id, p_type, v_entry."shipmentId", v_entry.path,
      v_entry."mediaType", v_entry.text, null, p_now);
  end loop;
  return true;
end $$;
