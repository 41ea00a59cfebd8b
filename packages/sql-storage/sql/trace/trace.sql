-- The items with the lot, the SKU or the LPN p_text, after p_after in the order of their ids, as core's `TraceEntry`.
-- An entry with the id 0 says that more than p_most items have the LPN. p_scopes: see facilities_within.
create or replace function dockline.trace_page(
  p_scopes json, p_key text, p_text text, p_most int, p_after bigint, p_limit int
) returns json
language plpgsql stable as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_ids bigint[];
  v_entries json[] := '{}';
  v_item record;
  v_order record;
  v_seen bigint[];
begin
  if p_key = 'lot' then
    with head as (
      select k.*, (select t.id from dockline.order_item t
        where (hashtextextended(t.lot, t.facility_id), t.id) > (hashtextextended(p_text, k.facility), p_after) and hashtextextended(t.lot, t.facility_id) <= hashtextextended(p_text, k.facility) and t.lot = p_text and t.lot <> '' and t.facility_id = k.facility
        order by hashtextextended(t.lot, t.facility_id), t.id limit 1) as first
      from unnest(v_facilities) as k(facility) order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array(
      select array[t.business_id, t.order_id, t.id] from head k cross join lateral (
        select t.* from dockline.order_item t
        where (hashtextextended(t.lot, t.facility_id), t.id) >= (hashtextextended(p_text, k.facility), k.first)
          and (hashtextextended(t.lot, t.facility_id), t.id) <= (hashtextextended(p_text, k.facility), (select last from bound)) and t.lot = p_text and t.lot <> '' and t.facility_id = k.facility
        order by hashtextextended(t.lot, t.facility_id), t.id limit p_limit) as t
      where k.first is not null order by t.id limit p_limit) into v_ids;
  elsif p_key = 'sku' then
    with head as (
      select k.*, (select t.id from dockline.order_item t
        where (hashtextextended(t.sku, t.facility_id), t.id) > (hashtextextended(p_text, k.facility), p_after) and hashtextextended(t.sku, t.facility_id) <= hashtextextended(p_text, k.facility) and t.sku = p_text and t.sku <> '' and t.facility_id = k.facility
        order by hashtextextended(t.sku, t.facility_id), t.id limit 1) as first
      from unnest(v_facilities) as k(facility) order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array(
      select array[t.business_id, t.order_id, t.id] from head k cross join lateral (
        select t.* from dockline.order_item t
        where (hashtextextended(t.sku, t.facility_id), t.id) >= (hashtextextended(p_text, k.facility), k.first)
          and (hashtextextended(t.sku, t.facility_id), t.id) <= (hashtextextended(p_text, k.facility), (select last from bound)) and t.sku = p_text and t.sku <> '' and t.facility_id = k.facility
        order by hashtextextended(t.sku, t.facility_id), t.id limit p_limit) as t
      where k.first is not null order by t.id limit p_limit) into v_ids;
  else
    v_ids := array(select t.place from unnest(v_facilities) as k(facility) cross join lateral (
        select array[t.business_id, t.order_id, t.id] as place from dockline.order_item t
        where t.facility_id = k.facility and ((hashtextextended((lower(right(coalesce(t.lpn_key, t.lpn), 6) collate "C")), 0) & 2147483647) * 4294967296 + (hashtextextended(coalesce(t.lpn_key, t.lpn), 0) & 4294967295)) >= ((hashtextextended((lower(right(p_text, 6) collate "C")), 0) & 2147483647) * 4294967296 + (hashtextextended(p_text, 0) & 4294967295)) and ((hashtextextended((lower(right(coalesce(t.lpn_key, t.lpn), 6) collate "C")), 0) & 2147483647) * 4294967296 + (hashtextextended(coalesce(t.lpn_key, t.lpn), 0) & 4294967295)) <= ((hashtextextended((lower(right(p_text, 6) collate "C")), 0) & 2147483647) * 4294967296 + (hashtextextended(p_text, 0) & 4294967295))
          and coalesce(t.lpn_key, t.lpn) = p_text
        limit p_most + 1
      ) as t limit p_most + 1);
    if array_length(v_ids, 1) > p_most then return json_build_array(json_build_object('id', '0')); end if;
    v_ids := array(select array[v_ids[n][1], v_ids[n][2], v_ids[n][3]] from generate_subscripts(v_ids, 1) as n
      where v_ids[n][3] > p_after order by v_ids[n][3] limit p_limit);
  end if;
  for n in 1 .. coalesce(array_length(v_ids, 1), 0) loop
    select i.* into v_item from dockline.order_item i
      where i.business_id = v_ids[n][1] and i.order_id = v_ids[n][2] and i.id = v_ids[n][3];
    select o.* into v_order from dockline.customer_order o
      where o.business_id = v_ids[n][1] and o.id = v_ids[n][2];
    v_seen := case when v_item.lpn <> '' then coalesce(
      (select array[p.shipment_id, p.id] from dockline.pallet p
          where p.business_id = v_item.business_id and (p.lpn_key, p.shipment_id) >= ('=' || coalesce(v_item.lpn_key, v_item.lpn), v_order.shipment_id) and (p.lpn_key, p.shipment_id) <= ('=' || coalesce(v_item.lpn_key, v_item.lpn), v_order.shipment_id) order by p.lpn_key, p.shipment_id limit 1), (select array[p.shipment_id, p.id] from dockline.pallet p
          where p.business_id = v_item.business_id and (p.lpn_key, p.shipment_id) >= ('#' || encode(sha256(convert_to(coalesce(v_item.lpn_key, v_item.lpn), 'UTF8')), 'hex'), v_order.shipment_id) and (p.lpn_key, p.shipment_id) <= ('#' || encode(sha256(convert_to(coalesce(v_item.lpn_key, v_item.lpn), 'UTF8')), 'hex'), v_order.shipment_id) order by p.lpn_key, p.shipment_id limit 1), (select array[p.shipment_id, p.id] from dockline.pallet p
          where p.facility_id = v_item.facility_id and p.lpn_key >= '=' || coalesce(v_item.lpn_key, v_item.lpn) and p.lpn_key <= '=' || coalesce(v_item.lpn_key, v_item.lpn) order by p.lpn_key, (-p.id) limit 1), (select array[p.shipment_id, p.id] from dockline.pallet p
          where p.facility_id = v_item.facility_id and p.lpn_key >= '#' || encode(sha256(convert_to(coalesce(v_item.lpn_key, v_item.lpn), 'UTF8')), 'hex') and p.lpn_key <= '#' || encode(sha256(convert_to(coalesce(v_item.lpn_key, v_item.lpn), 'UTF8')), 'hex') order by p.lpn_key, (-p.id) limit 1)) end;
    v_entries := v_entries || (select json_build_object('id', v_item.id::text, 'lot', v_item.lot, 'sku', v_item.sku,
        'lpn', v_item.lpn, 'quantity', v_item.quantity, 'quantityUnit', v_item.quantity_unit,
        'expirationDate', coalesce(to_char(v_item.expiration_date, 'YYYY-MM-DD'), ''),
        'business', json_build_object('slug', b.slug, 'name', b.name),
        'facility', json_build_object('slug', f.slug, 'name', f.name),
        'orderNumber', v_order.number,
        'purchaseOrder', coalesce(nullif(v_item.purchase_order, ''), v_order.purchase_order),
        'supplier', v_order.supplier, 'consigneeName', v_order.consignee_name, 'destination', v_order.destination,
        'shipmentId', s.id, 'shipmentNumber', s.number, 'status', s.status, 'direction', s.direction,
        'carrier', s.carrier, 'trailerNumber', s.trailer_number,
        'arrivedAt', coalesce(dockline.rfc3339(s.arrived_at), ''),
        'departedAt', coalesce(dockline.rfc3339(s.departed_at), ''),
        'palletId', coalesce(p.id::text, ''), 'seenShipmentId', coalesce(p.shipment_id, 0),
        'seenShipmentNumber', coalesce((select seen.number from dockline.shipment seen
          where seen.business_id = s.business_id and seen.id = p.shipment_id), ''),
        'seenDirection', coalesce(p.last_direction, ''),
        'seenDockSlug', coalesce((select d.slug from dockline.dock d where d.id = p.last_dock_id), ''),
        'seenAt', coalesce(dockline.rfc3339(p.last_seen_at), ''))
      from dockline.shipment s
      join dockline.facility f on f.id = s.facility_id
      join dockline.business b on b.id = s.business_id
      left join dockline.pallet p on p.business_id = s.business_id and p.shipment_id = v_seen[1] and p.id = v_seen[2]
      where s.business_id = v_order.business_id and s.id = v_order.shipment_id);
  end loop;
  return array_to_json(v_entries);
end $$;
