-- Shipments and orders as answers show them.

create or replace function dockline.shipment_business(p_id bigint) returns bigint
language plpgsql stable as $$
begin
  return (select t.business_id from dockline.shipment t where t.id = p_id);
end $$;

-- Orders as `Rows.ts` reads them: arrays, so that keys are not written, sent and parsed for each item.
create or replace view dockline.order_body as
select o.business_id, o.id, o.facility_id, o.shipment_id, o.number_key, json_build_array(
  json_build_array(o.id::text, o.number, o.status, o.direction, o.shipment_id,
    dockline.rfc3339(o.created_at), json_build_array(o.order_type, o.purchase_order, o.consignee_name,
      o.consignee_phone_number, o.bol_number, o.expected_quantity, o.carrier, o.seal_number, o.supplier, o.client,
      o.destination), o.owner),
  (select coalesce(json_agg(json_build_array(i.id::text,
      i.identifier, i.lpn, i.sku, i.quantity, i.quantity_unit, i.purchase_order, i.description, i.upc,
      i.weight_per_unit, i.weight_unit, i.height, i.length, i.width, i.dimension_unit, i.is_dangerous_good, i.lot,
      coalesce(to_char(i.expiration_date, 'YYYY-MM-DD'), ''), coalesce(to_char(i.manufacturing_date, 'YYYY-MM-DD'),
      ''), i.case_serials) order by i.id), '[]')
    from dockline.order_item i where i.business_id = o.business_id and i.order_id = o.id)
) as body
from dockline.customer_order o;

-- Shipments as `Rows.ts` reads them.
create or replace view dockline.shipment_body as
select s.business_id, s.id, s.facility_id, s.number_key, json_build_object(
  'id', s.id, 'number', s.number, 'status', s.status, 'direction', s.direction,
  'expectedArrivalAt', dockline.rfc3339(s.expected_arrival_at), 'scheduledAt', dockline.rfc3339(s.scheduled_at),
  'arrivedAt', dockline.rfc3339(s.arrived_at), 'departedAt', dockline.rfc3339(s.departed_at),
  'cancelledAt', dockline.rfc3339(s.cancelled_at),
  'dock', (select json_build_object('id', x.id, 'slug', x.slug) from dockline.dock x where x.id = s.dock_id),
  'additionalFields', s.additional_fields,
  'linkedShipmentIds', (select coalesce(json_agg(l.linked_shipment_id order by l.linked_shipment_id), '[]')
    from dockline.shipment_link l where l.business_id = s.business_id and l.shipment_id = s.id),
  'fields', json_build_array(s.trailer_number, s.carrier),
  'pallets', (select coalesce(json_agg(json_build_array(
      p.id, p.lpn, p.first_direction, p.last_direction, p.last_dock_id) order by p.id), '[]')
    from dockline.pallet p where p.business_id = s.business_id and p.shipment_id = s.id),
  'checkIn', s.check_in, 'stepClients', s.step_clients, 'owner', s.owner, 'version', s.version
) as body
from dockline.shipment s;

-- Shipments with their orders and locations, in the order of p_ids. `characters` is the approximate number of characters of the answer, the
-- sum of the stored sizes of the orders. If it exceeds p_most_characters, `orders` is null. If p_most_characters is null, it is 0.
create or replace function dockline.shipments_shown(p_ids bigint[], p_most_characters int)
returns table (business json, facility json, shipment json, orders json, characters bigint)
language plpgsql stable as $$
begin
  return query select json_build_object('slug', b.slug, 'name', b.name),
    json_build_object('slug', f.slug, 'name', f.name), s.body,
    case when p_most_characters is null or w.characters <= p_most_characters then
      (select coalesce(json_agg(o.body order by o.id + 0), '[]') from dockline.order_body o
        where o.business_id = s.business_id and o.shipment_id = s.id) end,
    w.characters
  from unnest(p_ids) with ordinality as named(id, nth)
  join dockline.shipment_body s on s.id = named.id
  join dockline.facility f on f.id = s.facility_id
  join dockline.business b on b.id = s.business_id
  cross join lateral (select coalesce(sum(o.row_count::bigint * 329 + o.text_size), 0)::bigint as characters
    from dockline.customer_order o
    where p_most_characters is not null and o.business_id = s.business_id and o.shipment_id = s.id) as w
  order by named.nth;
end $$;

-- Orders with their locations, in the order of p_ids.
create or replace function dockline.orders_shown(p_ids bigint[])
returns table (business json, facility json, shipment_number text, body json)
language plpgsql stable as $$
begin
  return query select json_build_object('slug', b.slug, 'name', b.name),
    json_build_object('slug', f.slug, 'name', f.name), s.number, o.body
  from unnest(p_ids) with ordinality as named(id, nth)
  join dockline.order_body o on o.id = named.id
  join dockline.shipment s on s.business_id = o.business_id and s.id = o.shipment_id
  join dockline.facility f on f.id = o.facility_id
  join dockline.business b on b.id = o.business_id
  order by named.nth;
end $$;

-- Whether one of the searched texts of an item contains a text; p_find is in lower case.
create or replace function dockline.item_has(
  p_find text, p_lpn text, p_sku text, p_description text, p_lot text, p_purchase_order text
) returns boolean
language sql immutable parallel safe as $$
  select strpos(lower(p_lpn collate "C"), p_find) > 0 or strpos(lower(p_sku collate "C"), p_find) > 0
    or strpos(lower(p_description collate "C"), p_find) > 0 or strpos(lower(p_lot collate "C"), p_find) > 0
    or strpos(lower(p_purchase_order collate "C"), p_find) > 0
$$;

-- Whether a shipment has a pallet with an LPN, compared by core's `lpnKey`. The key of a pallet contains the LPN, or a hash of a long one
-- (BusinessRows.ts).
create or replace function dockline.has_pallet(p_business bigint, p_shipment bigint, p_lpn text) returns boolean
language plpgsql stable as $$
begin
  return coalesce((
    select p.id from dockline.pallet p
    where p.business_id = p_business and (p.lpn_key, p.shipment_id) >= ('=' || p_lpn, p_shipment)
      and (p.lpn_key, p.shipment_id) <= ('=' || p_lpn, p_shipment)
    order by p.lpn_key, p.shipment_id limit 1
  ), (
    select p.id from dockline.pallet p
    where p.business_id = p_business
      and (p.lpn_key, p.shipment_id) >= ('#' || encode(sha256(convert_to(p_lpn, 'UTF8')), 'hex'), p_shipment)
      and (p.lpn_key, p.shipment_id) <= ('#' || encode(sha256(convert_to(p_lpn, 'UTF8')), 'hex'), p_shipment)
    order by p.lpn_key, p.shipment_id limit 1
  )) is not null;
end $$;

-- The first items of a shipment after an id, of all orders or of one, within the budget of p_rows and p_text, but at least two, with the
-- location of the shipment; null if that does not exist. With p_find it has only items with this text (item_has), with p_unseen only items
-- whose LPN was seen on no pallet of the shipment. The items of each order are a stream (shipment_lists.sql). The sizes are as in core's
-- `sizeOfItem`.
create or replace function dockline.items_of_shipment(
  p_business bigint, p_shipment bigint, p_order bigint, p_find text, p_unseen boolean, p_after bigint, p_limit int,
  p_rows int, p_text int
) returns json
language plpgsql stable as $$
declare
  v_facility bigint;
  v_order bigint;
  v_id bigint;
  v_body json;
  v_rows bigint := 0;
  v_text bigint;
  v_text_held bigint := 0;
  v_page json[] := '{}';
begin
  select s.facility_id into v_facility from dockline.shipment s where s.business_id = p_business and s.id = p_shipment;
  if not found then return null; end if;
  for v_order, v_id in
    with head as (
      select k.*, (select t.id from dockline.order_item t
        where (t.order_id, t.id) > (k.order_id, p_after) and t.order_id <= k.order_id and t.business_id = p_business
          and (p_find is null or dockline.item_has(p_find, t.lpn, t.sku, t.description, t.lot, t.purchase_order))
          and (not p_unseen
            or t.lpn <> '' and not dockline.has_pallet(p_business, p_shipment, coalesce(t.lpn_key, t.lpn)))
        order by t.order_id, t.id limit 1) as first
      from (select o.id as order_id from dockline.customer_order o
        where o.business_id = p_business and o.shipment_id = p_shipment and (p_order is null or o.id = p_order)) as k
      order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select t.order_id, t.id from head k cross join lateral (
      select t.order_id, t.id from dockline.order_item t
      where (t.order_id, t.id) >= (k.order_id, k.first) and (t.order_id, t.id) <= (k.order_id, (select last from bound))
        and t.business_id = p_business
        and (p_find is null or dockline.item_has(p_find, t.lpn, t.sku, t.description, t.lot, t.purchase_order))
        and (not p_unseen
          or t.lpn <> '' and not dockline.has_pallet(p_business, p_shipment, coalesce(t.lpn_key, t.lpn)))
      order by t.order_id, t.id limit p_limit) as t
    where k.first is not null order by t.id limit p_limit
  loop
    select length(i.identifier) + length(i.lpn) + length(i.sku) + length(i.quantity_unit) + length(i.purchase_order)
        + length(i.description) + length(i.upc) + length(i.weight_unit) + length(i.dimension_unit) + length(i.lot)
        + (select coalesce(sum(length(serial->>'id') + 32), 0) from jsonb_array_elements(i.case_serials) as serial),
      json_build_array(o.id::text, o.number, json_build_array(i.id::text, i.identifier, i.lpn, i.sku, i.quantity,
        i.quantity_unit, i.purchase_order, i.description, i.upc, i.weight_per_unit, i.weight_unit, i.height, i.length,
          i.width,
        i.dimension_unit, i.is_dangerous_good, i.lot, coalesce(to_char(i.expiration_date, 'YYYY-MM-DD'), ''),
        coalesce(to_char(i.manufacturing_date, 'YYYY-MM-DD'), ''), i.case_serials))
    into v_text, v_body
    from dockline.order_item i join dockline.customer_order o on o.business_id = i.business_id and o.id = i.order_id
    where i.business_id = p_business and i.order_id = v_order and i.id = v_id;
    v_page := v_page || v_body;
    v_rows := v_rows + 1;
    v_text_held := v_text_held + v_text;
    exit when (v_rows > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
  end loop;
  return json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f where f.id = v_facility),
    'items', array_to_json(v_page));
end $$;

-- The data that the discrepancies of a shipment depend on, with its location; null if it does not exist.
create or replace function dockline.shipment_tracking(p_business bigint, p_shipment bigint) returns json
language plpgsql stable as $$
begin
  return (select json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name)
      from dockline.facility f where f.id = s.facility_id),
    'direction', s.direction,
    'status', s.status,
    'dock', (select json_build_object('id', d.id, 'slug', d.slug) from dockline.dock d where d.id = s.dock_id),
    'lpns', (select coalesce(json_agg(i.lpn order by o.id + 0, i.id), '[]') from dockline.customer_order o
      cross join lateral (select i.id, i.lpn from dockline.order_item i
        where i.business_id = p_business and i.order_id = o.id and i.lpn <> '' offset 0) as i
      where o.business_id = p_business and o.shipment_id = p_shipment),
    'pallets', (select coalesce(json_agg(json_build_object('id', p.id, 'lpn', p.lpn, 'first', p.first_direction,
        'last', p.last_direction, 'dockId', p.last_dock_id,
        'dockSlug', (select d.slug from dockline.dock d where d.id = p.last_dock_id)) order by p.id), '[]')
      from dockline.pallet p where p.business_id = p_business and p.shipment_id = p_shipment),
    'elsewhere', dockline.expected_elsewhere(p_business, p_shipment))
  from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
end $$;

-- Shipments as core's `BoardRow`, in the order of p_ids.
create or replace function dockline.board_shipments(p_business bigint, p_ids bigint[]) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_object('id', s.id, 'shipmentNumber', s.number, 'status', s.status,
      'direction', s.direction, 'dockSlug', coalesce((select d.slug from dockline.dock d where d.id = s.dock_id), ''),
      'carrier', s.carrier, 'trailerNumber', s.trailer_number,
      'expectedArrivalAt', dockline.rfc3339(s.expected_arrival_at),
      'arrivedAt', coalesce(dockline.rfc3339(s.arrived_at), ''),
      'departedAt', coalesce(dockline.rfc3339(s.departed_at), ''),
      'missingPallets', s.missing_pallets, 'unexpectedPallets', s.unexpected_pallets, 'passedPallets', p.passed,
      'lastPalletId', coalesce(p.newest[1][1], ''), 'lastPalletLpn', coalesce(p.newest[1][2], ''),
      'lastSeenAt', coalesce(p.newest[1][3], '')) order by named.nth), '[]')
    from unnest(p_ids) with ordinality as named(id, nth)
    cross join lateral (select * from dockline.shipment s where s.business_id = p_business
      and s.id = named.id offset 0) as s
    cross join lateral (
      select count(*) filter (where p.first_direction = p.last_direction and p.last_direction = case s.direction
          when 'INBOUND' then 'UNLOADING' when 'OUTBOUND' then 'LOADING' else p.last_direction end) as passed,
        (array_agg(array[p.id::text, p.lpn, dockline.rfc3339(p.last_seen_at)]
          order by p.last_seen_at desc, p.id desc))[1:1] as newest
      from dockline.pallet p where p.business_id = p_business and p.shipment_id = s.id) as p);
end $$;

-- The dock board of a facility, as core's `BoardRows`: for each dock, the latest p_docked shipments and the number of further ones, up to
-- p_counted; the last p_overdue shipments that were expected before p_due, and the first p_expected that are expected later; the last
-- p_departed that departed from p_today on, and how many did so, and how many of these lacked pallets, each up to p_counted.
create or replace function dockline.dock_board(
  p_business bigint, p_facility text, p_due timestamptz, p_today timestamptz, p_docked int, p_counted int,
  p_overdue int, p_expected int, p_departed int
) returns json
language plpgsql stable as $$
declare
  v_facility bigint;
  v_docks json[];
  v_nowhere bigint[];
  v_left bigint;
  v_short bigint;
begin
  select f.id into v_facility from dockline.facility f where f.business_id = p_business and f.slug = p_facility;
  v_docks := array(
    select json_build_object('dockSlug', d.slug, 'shipments', dockline.board_shipments(p_business, t.ids[:p_docked]),
      'others', greatest(0, cardinality(t.ids) - p_docked))
    from dockline.dock d
    cross join lateral (select array(select t.id from dockline.shipment t
      where t.business_id = p_business and t.status = 'ARRIVED' and t.dock_id = d.id
      order by t.arrived_at desc, t.id desc limit p_docked + p_counted) as ids) as t
    where d.facility_id = v_facility order by d.slug collate "C");
  v_nowhere := array(select t.id from dockline.shipment t
    where t.business_id = p_business and t.status = 'ARRIVED' and t.facility_id = v_facility and t.dock_id is null
    order by t.arrived_at desc, t.id desc limit p_docked + p_counted);
  if v_nowhere <> '{}' then
    v_docks := v_docks || json_build_object('dockSlug', '',
      'shipments', dockline.board_shipments(p_business, v_nowhere[:p_docked]),
      'others', greatest(0, cardinality(v_nowhere) - p_docked));
  end if;
  select count(*), count(*) filter (where d.missing_pallets > 0) into v_left, v_short from (
    select t.missing_pallets from unnest(array[false, true]) as k(discrepant) cross join lateral (
      select t.missing_pallets, coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at,
        t.id from dockline.shipment t
      where t.business_id = p_business and t.status = 'DEPARTED' and t.discrepant = k.discrepant
        and t.facility_id = v_facility
        and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) >= p_today
      order by t.status desc, t.discrepant desc, t.facility_id desc,
        coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc,
        t.id desc limit p_counted) as t
    order by t.at desc, t.id desc limit p_counted) as d;
  return json_build_object('docks', array_to_json(v_docks),
    'overdue', dockline.board_shipments(p_business, array(
      select s.id from (
        select t.at, t.id from unnest(array[false, true]) as k(discrepant) cross join lateral (
          select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
          where t.business_id = p_business and t.status = 'SCHEDULED' and t.discrepant = k.discrepant
            and t.facility_id = v_facility
            and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) < p_due
          order by t.status desc, t.discrepant desc, t.facility_id desc,
            coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc,
            t.id desc limit p_overdue) as t
        order by t.at desc, t.id desc limit p_overdue) as s
      order by s.at, s.id)),
    'expected', dockline.board_shipments(p_business, array(
      select s.id from (
        select t.at, t.id from unnest(array[false, true]) as k(discrepant) cross join lateral (
          select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
          where t.business_id = p_business and t.status = 'SCHEDULED' and t.discrepant = k.discrepant
            and t.facility_id = v_facility
            and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) >= p_due
          order by t.status, t.discrepant, t.facility_id, coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at),
            t.id limit p_expected) as t
        order by t.at, t.id limit p_expected) as s
      order by s.at, s.id)),
    'departed', dockline.board_shipments(p_business, array(
      select s.id from (
        select t.at, t.id from unnest(array[false, true]) as k(discrepant) cross join lateral (
          select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
          where t.business_id = p_business and t.status = 'DEPARTED' and t.discrepant = k.discrepant
            and t.facility_id = v_facility
            and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) >= p_today
          order by t.status desc, t.discrepant desc, t.facility_id desc,
            coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc,
            t.id desc limit p_departed) as t
        order by t.at desc, t.id desc limit p_departed) as s
      order by s.at desc, s.id desc)),
    'departedToday', v_left, 'shortToday', v_short);
end $$;
