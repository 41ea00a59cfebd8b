-- Search by a number or an LPN (D13.11).

-- Whether a text equals another one, ignoring the case of A to Z, or with p_ends ends with it; p_folded is in lower case.
create or replace function dockline.is_similar(p_text text, p_folded text, p_ends boolean) returns boolean
language sql immutable parallel safe as $$
  select lower(p_text collate "C") = p_folded
    or p_ends and right(lower(p_text collate "C"), char_length(p_folded)) = p_folded
$$;

-- An item with an LPN at a facility: the item of the newest open shipment with an id below p_after, or of the newest final shipment with an
-- id above -p_after. The index has lpn_shipment_id, which is the negated id for final shipments.
create or replace function dockline.item_with_lpn(p_facility bigint, p_lpn text, p_open boolean, p_after bigint)
returns table (business_id bigint, lpn_shipment_id bigint, order_id bigint, id bigint)
language plpgsql stable as $$
#variable_conflict use_column
declare
  v_hash bigint := dockline.lpn_hash(p_lpn);
begin
  if p_open then
    return query select t.business_id, t.lpn_shipment_id, t.order_id, t.id from dockline.order_item t
    where t.facility_id = p_facility
      and (dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)), t.lpn_shipment_id) < (v_hash, p_after)
      and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) >= v_hash
      and coalesce(t.lpn_key, t.lpn) = p_lpn and t.lpn_shipment_id > 0
    order by t.facility_id desc, dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) desc, t.lpn_shipment_id desc limit 1;
  else
    return query select t.business_id, t.lpn_shipment_id, t.order_id, t.id from dockline.order_item t
    where t.facility_id = p_facility
      and (dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)), t.lpn_shipment_id) > (v_hash, p_after)
      and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) <= v_hash
      and coalesce(t.lpn_key, t.lpn) = p_lpn and t.lpn_shipment_id < 0
    order by t.facility_id, dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)), t.lpn_shipment_id limit 1;
  end if;
end $$;

-- The numbers, LPNs and LPNs of removed items that match p_text: the first p_limit of each kind in the order of core's `rank`. p_key is the
-- index key of the text, p_folded and p_ending are the text and its ending as core folds them, and p_ends says whether texts that end with
-- it match. Exact matches have queries of their own, so they are found however many others there are. Of inexact matches, at most p_depth
-- entries with the ending are examined for each kind and facility: the newest, and for items any. If exact entries fill the limit, inexact
-- ones are not searched. p_scopes: see facilities_within.
create or replace function dockline.search_entries(
  p_scopes json, p_text text, p_key text, p_folded text, p_ending text, p_ends boolean, p_depth int, p_limit int
) returns json
language plpgsql stable as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  -- The least hash of LPNs with the ending.
  v_least bigint := (hashtextextended(p_ending, 0) & 2147483647) * 4294967296;
  v_found json[];
  v_items json[];
  v_filled boolean;
begin
  v_found := array(select json_build_array('SHIPMENT', t.id, t.text, t.facility_id, t.shipment_id, '', 0)
    from unnest(v_facilities) as k(facility_id) cross join lateral (
      select t.facility_id, t.id, t.number as text, t.id as shipment_id from dockline.shipment t
      where t.business_id = (select f.business_id from dockline.facility f where f.id = k.facility_id)
        and t.facility_id = k.facility_id and t.number_key >= p_key and t.number_key <= p_key
      order by t.number_key limit p_limit) as t
    order by t.id desc limit p_limit)
  || array(select json_build_array('TRAILER', t.id, t.text, t.facility_id, t.shipment_id, '', 0)
    from unnest(v_facilities) as k(facility_id) cross join lateral (
      select t.facility_id, t.id, t.trailer_number as text, t.id as shipment_id from dockline.shipment t
      where t.facility_id = k.facility_id and t.trailer_number = p_text and t.trailer_number <> ''
        and hashtextextended(t.trailer_number, 0) >= hashtextextended(p_text, 0)
        and hashtextextended(t.trailer_number, 0) <= hashtextextended(p_text, 0)
      order by hashtextextended(t.trailer_number, 0) desc, t.id desc limit p_limit) as t
    order by t.id desc limit p_limit)
  || array(select json_build_array('ORDER', t.id, t.text, t.facility_id, t.shipment_id, t.text, 0)
    from unnest(v_facilities) as k(facility_id) cross join lateral (
      select t.facility_id, t.id, t.number as text, t.shipment_id as shipment_id from dockline.customer_order t
      where t.facility_id = k.facility_id and t.number <> '' and t.number_key >= p_key and t.number_key <= p_key
      order by t.number_key desc, t.id desc limit p_limit) as t
    order by t.id desc limit p_limit)
  || array(select json_build_array('PALLET', t.id, t.text, t.facility_id, t.shipment_id, '', 0)
    from unnest(v_facilities) as k(facility_id) cross join lateral (
      select t.facility_id, t.id, t.lpn as text, t.shipment_id as shipment_id from dockline.pallet t
      where t.facility_id = k.facility_id and t.lpn <> '' and t.lpn_key >= p_key and t.lpn_key <= p_key
      order by t.lpn_key, t.place limit p_limit) as t
    order by t.id desc limit p_limit);
  v_items := array(
    select json_build_array('ITEM', t.id, (select i.lpn from dockline.order_item i
        where i.business_id = t.business_id and i.order_id = t.order_id and i.id = t.id),
      t.facility_id, t.shipment_id, (select o.number from dockline.customer_order o
        where o.business_id = t.business_id and o.id = t.order_id), 0)
    from (
      select k.facility_id, w.business_id, abs(w.lpn_shipment_id) as shipment_id, w.order_id, w.id
      from unnest(v_facilities) as k(facility_id)
      cross join (values (true, 9223372036854775807), (false, -9223372036854775807)) as side(open, beginning)
      cross join lateral (
        with recursive walk as (
          select n.* from dockline.item_with_lpn(k.facility_id, p_text, side.open, side.beginning) as n
          union all
          select n.* from walk w
          cross join lateral dockline.item_with_lpn(k.facility_id, p_text, side.open, w.lpn_shipment_id) as n
        )
        select * from walk limit p_limit
      ) as w
    ) as t
    order by t.shipment_id desc, t.id desc limit p_limit);
  v_filled := greatest(cardinality(v_found), cardinality(v_items)) >= p_limit;
  if not v_filled then
    v_items := v_items || array(select json_build_array('SHIPMENT', t.id, t.text, t.facility_id, t.shipment_id, '',
      t.distance)
      from (
        select t.*, case when lower(t.compared collate "C") = p_folded then 1 else 2 end as distance
        from unnest(v_facilities) as k(facility_id) cross join lateral (
          select t.facility_id, t.id, t.number as text, t.number as compared, t.id as shipment_id from dockline.shipment t
          where t.facility_id = k.facility_id and lower(right(t.number, 6) collate "C") = p_ending and t.number <> ''
          order by t.id desc limit p_depth) as t
        where t.compared <> p_text and dockline.is_similar(t.compared, p_folded, p_ends)) as t
      order by t.distance, t.id desc limit p_limit)
    || array(select json_build_array('TRAILER', t.id, t.text, t.facility_id, t.shipment_id, '', t.distance)
      from (
        select t.*, case when lower(t.compared collate "C") = p_folded then 1 else 2 end as distance
        from unnest(v_facilities) as k(facility_id) cross join lateral (
          select t.facility_id, t.id, t.trailer_number as text, t.trailer_number as compared,
            t.id as shipment_id from dockline.shipment t
          where t.facility_id = k.facility_id and lower(right(t.trailer_number, 6) collate "C") = p_ending
            and t.trailer_number <> ''
          order by t.id desc limit p_depth) as t
        where t.compared <> p_text and dockline.is_similar(t.compared, p_folded, p_ends)) as t
      order by t.distance, t.id desc limit p_limit)
    || array(select json_build_array('ORDER', t.id, t.text, t.facility_id, t.shipment_id, t.text, t.distance)
      from (
        select t.*, case when lower(t.compared collate "C") = p_folded then 1 else 2 end as distance
        from unnest(v_facilities) as k(facility_id) cross join lateral (
          select t.facility_id, t.id, t.number as text, t.number as compared,
            t.shipment_id as shipment_id from dockline.customer_order t
          where t.facility_id = k.facility_id and lower(right(t.number, 6) collate "C") = p_ending and t.number <> ''
          order by t.id desc limit p_depth) as t
        where t.compared <> p_text and dockline.is_similar(t.compared, p_folded, p_ends)) as t
      order by t.distance, t.id desc limit p_limit)
    || array(select json_build_array('PALLET', t.id, t.text, t.facility_id, t.shipment_id, '', t.distance)
      from (
        select t.*, case when lower(t.compared collate "C") = p_folded then 1 else 2 end as distance
        from unnest(v_facilities) as k(facility_id) cross join lateral (
          select t.facility_id, t.id, t.lpn as text, dockline.pallet_lpn(t.lpn_key, t.lpn) as compared,
            t.shipment_id as shipment_id from dockline.pallet t
          where t.facility_id = k.facility_id
            and lower(right(dockline.pallet_lpn(t.lpn_key, t.lpn), 6) collate "C") = p_ending
            and t.lpn <> ''
          order by t.id desc limit p_depth) as t
        where t.compared <> p_text and dockline.is_similar(t.compared, p_folded, p_ends)) as t
      order by t.distance, t.id desc limit p_limit)
    || array(select json_build_array('ITEM', t.id, t.text, t.facility_id, t.shipment_id,
        (select o.number from dockline.customer_order o where o.business_id = t.business_id and o.id = t.order_id),
          t.distance)
      from (
        select distinct on (t.shipment_id, t.compared) t.*,
          case when lower(t.compared collate "C") = p_folded then 1 else 2 end as distance
        from (
          select i.*, (select o.shipment_id from dockline.customer_order o
            where o.business_id = i.business_id and o.id = i.order_id) as shipment_id
          from (
            select t.* from unnest(v_facilities) as k(facility_id) cross join lateral (
              select t.business_id, t.facility_id, t.id, t.lpn as text, coalesce(t.lpn_key, t.lpn) as compared, t.order_id
              from dockline.order_item t
              where t.facility_id = k.facility_id and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) >= v_least
                and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) <= v_least + 4294967295
              order by t.facility_id, dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)), t.lpn_shipment_id, t.order_id
              limit p_depth) as t
            where lower(right(t.compared, 6) collate "C") = p_ending and t.compared <> p_text
              and dockline.is_similar(t.compared, p_folded, p_ends)
          ) as i
        ) as t
        order by t.shipment_id, t.compared, t.id desc) as t
      order by t.distance, t.shipment_id desc, t.id desc limit p_limit);
  end if;
  return json_build_object('removed', array(select r.lpn from (
      select p_text as lpn, 0 as distance, 0 as document_id
      where p_key like '=%' and exists (select from unnest(v_facilities) as k(facility_id)
        where (select t.document_id from dockline.document_removal t
          where t.facility_id = k.facility_id and t.lpn_key = p_key limit 1) is not null)
      union all
      select t.lpn, case when lower(t.lpn collate "C") = p_folded then 1 else 2 end, t.document_id
      from unnest(v_facilities) as k(facility_id) cross join lateral (
        select substr(t.lpn_key, 2) as lpn, t.document_id from dockline.document_removal t
        where not v_filled and t.facility_id = k.facility_id
          and lower(right(substr(t.lpn_key, 2), 6) collate "C") = p_ending
          and t.lpn_key like '=%'
        order by t.document_id desc limit p_depth) as t
      where t.lpn <> p_text and dockline.is_similar(t.lpn, p_folded, p_ends)
    ) as r group by r.lpn, r.distance order by r.distance, max(r.document_id) desc, r.lpn limit p_limit),
    'entries', coalesce((
    select json_agg(json_build_object('kind', e->>0, 'id', e->1, 'text', e->>2, 'shipmentId', s.id,
      'shipmentNumber', s.number, 'status', s.status,
      'missingPallets', s.missing_pallets, 'unexpectedPallets', s.unexpected_pallets, 'orderNumber', e->>5,
      'location', json_build_object('business', json_build_object('slug', b.slug, 'name', b.name),
        'facility', json_build_object('slug', f.slug, 'name', f.name))))
    from unnest(v_found || v_items) as e
    join dockline.facility f on f.id = (e->>3)::bigint
    join dockline.business b on b.id = f.business_id
    cross join lateral (select s.* from dockline.shipment s where s.business_id = f.business_id and s.id = (e->>4)::bigint
      offset 0) as s), '[]'));
end $$;
