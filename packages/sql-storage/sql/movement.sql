-- Pallet events in batches, by two calls in one transaction: the first locks and loads, and the second writes the decisions of core.
--
-- Lock order: the ids of events and the shipments in the order of the events, then the log of the business.

-- Locks the ids and the shipments of events, and returns the snapshot of each, null if its facility does not exist. p_events: rows with
-- facility, eventKey, dock, shipment, numberKey, lpn (for comparison), lpnKey, departedSince and occurredAt; absent values are null. If the
-- shipment that an event matches changes while its lock is awaited, the transaction must be repeated, because a second lock could cause a
-- deadlock. Without p_wait no event waits: an event whose lock is taken, or whose shipment an earlier event of the batch has, is held. Its
-- transaction then waits only for the log of its business, and only briefly.
create or replace function dockline.pallet_load(p_business bigint, p_events json, p_wait boolean) returns json
language plpgsql as $$
declare
  v_business dockline.business;
  v_facility dockline.facility;
  v_dock dockline.dock;
  v_event record;
  v_match bigint;
  v_way text;
  v_again bigint;
  v_pallet bigint;
  v_lock bigint;
  v_taken bigint[] := '{}';
  v_events json[] := '{}';
  e record;
begin
  if not p_wait then perform set_config('lock_timeout', '250ms', true); end if;
  select * into v_business from dockline.business where id = p_business;
  for e in select * from json_to_recordset(p_events) as r(facility text, "eventKey" text, dock text, shipment bigint,
    "numberKey" text, lpn text, "lpnKey" text, "departedSince" timestamptz, "occurredAt" timestamptz)
  loop
    if v_facility.slug is distinct from e.facility then
      select * into v_facility from dockline.facility where business_id = p_business and slug = e.facility;
    end if;
    if v_facility.id is null then
      v_events := v_events || 'null'::json;
      continue;
    end if;
    v_lock := hashtextextended('dockline.event:' || v_facility.id || ':' || e."eventKey", 0);
    if p_wait then
      perform pg_advisory_xact_lock(v_lock);
    elsif not pg_try_advisory_xact_lock(v_lock) then
      v_events := v_events || '"held"'::json;
      continue;
    end if;
    select * into v_event from dockline.pallet_event
    where business_id = p_business and facility_id = v_facility.id and event_key = e."eventKey";
    select * into v_dock from dockline.dock where facility_id = v_facility.id and slug = e.dock;
    v_match := null;
    v_way := null;
    v_pallet := null;
    if v_event.event_key is null then
      select id, way into v_match, v_way
      from dockline.pallet_match(p_business, v_facility.id, e.shipment, e."numberKey", e.lpn, v_dock.id,
        e."departedSince",
          e."occurredAt");
    end if;
    if v_match is not null then
      if p_wait then
        perform from dockline.shipment where business_id = p_business and id = v_match for no key update;
      else
        perform from dockline.shipment where business_id = p_business and id = v_match for no key update skip locked;
        if not found or v_match = any (v_taken) then
          v_events := v_events || '"held"'::json;
          continue;
        end if;
      end if;
      -- A shipment keeps its id, its number and its facility.
      if v_way <> 'given' then
        select id, way into v_again, v_way
        from dockline.pallet_match(p_business, v_facility.id, e.shipment, e."numberKey", e.lpn, v_dock.id,
          e."departedSince",
          e."occurredAt");
        if v_again is distinct from v_match then
          if not p_wait then
            v_events := v_events || '"held"'::json;
            continue;
          end if;
          raise exception 'the shipment of a pallet changed' using errcode = 'serialization_failure';
        end if;
      end if;
      v_taken := v_taken || v_match;
      select id into v_pallet from dockline.pallet
      where business_id = p_business and shipment_id = v_match and lpn_key = e."lpnKey";
    end if;
    v_events := v_events || json_build_object(
      'facility', json_build_object('slug', v_facility.slug, 'name', v_facility.name),
      'facilityId', v_facility.id,
      'dock', case when v_dock.id is not null then json_build_object('id', v_dock.id, 'slug', v_dock.slug) end,
      'recorded', case when v_event.event_key is not null then json_build_object('fingerprint', v_event.fingerprint,
        'answer', json_build_object('messageId', v_event.message_id, 'serviceShipmentId', v_event.shipment_id::text,
          'servicePalletId', v_event.pallet_id::text, 'orders', v_event.orders, 'verdict', v_event.verdict)) end,
      'way', v_way,
      'match', case when v_match is not null
        then dockline.pallet_shipment(p_business, v_match, e.lpn, v_pallet, v_way) end,
      'newPalletId', case when v_match is not null and v_pallet is null
        then nextval('dockline.pallet_id') else 0 end
    );
  end loop;
  return json_build_object(
    'begun', now()::text,
    'now', dockline.rfc3339(clock_timestamp()),
    'business', case when v_business.id is not null
      then json_build_object('slug', v_business.slug, 'name', v_business.name) end,
    'fieldMap', v_business.field_map,
    'events', array_to_json(v_events)
  );
end $$;

-- The shipment of a pallet event, and how it was found (D6.2). Absent values of the event are null.
create or replace function dockline.pallet_match(
  p_business bigint, p_facility bigint, p_shipment bigint, p_number_key text, p_lpn text, p_dock bigint,
  p_departed_since timestamptz, p_occurred_at timestamptz,
  out id bigint, out way text
) language plpgsql stable as $$
begin
  way := 'given';
  if p_shipment is not null then
    select s.id into id from dockline.shipment s where s.business_id = p_business and s.id = p_shipment
      and s.facility_id = p_facility;
  elsif p_number_key is not null then
    select s.id into id from dockline.shipment s
    where s.business_id = p_business and s.facility_id = p_facility and s.number_key = p_number_key;
  else
    if p_lpn is not null then
      way := 'byLpn';
      id := dockline.shipment_by_lpn(p_business, p_facility, p_lpn);
      if id is null then
        way := 'departed';
        id := dockline.shipment_departed_with(p_business, p_facility, p_lpn, p_departed_since);
      end if;
    end if;
    if id is null then
      way := 'atDock';
      id := dockline.shipment_stood_at(p_business, p_dock, p_occurred_at);
    end if;
  end if;
end $$;

-- The shipment at a dock at a time; if there were several, the last to arrive; if there was none, the first to arrive afterwards. The two
-- queries for shipments that still stand there each read one index row; the other two read all departures since then.
create or replace function dockline.shipment_stood_at(p_business bigint, p_dock bigint, p_at timestamptz) returns bigint
language plpgsql stable as $$
declare
  v_id bigint;
begin
  select t.id into v_id from (
    (select s.id, s.arrived_at from dockline.shipment s
    where s.business_id = p_business and s.dock_id = p_dock and s.status = 'ARRIVED'
      and s.arrived_at <= p_at order by s.arrived_at desc, s.id desc limit 1)
    union all
    (select s.id, s.arrived_at from dockline.shipment s
    where s.business_id = p_business and s.dock_id = p_dock and s.status = 'DEPARTED' and s.departed_at >= p_at
      and s.arrived_at <= p_at order by s.arrived_at desc, s.id desc limit 1)
  ) as t order by t.arrived_at desc, t.id desc limit 1;
  if v_id is null then
    select t.id into v_id from (
      (select s.id, s.arrived_at from dockline.shipment s
    where s.business_id = p_business and s.dock_id = p_dock and s.status = 'ARRIVED'
      and s.arrived_at > p_at order by s.arrived_at asc, s.id asc limit 1)
      union all
      (select s.id, s.arrived_at from dockline.shipment s
    where s.business_id = p_business and s.dock_id = p_dock and s.status = 'DEPARTED' and s.departed_at >= p_at
      and s.arrived_at > p_at order by s.arrived_at asc, s.id asc limit 1)
    ) as t order by t.arrived_at, t.id limit 1;
  end if;
  return v_id;
end $$;

-- The shipment of a pallet event with the sightings of the pallet, and the counts of its discrepancies; its row is locked. p_way: how it
-- was found (pallet_match). Another shipment that expects the pallet is looked for only if the event names its shipment: if it was found by
-- the LPN, it expects the pallet itself, and if it was found by the dock, no shipment does.
create or replace function dockline.pallet_shipment(
  p_business bigint, p_shipment bigint, p_lpn text, p_pallet bigint, p_way text
) returns json
language plpgsql stable as $$
declare
  v_shipment record;
  v_orders json;
  v_other bigint;
begin
  select * into v_shipment from dockline.shipment s where s.business_id = p_business and s.id = p_shipment;
  v_orders := (select json_agg(o.number order by o.id + 0) from dockline.customer_order o
    where o.business_id = p_business and o.shipment_id = p_shipment and exists (select from dockline.order_item i
      where i.business_id + 0 = p_business and i.facility_id = v_shipment.facility_id
        and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(p_lpn)
        and i.lpn_shipment_id = case when v_shipment.status in ('DEPARTED',
          'CANCELLED') then -p_shipment else p_shipment end
        and i.order_id = o.id and coalesce(i.lpn_key, i.lpn) = p_lpn offset 0));
  if v_orders is null and p_way = 'given' and p_lpn is not null then
    v_other := dockline.shipment_by_lpn(p_business, v_shipment.facility_id, p_lpn);
  end if;
  return json_build_array(json_build_object('id', p_shipment, 'number', v_shipment.number, 'status', v_shipment.status,
    'direction', v_shipment.direction,
    'dock', (select json_build_object('id', x.id, 'slug', x.slug) from dockline.dock x where x.id = v_shipment.dock_id),
    'arrivedAt', dockline.rfc3339(v_shipment.arrived_at),
    'departure', case when v_shipment.status = 'DEPARTED' then json_build_object(
      'at', dockline.rfc3339(v_shipment.departed_at), 'tracking', dockline.shipment_tracking(p_business, p_shipment)) end,
    'palletId', p_pallet,
    'orders', case when v_shipment.status = 'SCHEDULED' then (select coalesce(json_agg(o.number order by o.id + 0), '[]')
      from dockline.customer_order o where o.business_id = p_business and o.shipment_id = p_shipment) else '[]' end,
    'ordersWithLpn', coalesce(v_orders, '[]'),
    'onlyOrder', (select case when count(*) = 1 then min(few.number) end from (select o.number from dockline.customer_order o
      where o.business_id = p_business and o.shipment_id = p_shipment limit 2) as few),
    'elsewhere', case when v_other is not null then (select json_build_object('id', s.id, 'number', s.number,
        'dock', (select json_build_object('id', x.id, 'slug', x.slug) from dockline.dock x where x.id = s.dock_id))
      from dockline.shipment s where s.business_id = p_business and s.id = v_other) end,
    'events', v_shipment.pallet_events, 'labelText', v_shipment.label_text,
    'sightings', case when p_pallet is not null then (
      select json_build_object('first', p.first_direction, 'firstSeenAt', dockline.rfc3339(p.first_seen_at),
        'last', p.last_direction, 'lastSeenAt', dockline.rfc3339(p.last_seen_at), 'dockId', p.last_dock_id)
      from dockline.pallet p
      where p.business_id = p_business and p.shipment_id = p_shipment and p.id = p_pallet) end),
    json_build_object('missingPallets', v_shipment.missing_pallets, 'unexpectedPallets', v_shipment.unexpected_pallets,
      'wrongDockPallets', v_shipment.wrong_dock_pallets));
end $$;

-- Records events of different shipments, in the transaction that began at p_begun: another transaction would not hold their locks. p_plans:
-- core's plans with the fields of the events; "at" is the index of the pallet's message in p_drafts, which has the format of
-- message_append. Returns the ids of the messages.
create or replace function dockline.pallet_apply(
  p_business bigint, p_begun timestamptz, p_plans json, p_drafts json, p_now timestamptz
) returns json
language plpgsql as $$
declare
  p record;
  v_at timestamptz := coalesce(p_now, date_trunc('milliseconds', clock_timestamp()));
  v_messages json;
begin
  if p_begun is distinct from now() then
    raise exception 'The transaction of the plans has ended' using errcode = 'serialization_failure';
  end if;
  for p in select * from json_to_recordset(p_plans) as r("at" int, "facilityId" bigint, "eventKey" text,
    fingerprint text, "shipmentId" bigint, "palletId" bigint,
    "isNewPallet" boolean, lpn text, "lpnKey" text, "arrivedAt" timestamptz, "arrivedBy" text, elsewhere json, direction text,
      "occurredAt" timestamptz,
    "dockId" bigint, orders json, labels json, verdict json, "labelText" int,
    "rowCount" int, "textSize" int, first text, "firstSeenAt" timestamptz, last text, "lastSeenAt" timestamptz,
    "lastDockId" bigint, "missingPallets" int, "unexpectedPallets" int, "wrongDockPallets" int, discrepant boolean) loop
    if p."isNewPallet" then
      insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction,
        first_seen_at,
        last_direction, last_seen_at, last_dock_id, row_count, text_size, recorded_at, place)
      values (p_business, p."palletId", p."facilityId", p."shipmentId", p.lpn, p."lpnKey", p.first, p."firstSeenAt",
        p.last,
        p."lastSeenAt", p."lastDockId", 1 + p."rowCount", p."textSize", v_at, dockline.list_place(v_at, p."palletId"));
    else
      update dockline.pallet set
        first_direction = p.first, first_seen_at = p."firstSeenAt", last_direction = p.last,
        last_seen_at = p."lastSeenAt", last_dock_id = p."lastDockId",
        row_count = row_count + p."rowCount", text_size = text_size + p."textSize"
      where business_id = p_business and shipment_id = p."shipmentId" and id = p."palletId";
    end if;
    update dockline.shipment s set pallet_events = pallet_events + 1, version = version + 1,
      label_text = label_text + p."labelText",
      status = case when status = 'SCHEDULED' then 'ARRIVED' else status end,
      arrived_at = coalesce(p."arrivedAt", arrived_at),
      step_clients = case when p."arrivedBy" is null then step_clients
        else step_clients || jsonb_build_object('ARRIVED', p."arrivedBy") end,
      dock_id = case when status = 'SCHEDULED' then p."dockId" else dock_id end,
      elsewhere = coalesce(p.elsewhere, s.elsewhere),
      missing_pallets = p."missingPallets", unexpected_pallets = p."unexpectedPallets",
      wrong_dock_pallets = p."wrongDockPallets", discrepant = p.discrepant
    where s.business_id = p_business and s.id = p."shipmentId";
  end loop;
  v_messages := dockline.message_append(p_business, p_drafts, p_now);
  insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
    direction, occurred_at, dock_id, orders, labels, verdict)
  select p_business, r."facilityId", r."eventKey", r.fingerprint, r."shipmentId", r."palletId",
    (v_messages->r."at"->>0)::bigint,
    r.direction, r."occurredAt", r."dockId", r.orders, r.labels, r.verdict
  from json_to_recordset(p_plans) as r("at" int, "facilityId" bigint, "eventKey" text, fingerprint text,
    "shipmentId" bigint, "palletId" bigint,
    "isNewPallet" boolean, lpn text, "lpnKey" text, "arrivedAt" timestamptz, elsewhere json, direction text,
      "occurredAt" timestamptz,
    "dockId" bigint, orders json, labels json, verdict json, "labelText" int,
    "rowCount" int, "textSize" int, first text, "firstSeenAt" timestamptz, last text, "lastSeenAt" timestamptz,
    "lastDockId" bigint, "missingPallets" int, "unexpectedPallets" int, "wrongDockPallets" int, discrepant boolean);
  return (select json_agg(m->0) from json_array_elements(v_messages) as m);
end $$;
