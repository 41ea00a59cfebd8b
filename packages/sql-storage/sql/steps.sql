-- Steps of shipments: arrival, check-in, departure, cancellation and links. A step is two calls in one transaction: the first locks and
-- loads, and the second writes the decision of core.
--
-- Lock order: shipments in the order of their ids, then the log of the business.

-- Locks and returns a shipment, with p_pallets also the events of its pallets; null if it does not exist.
create or replace function dockline.step_load(p_business bigint, p_shipment bigint, p_dock text, p_pallets boolean)
returns json
language plpgsql as $$
declare
  v_facility bigint;
begin
  select facility_id into v_facility from dockline.shipment
  where business_id = p_business and id = p_shipment for no key update;
  if not found then return null; end if;
  return json_build_object(
    'found', dockline.located_shipment(p_business, p_shipment),
    'now', dockline.rfc3339(clock_timestamp()),
    'facilityId', v_facility,
    'fieldMap', (select field_map from dockline.business where id = p_business),
    'dock', (select json_build_object('id', id, 'slug', slug) from dockline.dock
      where facility_id = v_facility and slug = p_dock),
    'elsewhere', case when p_pallets then dockline.expected_elsewhere(p_business, p_shipment) else '[]' end,
    'pallets', (
      select coalesce(json_agg(json_build_object('palletId', e.pallet_id, 'messageId', e.message_id, 'direction',
        e.direction,
        'occurredAt', dockline.rfc3339(e.occurred_at), 'dock', json_build_object('id', d.id, 'slug', d.slug),
        'orders', e.orders, 'labels', e.labels) order by e.message_id), '[]')
      from dockline.pallet_event e join dockline.dock d on d.id = e.dock_id
      where p_pallets and e.business_id = p_business and e.shipment_id = p_shipment)
  );
end $$;

-- Locks two shipments and returns both, each null if it does not exist. Here and in link_apply each statement reads one of them: a plan for
-- both that was made for an empty table would read all shipments of the business.
create or replace function dockline.link_load(p_business bigint, p_shipment bigint, p_linked bigint) returns json
language plpgsql as $$
declare
  v_id bigint;
begin
  foreach v_id in array array[least(p_shipment, p_linked), greatest(p_shipment, p_linked)] loop
    perform from dockline.shipment where business_id = p_business and id = v_id for no key update;
  end loop;
  return json_build_array(dockline.located_shipment(p_business, p_shipment),
    dockline.located_shipment(p_business, p_linked));
end $$;

create or replace function dockline.link_apply(p_business bigint, p_shipment bigint, p_linked bigint) returns void
language plpgsql as $$
begin
  insert into dockline.shipment_link (business_id, shipment_id, linked_shipment_id)
  values (p_business, p_shipment, p_linked), (p_business, p_linked, p_shipment);
  update dockline.shipment set version = version + 1 where business_id = p_business and id = p_shipment;
  update dockline.shipment set version = version + 1 where business_id = p_business and id = p_linked;
end $$;

-- Records the arrival, and appends the message.
create or replace function dockline.arrive_apply(
  p_business bigint, p_shipment bigint, p_client text, p_arrived_at timestamptz, p_dock bigint, p_drafts json,
  p_now timestamptz
) returns void
language plpgsql as $$
begin
  update dockline.shipment set status = 'ARRIVED', arrived_at = p_arrived_at, dock_id = p_dock,
    step_clients = step_clients || jsonb_build_object('ARRIVED', p_client), version = version + 1
  where business_id = p_business and id = p_shipment;
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$;

-- Records a step of the check-in, and recounts the pallets that were last seen at another dock than p_dock.
create or replace function dockline.check_in_apply(
  p_business bigint, p_shipment bigint, p_client text, p_step text, p_check_in jsonb, p_dock bigint
) returns void
language plpgsql as $$
declare
  v_wrong int;
begin
  select count(*) into v_wrong from dockline.pallet p
  where p.business_id = p_business and p.shipment_id = p_shipment and p.last_dock_id <> p_dock;
  update dockline.shipment set check_in = p_check_in, dock_id = p_dock, wrong_dock_pallets = v_wrong,
    discrepant = missing_pallets + unexpected_pallets + v_wrong > 0,
    step_clients = step_clients || jsonb_build_object(p_step, p_client), version = version + 1
  where business_id = p_business and id = p_shipment;
end $$;

-- Completes the shipment and its orders, and appends the messages. p_elsewhere: see expected_elsewhere. p_drafts: see
-- message_append.
create or replace function dockline.depart_apply(
  p_business bigint, p_shipment bigint, p_client text, p_departed_at timestamptz, p_elsewhere json, p_drafts json,
  p_now timestamptz
) returns void
language plpgsql as $$
begin
  update dockline.shipment set status = 'DEPARTED', departed_at = p_departed_at, elsewhere = p_elsewhere,
    step_clients = step_clients || jsonb_build_object('DEPARTED', p_client), version = version + 1
    where business_id = p_business and id = p_shipment;
  perform dockline.orders_end(p_business, p_shipment, 'COMPLETED');
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$;

-- Cancels the shipment and its orders, and appends the message.
create or replace function dockline.cancel_apply(
  p_business bigint, p_shipment bigint, p_client text, p_cancelled_at timestamptz, p_drafts json, p_now timestamptz
) returns void
language plpgsql as $$
begin
  update dockline.shipment set status = 'CANCELLED', cancelled_at = p_cancelled_at, discrepant = false,
    step_clients = step_clients || jsonb_build_object('CANCELLED', p_client), version = version + 1
  where business_id = p_business and id = p_shipment;
  perform dockline.orders_end(p_business, p_shipment, 'CANCELLED');
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$;

-- Ends the orders of a shipment that has departed or is cancelled, and marks their items by negating lpn_shipment_id.
create or replace function dockline.orders_end(p_business bigint, p_shipment bigint, p_status text) returns void
language plpgsql as $$
begin
  update dockline.customer_order set status = p_status
  where business_id = p_business and shipment_id = p_shipment;
  update dockline.order_item set lpn_shipment_id = -lpn_shipment_id
  where business_id + 0 = p_business and order_id = any (array(select id from dockline.customer_order
      where business_id = p_business and shipment_id = p_shipment))
    and lpn_shipment_id + 0 > 0;
end $$;

-- A shipment with its orders and location; null if it does not exist.
create or replace function dockline.located_shipment(p_business bigint, p_shipment bigint) returns json
language plpgsql stable as $$
begin
  return (select json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name)
      from dockline.facility x where x.id = s.facility_id),
    'shipment', s.body,
    'orders', (select coalesce(json_agg(o.body order by o.id + 0), '[]') from dockline.order_body o
      where o.business_id = p_business and o.shipment_id = s.id))
  from dockline.shipment_body s where s.business_id = p_business and s.id = p_shipment);
end $$;

-- For each unexpected pallet of a shipment that an open shipment expects, the latest created of these shipments; for a departed shipment,
-- the stored ones.
create or replace function dockline.expected_elsewhere(p_business bigint, p_shipment bigint) returns json
language plpgsql stable as $$
declare
  v_shipment record;
begin
  select * into v_shipment from dockline.shipment where business_id = p_business and id = p_shipment;
  if v_shipment.status = 'DEPARTED' then return coalesce(v_shipment.elsewhere, '[]'); end if;
  return (select coalesce(json_agg(json_build_object('lpn', p.lpn, 'shipmentId', e.other, 'shipmentNumber',
      (select o.number from dockline.shipment o where o.business_id = p_business and o.id = e.other)) order by p.id),
        '[]')
    from dockline.pallet p cross join lateral (select i.lpn_shipment_id from dockline.order_item i
    where i.business_id = p_business and i.facility_id = v_shipment.facility_id
      and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(dockline.pallet_lpn(p.lpn_key, p.lpn))
        and i.lpn_shipment_id > 0 and coalesce(i.lpn_key, i.lpn) = dockline.pallet_lpn(p.lpn_key, p.lpn)
    order by i.lpn_shipment_id desc limit 1) as e(other)
    where p.business_id = p_business and p.shipment_id = p_shipment and p.lpn <> ''
      and (select i.id from dockline.order_item i
        where i.business_id + 0 = p_business and i.facility_id = v_shipment.facility_id
          and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(dockline.pallet_lpn(p.lpn_key,
            p.lpn)) and i.lpn_shipment_id = p_shipment
          and coalesce(i.lpn_key, i.lpn) = dockline.pallet_lpn(p.lpn_key, p.lpn)
        limit 1) is null);
end $$;

-- The latest created shipment of a facility that has items with an lpn and departed since a time.
create or replace function dockline.shipment_departed_with(
  p_business bigint, p_facility bigint, p_lpn text, p_since timestamptz
) returns bigint
language plpgsql stable as $$
begin
  return (select -i.lpn_shipment_id from dockline.order_item i
    where i.business_id = p_business and i.facility_id = p_facility
      and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(p_lpn) and i.lpn_shipment_id < 0
        and coalesce(i.lpn_key, i.lpn) = p_lpn
      and (select s.departed_at from dockline.shipment s
        where s.business_id + 0 = p_business and s.id = -i.lpn_shipment_id) >= p_since
    order by i.lpn_shipment_id limit 1);
end $$;

-- The latest created open shipment of a facility that has items with an lpn.
create or replace function dockline.shipment_by_lpn(p_business bigint, p_facility bigint, p_lpn text) returns bigint
language plpgsql stable as $$
begin
  return (select i.lpn_shipment_id from dockline.order_item i
    where i.business_id = p_business and i.facility_id = p_facility
      and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(p_lpn) and i.lpn_shipment_id > 0
        and coalesce(i.lpn_key, i.lpn) = p_lpn
    order by i.lpn_shipment_id desc limit 1);
end $$;
