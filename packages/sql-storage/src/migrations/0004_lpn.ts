/**
 * A part of migration 4: what finds the latest open shipment of a facility that holds an lpn.
 *
 * Each item says in which open shipment its lpn is to be found, and one index has that in order. So a look-up is one
 * descent of a B-tree, whatever other facilities store under the lpn ("N/A" may be on a million items), and however
 * many items, open and departed shipments of the facility itself have it or have not.
 *
 * Who keeps it: intake writes it with new items and with the orders it moves, the departure sets it to 0.
 */

/** The columns and their index. */
export const lpnColumns: ReadonlyArray<string> = [
  // Where the item belongs; an order never changes facility. Neither column has a foreign key: both repeat what is so
  // by the item's order. lpn_shipment_id is 0 once the shipment has departed.
  `alter table dockline.order_item add column facility_id bigint, add column lpn_shipment_id bigint`,
  `update dockline.order_item i set facility_id = o.facility_id,
      lpn_shipment_id = case when s.status = 'DEPARTED' then 0 else s.id end
    from dockline.customer_order o join dockline.shipment s on s.id = o.shipment_id
    where o.id = i.order_id`,
  `alter table dockline.order_item alter column facility_id set not null,
    alter column lpn_shipment_id set not null`,
  // Of the lpn's hash, as a text of 4 KiB fits no B-tree row.
  `create index order_item_lpn
    on dockline.order_item (facility_id, hashtextextended(lpn, 0), lpn_shipment_id, order_id)`
]

/** The functions. */
export const lpnFunctions: ReadonlyArray<string> = [
  /*
   * The plan is held to the index: made while the tables are small, it would read all of them, and serve on when they
   * are not.
   */
  `create function dockline.shipment_by_lpn(p_facility bigint, p_lpn text) returns bigint
    language plpgsql stable
    set plan_cache_mode = force_generic_plan set enable_bitmapscan = off set enable_seqscan = off as $$
    begin
      return (select i.lpn_shipment_id from dockline.order_item i
        where i.facility_id = p_facility and hashtextextended(i.lpn, 0) = hashtextextended(p_lpn, 0)
          and i.lpn_shipment_id > 0 and i.lpn = p_lpn
        order by i.lpn_shipment_id desc limit 1);
    end $$`,
  /* The function of migration 1, but that it writes the two columns. A departed shipment's items do not change. */
  `create or replace function dockline.intake_apply(p_facility bigint, p_now timestamptz, p_plan jsonb) returns json
    language plpgsql set plan_cache_mode = force_generic_plan as $$
    declare
      v_shipment bigint := p_plan->'shipmentId';
      v_row dockline.shipment;
      v_orders bigint[] := '{}';
      v_changed bigint[];
      v_items bigint[] := '{}';
    begin
      if p_plan ? 'shipment' then
        v_row := jsonb_populate_record(null::dockline.shipment, p_plan->'shipment');
        if v_shipment is null then
          insert into dockline.shipment (facility_id, number, number_key, status, direction, expected_arrival_at,
            scheduled_at, trailer_number, carrier, dock_id, additional_fields, created_at)
          values (p_facility, v_row.number, v_row.number_key, v_row.status, v_row.direction,
            v_row.expected_arrival_at, v_row.scheduled_at, v_row.trailer_number, v_row.carrier, v_row.dock_id,
            v_row.additional_fields, p_now)
          returning id into v_shipment;
        else
          update dockline.shipment set expected_arrival_at = v_row.expected_arrival_at,
            trailer_number = v_row.trailer_number, carrier = v_row.carrier, dock_id = v_row.dock_id,
            additional_fields = v_row.additional_fields
          where id = v_shipment;
        end if;
      end if;
      if p_plan ? 'newOrders' then
        with inserted as (
          insert into dockline.customer_order (facility_id, shipment_id, number, number_key, status, direction,
            order_type, purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity,
            carrier, seal_number, supplier, client, destination, created_at)
          select p_facility, v_shipment, r.number, r.number_key, r.status, r.direction, r.order_type,
            r.purchase_order, r.consignee_name, r.consignee_phone_number, r.bol_number, r.expected_quantity,
            r.carrier, r.seal_number, r.supplier, r.client, r.destination, p_now
          from jsonb_populate_recordset(null::dockline.customer_order, p_plan->'newOrders') r
          returning id
        )
        select array_agg(id order by id) into v_orders from inserted;
      end if;
      if p_plan ? 'changedOrders' then
        with changed as (
          update dockline.customer_order o set shipment_id = v_shipment, order_type = r.order_type,
            purchase_order = r.purchase_order, consignee_name = r.consignee_name,
            consignee_phone_number = r.consignee_phone_number, bol_number = r.bol_number,
            expected_quantity = r.expected_quantity, carrier = r.carrier, seal_number = r.seal_number,
            supplier = r.supplier, client = r.client, destination = r.destination
          from jsonb_populate_recordset(null::dockline.customer_order, p_plan->'changedOrders') r
          where o.id = r.id
          returning o.id
        )
        select array_agg(id) into v_changed from changed;
        update dockline.order_item set lpn_shipment_id = v_shipment
        where order_id = any (v_changed) and lpn_shipment_id <> v_shipment;
      end if;
      if p_plan ? 'removedItems' then
        delete from dockline.order_item
        where id in (select value::bigint from jsonb_array_elements_text(p_plan->'removedItems'));
      end if;
      if p_plan ? 'changedItems' then
        update dockline.order_item i set identifier = r.identifier, quantity = r.quantity,
          quantity_unit = r.quantity_unit, purchase_order = r.purchase_order, description = r.description,
          upc = r.upc, weight_per_unit = r.weight_per_unit, weight_unit = r.weight_unit, height = r.height,
          length = r.length, width = r.width, dimension_unit = r.dimension_unit,
          is_dangerous_good = r.is_dangerous_good, lot = r.lot, expiration_date = r.expiration_date,
          manufacturing_date = r.manufacturing_date, case_serials = r.case_serials
        from jsonb_populate_recordset(null::dockline.order_item, p_plan->'changedItems') r
        where i.id = r.id;
      end if;
      if p_plan ? 'newItems' then
        with inserted as (
          insert into dockline.order_item (order_id, item_key, identifier, lpn, sku, quantity, quantity_unit,
            purchase_order, description, upc, weight_per_unit, weight_unit, height, length, width, dimension_unit,
            is_dangerous_good, lot, expiration_date, manufacturing_date, case_serials, facility_id, lpn_shipment_id)
          select coalesce(r.order_id, v_orders[r.new_order]), r.item_key, r.identifier, r.lpn, r.sku, r.quantity,
            r.quantity_unit, r.purchase_order, r.description, r.upc, r.weight_per_unit, r.weight_unit, r.height,
            r.length, r.width, r.dimension_unit, r.is_dangerous_good, r.lot, r.expiration_date,
            r.manufacturing_date, r.case_serials, p_facility, v_shipment
          from jsonb_to_recordset(p_plan->'newItems') as r(
            order_id bigint, new_order int, item_key text, identifier text, lpn text, sku text, quantity float8,
            quantity_unit text, purchase_order text, description text, upc text, weight_per_unit float8,
            weight_unit text, height float8, length float8, width float8, dimension_unit text,
            is_dangerous_good boolean, lot text, expiration_date date, manufacturing_date date, case_serials jsonb)
          returning id
        )
        select array_agg(id order by id) into v_items from inserted;
      end if;
      return json_build_array(v_shipment, v_orders::text[], v_items::text[]);
    end $$`
]
