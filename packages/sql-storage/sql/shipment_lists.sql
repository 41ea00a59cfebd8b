-- Pages of shipments and of orders: their ids with their sizes, within the budget of a page; shipments_shown and orders_shown read their
-- contents.
--
-- The rows that a client may see form streams: rows that an index has in order for each value of some columns, such as the orders of each
-- facility in id order. A page merges streams.
--
-- Guarantee: one descent of an index finds the first entry of each stream (head), and at most a page of each stream is read. Only the
-- p_limit streams with the first heads can be on the page, and only with entries up to the last of these heads (bound). Conditions compare
-- whole rows in the order of the index, so that no plan uses another index and filters: `status = s and (facility_id, id) > (f, after)`
-- instead of `status = s and facility_id = f and id > after`. All columns of a stream except the last are also compared for equality,
-- because before PostgreSQL 18 only the first column of a row comparison ends a scan.

-- The first of these shipments within the budget of p_rows and p_text, but at least two, as [id, rows, characters, time]. If they exceed
-- the budget, the last one shows that more follow. Sizes are as in core's `sizeOfShipment`. Orders and pallets beyond the number that a
-- page can hold are not counted, because the page ends there anyway.
create or replace function dockline.shipments_within(p_ids bigint[], p_rows int, p_text int) returns json
language plpgsql stable as $$
declare
  v_id bigint;
  v_rows bigint;
  v_text bigint;
  v_time timestamptz;
  v_rows_held bigint := 0;
  v_text_held bigint := 0;
  v_page json[] := '{}';
begin
  foreach v_id in array p_ids loop
    select 1 + o.row_count + (select count(*) from (select from dockline.pallet p
        where p.business_id = s.business_id and p.shipment_id = s.id limit p_rows + 1) as p),
      s.text_size + o.text_size, coalesce(s.departed_at, s.arrived_at, s.expected_arrival_at)
    into v_rows, v_text, v_time
    from dockline.shipment s cross join lateral (
      select coalesce(sum(o.row_count), 0) as row_count, coalesce(sum(o.text_size), 0) as text_size
      from (select o.row_count, o.text_size from dockline.customer_order o
        where o.business_id = s.business_id and o.shipment_id = s.id limit p_rows + 1) as o) as o
    where s.id = v_id;
    v_page := v_page || json_build_array(v_id::text, v_rows, v_text, dockline.rfc3339(v_time));
    v_rows_held := v_rows_held + v_rows;
    v_text_held := v_text_held + v_text;
    exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
  end loop;
  return array_to_json(v_page);
end $$;

-- A page of shipments (shipments_within). p_scopes: see facilities_within. p_number, p_lpn and p_status may be null. With p_discrepancies
-- it has those with discrepancies. With p_lpn it has those with an item of this lpn, and no other filter applies.
create or replace function dockline.shipment_page(
  p_scopes json, p_number text, p_lpn text, p_status text, p_discrepancies boolean, p_after bigint, p_limit int,
  p_rows int, p_text int
) returns json
language plpgsql stable as $$
declare
  v_ids bigint[];
  v_facilities bigint[];
  v_statuses text[] := case when p_status is not null then array[p_status]
    when p_discrepancies then array['SCHEDULED', 'ARRIVED', 'DEPARTED']
    else array['SCHEDULED', 'ARRIVED', 'DEPARTED', 'CANCELLED'] end;
begin
  if p_scopes is null and p_number is null and p_lpn is null and p_status is null and not p_discrepancies then
    v_ids := array(select t.id from dockline.shipment t where t.id > p_after order by t.id limit p_limit);
  else
    v_facilities := dockline.facilities_within(p_scopes);
    if p_lpn is not null then
      v_ids := dockline.shipments_with_lpn(v_facilities, p_lpn, p_after, p_limit);
    elsif p_number is not null then
      v_ids := array(
        select t.id from unnest(v_facilities) as named(id) join dockline.facility f on f.id = named.id
        cross join lateral (select s.id, s.status, s.discrepant from dockline.shipment s
          where s.business_id = f.business_id and s.facility_id = f.id and s.number_key = p_number offset 0) as t
        where t.id > p_after and t.status = any (v_statuses) and (not p_discrepancies or t.discrepant)
        order by t.id limit p_limit);
    elsif p_discrepancies then
      with head as (
        select k.*, (select t.id from dockline.shipment t
          where t.facility_id = k.facility and (t.status, t.id) > (k.status, p_after) and t.status <= k.status
            and t.discrepant
          order by t.facility_id, t.status, t.id limit 1) as first
        from (select facility, status from unnest(v_facilities) as facility cross join unnest(v_statuses) as status) as k
        order by first limit p_limit
      ), bound as (
        select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
      )
      select array(
        select t.id from head k cross join lateral (
          select t.id from dockline.shipment t
          where t.facility_id = k.facility and (t.status, t.id) >= (k.status, k.first)
            and (t.status, t.id) <= (k.status, (select last from bound)) and t.discrepant
          order by t.facility_id, t.status, t.id limit p_limit) as t
        where k.first is not null order by t.id limit p_limit) into v_ids;
    else
      with head as (
        select k.*, (select t.id from dockline.shipment t
          where t.status = k.status and (t.facility_id, t.id) > (k.facility, p_after) and t.facility_id <= k.facility
          order by t.status, t.facility_id, t.id limit 1) as first
        from (select facility, status from unnest(v_facilities) as facility cross join unnest(v_statuses) as status) as k
        order by first limit p_limit
      ), bound as (
        select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
      )
      select array(
        select t.id from head k cross join lateral (
          select t.id from dockline.shipment t
          where t.status = k.status and (t.facility_id, t.id) >= (k.facility, k.first)
            and (t.facility_id, t.id) <= (k.facility, (select last from bound))
          order by t.status, t.facility_id, t.id limit p_limit) as t
        where k.first is not null order by t.id limit p_limit) into v_ids;
    end if;
  end if;
  return dockline.shipments_within(v_ids, p_rows, p_text);
end $$;

-- The first shipment after an id with an item of an LPN at a facility; many items of a shipment are one entry. The index has open shipments
-- in id order, and the others in the order of their negated ids.
create or replace function dockline.shipment_with_lpn(p_facility bigint, p_lpn text, p_after bigint) returns bigint
language plpgsql stable as $$
declare
  v_hash bigint := dockline.lpn_hash(p_lpn);
begin
  return least((
    select i.lpn_shipment_id from dockline.order_item i
    where i.facility_id = p_facility
      and (dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)), i.lpn_shipment_id) > (v_hash, p_after)
      and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) <= v_hash and coalesce(i.lpn_key, i.lpn) = p_lpn
    order by dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)), i.lpn_shipment_id limit 1
  ), -(
    select i.lpn_shipment_id from dockline.order_item i
    where i.facility_id = p_facility
      and (dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)), i.lpn_shipment_id) < (v_hash, -p_after)
      and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) >= v_hash and coalesce(i.lpn_key, i.lpn) = p_lpn
    order by dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) desc, i.lpn_shipment_id desc limit 1
  ));
end $$;

-- The first p_limit shipments after an id, at these facilities, that have an item with the LPN.
create or replace function dockline.shipments_with_lpn(p_facilities bigint[], p_lpn text, p_after bigint, p_limit int)
returns bigint[]
language plpgsql stable as $$
begin
  return (
    with recursive head as (
      select k.facility, dockline.shipment_with_lpn(k.facility, p_lpn, p_after) as id
      from unnest(p_facilities) as k(facility) order by id limit p_limit
    ), bound as (
      select case when count(id) < p_limit then 9223372036854775807 else max(id) end as last from head
    ), found as (
      select facility, id, 1 as place from head where id is not null
      union all
      select k.facility, t.id, k.place + 1
      from found k cross join lateral (select dockline.shipment_with_lpn(k.facility, p_lpn, k.id) as id offset 0) as t
      where t.id <= (select last from bound) and k.place < p_limit
    )
    select array(select id from found order by id limit p_limit));
end $$;

-- A page of shipments in the order of their times, and of ids where times are the same (shipments_within). The first and the last position
-- are included; with p_latest the page begins at the last. p_scopes: see facilities_within. p_number, p_status, p_carrier and p_trailer may
-- be null; at least one of the last two is null. With p_discrepancies it has those with discrepancies. Each kind of shipment at a facility
-- is a stream. Of the three queries (by carrier, by trailer, all), each with its own index, PostgreSQL runs only the one whose first
-- condition holds.
create or replace function dockline.shipment_page_by_time(
  p_scopes json, p_number text, p_status text, p_discrepancies boolean, p_carrier text, p_trailer text,
  p_latest boolean, p_first timestamptz, p_first_id bigint, p_last timestamptz, p_last_id bigint, p_limit int,
  p_rows int, p_text int
) returns json
language plpgsql stable as $$
declare
  v_ids bigint[];
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_statuses text[];
  v_discrepant boolean[];
begin
  select array_agg(k.status), array_agg(k.discrepant) into v_statuses, v_discrepant
  from (values ('SCHEDULED', false), ('SCHEDULED', true), ('ARRIVED', false), ('ARRIVED', true), ('DEPARTED', false),
    ('DEPARTED', true), ('CANCELLED', false)) as k(status, discrepant)
  where (p_status is null or k.status = p_status) and (not p_discrepancies or k.discrepant);
  if p_number is not null then
    v_ids := array(
      select t.id from unnest(v_facilities) as named(id) join dockline.facility f on f.id = named.id
      cross join lateral (
        select s.id, s.status, s.discrepant, s.carrier, s.trailer_number,
          coalesce(s.departed_at, s.arrived_at, s.expected_arrival_at) as at
        from dockline.shipment s
        where s.business_id = f.business_id and s.facility_id = f.id and s.number_key = p_number) as t
      where (t.at, t.id) >= (p_first, p_first_id) and (t.at, t.id) <= (p_last, p_last_id)
        and (p_carrier is null or t.carrier = p_carrier) and (p_trailer is null or t.trailer_number = p_trailer)
        and (p_status is null or t.status = p_status) and (not p_discrepancies or t.discrepant)
      order by case when p_latest then t.at end desc, case when p_latest then t.id end desc, t.at, t.id limit p_limit);
  elsif p_latest then
    with head as (
      select k.*, t.at, t.id from (select facility, kind.status, kind.discrepant
        from unnest(v_facilities) as facility cross join unnest(v_statuses, v_discrepant) as kind(status, discrepant)) as k
      cross join lateral ((
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is not null and hashtextextended(t.carrier, 0) = hashtextextended(p_carrier, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
          and t.carrier <> '' and t.carrier = p_carrier
        order by hashtextextended(t.carrier, 0) desc, t.facility_id desc, t.status desc, t.discrepant desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit 1
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_trailer is not null and hashtextextended(t.trailer_number, 0) = hashtextextended(p_trailer, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
          and t.trailer_number <> '' and t.trailer_number = p_trailer
        order by hashtextextended(t.trailer_number, 0) desc, t.facility_id desc, t.status desc, t.discrepant desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit 1
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is null and p_trailer is null and t.status = k.status and t.discrepant = k.discrepant
          and t.facility_id = k.facility
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
        order by t.status desc, t.discrepant desc, t.facility_id desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit 1
      )) as t
      order by t.at desc, t.id desc limit p_limit
    ), bound as (
      select at, id from head order by at desc, id desc offset p_limit - 1 limit 1
    )
    select array(
      select t.id from head k
      cross join lateral ((
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is not null and hashtextextended(t.carrier, 0) = hashtextextended(p_carrier, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            >= (coalesce((select at from bound), p_first), coalesce((select id from bound), p_first_id))
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (k.at, k.id)
          and t.carrier <> '' and t.carrier = p_carrier
        order by hashtextextended(t.carrier, 0) desc, t.facility_id desc, t.status desc, t.discrepant desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit p_limit
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_trailer is not null and hashtextextended(t.trailer_number, 0) = hashtextextended(p_trailer, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            >= (coalesce((select at from bound), p_first), coalesce((select id from bound), p_first_id))
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (k.at, k.id)
          and t.trailer_number <> '' and t.trailer_number = p_trailer
        order by hashtextextended(t.trailer_number, 0) desc, t.facility_id desc, t.status desc, t.discrepant desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit p_limit
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is null and p_trailer is null and t.status = k.status and t.discrepant = k.discrepant
          and t.facility_id = k.facility
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            >= (coalesce((select at from bound), p_first), coalesce((select id from bound), p_first_id))
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (k.at, k.id)
        order by t.status desc, t.discrepant desc, t.facility_id desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit p_limit
      )) as t
      order by t.at desc, t.id desc limit p_limit) into v_ids;
  else
    with head as (
      select k.*, t.at, t.id from (select facility, kind.status, kind.discrepant
        from unnest(v_facilities) as facility cross join unnest(v_statuses, v_discrepant) as kind(status, discrepant)) as k
      cross join lateral ((
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is not null and hashtextextended(t.carrier, 0) = hashtextextended(p_carrier, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
          and t.carrier <> '' and t.carrier = p_carrier
        order by hashtextextended(t.carrier, 0), t.facility_id, t.status, t.discrepant,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id limit 1
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_trailer is not null and hashtextextended(t.trailer_number, 0) = hashtextextended(p_trailer, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
          and t.trailer_number <> '' and t.trailer_number = p_trailer
        order by hashtextextended(t.trailer_number, 0), t.facility_id, t.status, t.discrepant,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id limit 1
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is null and p_trailer is null and t.status = k.status and t.discrepant = k.discrepant
          and t.facility_id = k.facility
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
        order by t.status, t.discrepant, t.facility_id, coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at),
          t.id limit 1
      )) as t
      order by t.at, t.id limit p_limit
    ), bound as (
      select at, id from head order by at, id offset p_limit - 1 limit 1
    )
    select array(
      select t.id from head k
      cross join lateral ((
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is not null and hashtextextended(t.carrier, 0) = hashtextextended(p_carrier, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (k.at, k.id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            <= (coalesce((select at from bound), p_last), coalesce((select id from bound), p_last_id))
          and t.carrier <> '' and t.carrier = p_carrier
        order by hashtextextended(t.carrier, 0), t.facility_id, t.status, t.discrepant,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id limit p_limit
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_trailer is not null and hashtextextended(t.trailer_number, 0) = hashtextextended(p_trailer, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (k.at, k.id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            <= (coalesce((select at from bound), p_last), coalesce((select id from bound), p_last_id))
          and t.trailer_number <> '' and t.trailer_number = p_trailer
        order by hashtextextended(t.trailer_number, 0), t.facility_id, t.status, t.discrepant,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id limit p_limit
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is null and p_trailer is null and t.status = k.status and t.discrepant = k.discrepant
          and t.facility_id = k.facility
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (k.at, k.id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            <= (coalesce((select at from bound), p_last), coalesce((select id from bound), p_last_id))
        order by t.status, t.discrepant, t.facility_id, coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at),
          t.id limit p_limit
      )) as t
      order by t.at, t.id limit p_limit) into v_ids;
  end if;
  return dockline.shipments_within(v_ids, p_rows, p_text);
end $$;

-- A page of orders: [[id, rows, characters]] of those within the budget of p_rows and p_text, but at least two. p_scopes: see
-- facilities_within; p_number may be null.
create or replace function dockline.order_page(
  p_scopes json, p_number text, p_after bigint, p_limit int, p_rows int, p_text int
) returns json
language plpgsql stable as $$
declare
  v_ids bigint[];
  v_id bigint;
  v_rows bigint;
  v_text bigint;
  v_rows_held bigint := 0;
  v_text_held bigint := 0;
  v_page json[] := '{}';
  v_facilities bigint[];
begin
  if p_scopes is null and p_number is null then
    v_ids := array(select t.id from dockline.customer_order t where t.id > p_after order by t.id limit p_limit);
  else
    v_facilities := dockline.facilities_within(p_scopes);
    if p_number is not null then
      with head as (
        select k.*, (select t.id from dockline.customer_order t
          where t.facility_id = k.facility and (t.number_key, t.id) > (p_number, p_after) and t.number_key <= p_number
          order by t.facility_id, t.number_key, t.id limit 1) as first
        from unnest(v_facilities) as k(facility) order by first limit p_limit
      ), bound as (
        select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
      )
      select array(
        select t.id from head k cross join lateral (
          select t.id from dockline.customer_order t
          where t.facility_id = k.facility and (t.number_key, t.id) >= (p_number, k.first)
            and (t.number_key, t.id) <= (p_number, (select last from bound))
          order by t.facility_id, t.number_key, t.id limit p_limit) as t
        where k.first is not null order by t.id limit p_limit) into v_ids;
    else
      with head as (
        select k.*, (select t.id from dockline.customer_order t
          where (t.facility_id, t.id) > (k.facility, p_after) and t.facility_id <= k.facility
          order by t.facility_id, t.id limit 1) as first
        from unnest(v_facilities) as k(facility) order by first limit p_limit
      ), bound as (
        select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
      )
      select array(
        select t.id from head k cross join lateral (
          select t.id from dockline.customer_order t
          where (t.facility_id, t.id) >= (k.facility, k.first)
            and (t.facility_id, t.id) <= (k.facility, (select last from bound))
          order by t.facility_id, t.id limit p_limit) as t
        where k.first is not null order by t.id limit p_limit) into v_ids;
    end if;
  end if;
  foreach v_id in array v_ids loop
    select o.row_count, o.text_size into v_rows, v_text from dockline.customer_order o where o.id = v_id;
    v_page := v_page || json_build_array(v_id::text, v_rows, v_text);
    v_rows_held := v_rows_held + v_rows;
    v_text_held := v_text_held + v_text;
    exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
  end loop;
  return array_to_json(v_page);
end $$;
