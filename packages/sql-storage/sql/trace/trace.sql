-- The trace of goods (D13.14).

-- The items with the lot, the SKU or the LPN p_text, after p_after in the order of their ids, as core's `TraceEntry`, with the last
-- sightings of their pallets. If more than p_most items have the LPN, the result is the single entry {"id": "0"}. p_scopes: see
-- facilities_within. The items of each facility with a lot or an SKU are a stream (shipment_lists.sql). The two branches differ only in the
-- column, because each needs the expression of its index: change both together.
create or replace function dockline.trace_page(
  p_scopes json, p_key text, p_text text, p_most int, p_after bigint, p_limit int
) returns json
language plpgsql stable as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_businesses bigint[];
  v_orders bigint[];
  v_ids bigint[];
  v_entries json[] := '{}';
  v_item record;
  v_keys text[];
  v_pallet record;
begin
  if p_key = 'lot' then
    with head as (
      select k.*, (select t.id from dockline.order_item t
        where (hashtextextended(t.lot, t.facility_id), t.id) > (hashtextextended(p_text, k.facility), p_after)
          and hashtextextended(t.lot, t.facility_id) <= hashtextextended(p_text, k.facility)
          and t.lot = p_text and t.lot <> '' and t.facility_id = k.facility
        order by hashtextextended(t.lot, t.facility_id), t.id limit 1) as first
      from unnest(v_facilities) as k(facility) order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array_agg(i.business_id), array_agg(i.order_id), array_agg(i.id) into v_businesses, v_orders, v_ids from (
      select t.* from head k cross join lateral (
        select t.business_id, t.order_id, t.id from dockline.order_item t
        where (hashtextextended(t.lot, t.facility_id), t.id) >= (hashtextextended(p_text, k.facility), k.first)
          and (hashtextextended(t.lot, t.facility_id), t.id) <= (hashtextextended(p_text, k.facility), (select last from bound))
          and t.lot = p_text and t.lot <> '' and t.facility_id = k.facility
        order by hashtextextended(t.lot, t.facility_id), t.id limit p_limit) as t
      where k.first is not null order by t.id limit p_limit) as i;
  elsif p_key = 'sku' then
    with head as (
      select k.*, (select t.id from dockline.order_item t
        where (hashtextextended(t.sku, t.facility_id), t.id) > (hashtextextended(p_text, k.facility), p_after)
          and hashtextextended(t.sku, t.facility_id) <= hashtextextended(p_text, k.facility)
          and t.sku = p_text and t.sku <> '' and t.facility_id = k.facility
        order by hashtextextended(t.sku, t.facility_id), t.id limit 1) as first
      from unnest(v_facilities) as k(facility) order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array_agg(i.business_id), array_agg(i.order_id), array_agg(i.id) into v_businesses, v_orders, v_ids from (
      select t.* from head k cross join lateral (
        select t.business_id, t.order_id, t.id from dockline.order_item t
        where (hashtextextended(t.sku, t.facility_id), t.id) >= (hashtextextended(p_text, k.facility), k.first)
          and (hashtextextended(t.sku, t.facility_id), t.id) <= (hashtextextended(p_text, k.facility), (select last from bound))
          and t.sku = p_text and t.sku <> '' and t.facility_id = k.facility
        order by hashtextextended(t.sku, t.facility_id), t.id limit p_limit) as t
      where k.first is not null order by t.id limit p_limit) as i;
  else
    select array_agg(i.business_id), array_agg(i.order_id), array_agg(i.id) into v_businesses, v_orders, v_ids
    from unnest(v_facilities) as k(facility) cross join lateral (
      select t.business_id, t.order_id, t.id from dockline.order_item t
      where t.facility_id = k.facility and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) >= dockline.lpn_hash(p_text)
        and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) <= dockline.lpn_hash(p_text)
        and coalesce(t.lpn_key, t.lpn) = p_text
      limit p_most + 1
    ) as i;
    if cardinality(v_ids) > p_most then return json_build_array(json_build_object('id', '0')); end if;
  end if;
  for v_item in
    select i.*, o.number as order_number, o.shipment_id, o.purchase_order as order_purchase_order, o.supplier,
      o.consignee_name, o.destination
    from unnest(v_businesses, v_orders, v_ids) as k(business_id, order_id, id)
    cross join lateral (select i.* from dockline.order_item i
      where i.business_id = k.business_id and i.order_id = k.order_id and i.id = k.id) as i
    cross join lateral (select o.* from dockline.customer_order o
      where o.business_id = i.business_id and o.id = i.order_id) as o
    where k.id > p_after order by k.id limit p_limit
  loop
    -- The two keys that a pallet with the LPN may have (BusinessRows.ts): of a short and of a long LPN. An item without an LPN has none.
    v_keys := case when v_item.lpn <> '' then array['=' || coalesce(v_item.lpn_key, v_item.lpn),
      '#' || encode(sha256(convert_to(coalesce(v_item.lpn_key, v_item.lpn), 'UTF8')), 'hex')] end;
    -- The pallet of the shipment of the item, or else the newest one at the facility (place: see list_place).
    select p.* into v_pallet from unnest(v_keys) as named(key) cross join lateral (
      select p.shipment_id, p.id, p.last_direction, p.last_dock_id, p.last_seen_at from dockline.pallet p
      where p.business_id = v_item.business_id and (p.lpn_key, p.shipment_id) >= (named.key, v_item.shipment_id)
        and (p.lpn_key, p.shipment_id) <= (named.key, v_item.shipment_id)
      order by p.lpn_key, p.shipment_id limit 1) as p limit 1;
    if v_pallet.id is null then
      select p.* into v_pallet from unnest(v_keys) as named(key) cross join lateral (
        select p.shipment_id, p.id, p.last_direction, p.last_dock_id, p.last_seen_at from dockline.pallet p
        where p.facility_id = v_item.facility_id and p.lpn_key >= named.key and p.lpn_key <= named.key
        order by p.lpn_key, p.place limit 1) as p limit 1;
    end if;
    v_entries := v_entries || (select json_build_object('id', v_item.id::text, 'lot', v_item.lot, 'sku', v_item.sku,
        'lpn', v_item.lpn, 'quantity', v_item.quantity, 'quantityUnit', v_item.quantity_unit,
        'expirationDate', coalesce(to_char(v_item.expiration_date, 'YYYY-MM-DD'), ''),
        'business', json_build_object('slug', b.slug, 'name', b.name),
        'facility', json_build_object('slug', f.slug, 'name', f.name),
        'orderNumber', v_item.order_number,
        'purchaseOrder', coalesce(nullif(v_item.purchase_order, ''), v_item.order_purchase_order),
        'supplier', v_item.supplier, 'consigneeName', v_item.consignee_name, 'destination', v_item.destination,
        'shipmentId', s.id, 'shipmentNumber', s.number, 'status', s.status, 'direction', s.direction,
        'carrier', s.carrier, 'trailerNumber', s.trailer_number,
        'arrivedAt', coalesce(dockline.rfc3339(s.arrived_at), ''),
        'departedAt', coalesce(dockline.rfc3339(s.departed_at), ''),
        'palletId', coalesce(v_pallet.id::text, ''), 'seenShipmentId', coalesce(v_pallet.shipment_id, 0),
        'seenShipmentNumber', coalesce((select seen.number from dockline.shipment seen
          where seen.business_id = s.business_id and seen.id = v_pallet.shipment_id), ''),
        'seenDirection', coalesce(v_pallet.last_direction, ''),
        'seenDockSlug', coalesce((select d.slug from dockline.dock d where d.id = v_pallet.last_dock_id), ''),
        'seenAt', coalesce(dockline.rfc3339(v_pallet.last_seen_at), ''))
      from dockline.shipment s
      join dockline.facility f on f.id = s.facility_id
      join dockline.business b on b.id = s.business_id
      where s.business_id = v_item.business_id and s.id = v_item.shipment_id);
  end loop;
  return array_to_json(v_entries);
end $$;
