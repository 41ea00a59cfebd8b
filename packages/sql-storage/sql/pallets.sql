-- Pallets as answers show them. Pages stay within the budget of p_rows and p_text, but have at least two pallets. If a page exceeds the
-- budget, its last pallet shows that more follow.

-- Pallets with their events, as core's `LocatedPallet`.
create or replace view dockline.pallet_body as
select p.business_id, p.shipment_id, p.id, p.lpn_key, json_build_object(
  'location', json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name)
      from dockline.business b where b.id = p.business_id),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name)
      from dockline.facility x where x.id = p.facility_id)),
  'shipmentId', s.id, 'shipmentNumber', s.number, 'id', p.id, 'lpn', p.lpn, 'recordedAt', dockline.rfc3339(p.recorded_at),
  'ordersWithLpn', (select coalesce(json_agg((select o.number from dockline.customer_order o
      where o.business_id = p.business_id and o.id = i.order_id) order by i.order_id), '[]')
    from (select distinct i.order_id from dockline.order_item i
      where i.business_id + 0 = p.business_id and i.facility_id = p.facility_id and p.lpn <> ''
        and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(dockline.pallet_lpn(p.lpn_key, p.lpn))
        and i.lpn_shipment_id = case when s.status = 'DEPARTED' then -s.id else s.id end
        and coalesce(i.lpn_key, i.lpn) = dockline.pallet_lpn(p.lpn_key, p.lpn)) as i),
  'onlyOrder', (select case when count(*) = 1 then min(few.number) end from (
    select o.number from dockline.customer_order o where o.business_id = p.business_id and o.shipment_id = p.shipment_id
    limit 2) as few),
  'events', (select json_agg(json_build_object('direction', e.direction, 'occurredAt', dockline.rfc3339(e.occurred_at),
        'dock', json_build_object('id', d.id, 'slug', d.slug), 'messageId', e.message_id, 'labels', e.labels, 'verdict',
          e.verdict)
      order by e.occurred_at, e.message_id)
    from dockline.pallet_event e join dockline.dock d on d.id = e.dock_id
    where e.business_id = p.business_id and e.shipment_id = p.shipment_id and e.pallet_id = p.id)
) as body
from dockline.pallet p join dockline.shipment s on s.business_id = p.business_id and s.id = p.shipment_id;

-- A page of the pallets with an lpn, newest first. p_scopes: see facilities_within. p_after is the place (list_place) of the last pallet of
-- the previous page. A shipment has at most one pallet with an lpn.
create or replace function dockline.pallet_page(
  p_scopes json, p_lpn_key text, p_after bigint, p_limit int, p_rows int, p_text int
) returns json
language plpgsql stable as $$
declare
  v_ids bigint[];
  v_id bigint;
  v_body json;
  v_rows bigint;
  v_text bigint;
  v_rows_held bigint := 0;
  v_text_held bigint := 0;
  v_page json[] := '{}';
begin
  with head as (
    select k.*, (select t.place from dockline.pallet t
      where t.facility_id = k.facility and (t.lpn_key, t.place) > (p_lpn_key, p_after) and t.lpn_key <= p_lpn_key
      order by t.facility_id, t.lpn_key, t.place limit 1) as first
    from unnest(dockline.facilities_within(p_scopes)) as k(facility) order by first limit p_limit
  ), bound as (
    select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
  )
  select array(
    select t.shipment_id from head k cross join lateral (
      select t.* from dockline.pallet t
      where t.facility_id = k.facility and (t.lpn_key, t.place) >= (p_lpn_key, k.first)
        and (t.lpn_key, t.place) <= (p_lpn_key, (select last from bound))
      order by t.facility_id, t.lpn_key, t.place limit p_limit) as t
    where k.first is not null order by t.place limit p_limit) into v_ids;
  foreach v_id in array v_ids loop
    select p.row_count, p.text_size, (select b.body from dockline.pallet_body b
      where b.business_id = s.business_id and b.shipment_id = s.id and b.lpn_key = p_lpn_key)
    into v_rows, v_text, v_body
    from dockline.shipment s
    join dockline.pallet p on p.business_id = s.business_id and p.lpn_key = p_lpn_key and p.shipment_id = s.id
    where s.id = v_id;
    v_page := v_page || v_body;
    v_rows_held := v_rows_held + v_rows;
    v_text_held := v_text_held + v_text;
    exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
  end loop;
  return array_to_json(v_page);
end $$;

-- The first pallets of a shipment after an id, with its location; null if it does not exist.
create or replace function dockline.pallets_of_shipment(
  p_business bigint, p_shipment bigint, p_after bigint, p_limit int, p_rows int, p_text int
) returns json
language plpgsql stable as $$
declare
  v_facility bigint;
  v_id bigint;
  v_body json;
  v_rows bigint;
  v_text bigint;
  v_rows_held bigint := 0;
  v_text_held bigint := 0;
  v_page json[] := '{}';
begin
  select s.facility_id into v_facility from dockline.shipment s where s.business_id = p_business and s.id = p_shipment;
  if not found then return null; end if;
  for v_id in select p.id from dockline.pallet p
    where p.business_id = p_business and p.shipment_id = p_shipment and p.id > p_after
    order by p.business_id, p.shipment_id, p.id limit p_limit
  loop
    select p.row_count, p.text_size, b.body into v_rows, v_text, v_body
    from dockline.pallet p
    join dockline.pallet_body b on b.business_id = p.business_id and b.shipment_id = p.shipment_id and b.id = p.id
    where p.business_id = p_business and p.shipment_id = p_shipment and p.id = v_id;
    v_page := v_page || v_body;
    v_rows_held := v_rows_held + v_rows;
    v_text_held := v_text_held + v_text;
    exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
  end loop;
  return json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name) from dockline.facility x where x.id = v_facility),
    'pallets', array_to_json(v_page));
end $$;

-- The first pallets of shipments of a facility, in the order of the shipments; for the first shipment, the pallets after an id.
create or replace function dockline.pallets_of_shipments(
  p_business bigint, p_facility text, p_shipments bigint[], p_after bigint, p_limit int, p_rows int, p_text int
) returns json
language plpgsql stable as $$
declare
  v_facility bigint;
  v_shipment bigint;
  v_after bigint := p_after;
  v_id bigint;
  v_body json;
  v_rows bigint;
  v_text bigint;
  v_rows_held bigint := 0;
  v_text_held bigint := 0;
  v_page json[] := '{}';
begin
  select f.id into v_facility from dockline.facility f where f.business_id = p_business and f.slug = p_facility;
  foreach v_shipment in array p_shipments loop
    for v_id in select p.id from dockline.pallet p
      where p.business_id = p_business and p.shipment_id = v_shipment and p.id > v_after and p.facility_id = v_facility
      order by p.business_id, p.shipment_id, p.id limit p_limit - cardinality(v_page)
    loop
      select p.row_count, p.text_size, b.body into v_rows, v_text, v_body
    from dockline.pallet p
    join dockline.pallet_body b on b.business_id = p.business_id and b.shipment_id = p.shipment_id and b.id = p.id
    where p.business_id = p_business and p.shipment_id = v_shipment and p.id = v_id;
    v_page := v_page || v_body;
    v_rows_held := v_rows_held + v_rows;
    v_text_held := v_text_held + v_text;
    exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
    end loop;
    exit when cardinality(v_page) >= p_limit or (v_rows_held > p_rows or v_text_held > p_text)
      and cardinality(v_page) > 1;
    v_after := 0;
  end loop;
  return array_to_json(v_page);
end $$;
