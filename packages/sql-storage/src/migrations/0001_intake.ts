/**
 * Migration 1: businesses, facilities, docks, shipments, orders and items, with the two functions of intake.
 *
 * A document is two calls: `intake_load` takes the locks and returns the snapshot, `intake_apply` writes the plan.
 * Both work on sets, so the number of round trips does not depend on the number of items. Everything here is frozen:
 * later changes are later migrations.
 *
 * `number_key` and `item_key` stand for texts of up to 4 KiB in unique indexes, which hold at most 2.7 KiB a row: see
 * `IndexKey.ts`.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `create table dockline.business (
    id bigint generated always as identity primary key,
    slug text not null unique,
    name text not null,
    field_map jsonb not null default '[]'
  )`,
  `create table dockline.facility (
    id bigint generated always as identity primary key,
    business_id bigint not null references dockline.business,
    slug text not null,
    name text not null,
    unique (business_id, slug)
  )`,
  `create table dockline.dock (
    id bigint generated always as identity primary key,
    facility_id bigint not null references dockline.facility,
    slug text not null,
    unique (facility_id, slug)
  )`,
  `create table dockline.shipment (
    id bigint generated always as identity primary key,
    facility_id bigint not null references dockline.facility,
    number text not null,
    number_key text not null,
    status text not null check (status in ('SCHEDULED', 'ARRIVED', 'DEPARTED')),
    direction text not null,
    expected_arrival_at timestamptz not null,
    scheduled_at timestamptz not null,
    arrived_at timestamptz,
    departed_at timestamptz,
    trailer_number text not null,
    carrier text not null,
    dock_id bigint references dockline.dock,
    additional_fields jsonb not null,
    created_at timestamptz not null,
    unique (facility_id, number_key)
  )`,
  `create table dockline.shipment_link (
    shipment_id bigint not null references dockline.shipment,
    linked_shipment_id bigint not null references dockline.shipment,
    primary key (shipment_id, linked_shipment_id),
    check (shipment_id <> linked_shipment_id)
  )`,
  `create table dockline.customer_order (
    id bigint generated always as identity primary key,
    facility_id bigint not null references dockline.facility,
    shipment_id bigint not null references dockline.shipment,
    number text not null,
    number_key text not null,
    status text not null check (status in ('CREATED', 'COMPLETED')),
    direction text not null,
    order_type text not null,
    purchase_order text not null,
    consignee_name text not null,
    consignee_phone_number text not null,
    bol_number text not null,
    expected_quantity bigint not null,
    carrier text not null,
    seal_number text not null,
    supplier text not null,
    client text not null,
    destination text not null,
    created_at timestamptz not null,
    unique (shipment_id, number_key)
  )`,
  `create index customer_order_number on dockline.customer_order (facility_id, number_key)`,
  `create table dockline.order_item (
    id bigint generated always as identity primary key,
    order_id bigint not null references dockline.customer_order,
    item_key text not null,
    identifier text not null,
    lpn text not null,
    sku text not null,
    quantity float8 not null,
    quantity_unit text not null,
    purchase_order text not null,
    description text not null,
    upc text not null,
    weight_per_unit float8 not null,
    weight_unit text not null,
    height float8 not null,
    length float8 not null,
    width float8 not null,
    dimension_unit text not null,
    is_dangerous_good boolean not null,
    lot text not null,
    expiration_date date,
    manufacturing_date date,
    case_serials jsonb not null,
    unique (order_id, item_key)
  )`
]

/** Bodies are arrays rather than objects: no key is written, sent and parsed once per item. `Rows.ts` names them. */
const views = [
  `create function dockline.rfc3339(timestamptz) returns text stable parallel safe
    return to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  `create view dockline.shipment_body as
    select s.id, s.facility_id, s.number_key, json_build_array(
      s.id, s.number, s.status, s.direction,
      dockline.rfc3339(s.expected_arrival_at), dockline.rfc3339(s.scheduled_at),
      dockline.rfc3339(s.arrived_at), dockline.rfc3339(s.departed_at),
      s.trailer_number, s.carrier,
      (select json_build_array(d.id, d.slug) from dockline.dock d where d.id = s.dock_id),
      s.additional_fields,
      (select coalesce(json_agg(l.linked_shipment_id order by l.linked_shipment_id), '[]')
        from dockline.shipment_link l where l.shipment_id = s.id)
    ) as body
    from dockline.shipment s`,
  `create view dockline.order_body as
    select o.id, o.facility_id, o.shipment_id, o.number_key, json_build_array(
      o.id::text, o.number, o.status, o.direction, o.order_type, o.purchase_order, o.consignee_name,
      o.consignee_phone_number, o.bol_number, o.expected_quantity, o.carrier, o.seal_number, o.supplier, o.client,
      o.destination, o.shipment_id, dockline.rfc3339(o.created_at),
      (select coalesce(json_agg(json_build_array(
          i.id::text, i.identifier, i.lpn, i.sku, i.quantity, i.quantity_unit, i.purchase_order, i.description, i.upc,
          i.weight_per_unit, i.weight_unit, i.height, i.length, i.width, i.dimension_unit, i.is_dangerous_good, i.lot,
          coalesce(to_char(i.expiration_date, 'YYYY-MM-DD'), ''),
          coalesce(to_char(i.manufacturing_date, 'YYYY-MM-DD'), ''), i.case_serials
        ) order by i.id), '[]')
        from dockline.order_item i where i.order_id = o.id)
    ) as body
    from dockline.customer_order o`
]

/**
 * Plans are made once: the planner takes an array of unknown length for dear and would otherwise plan anew at each
 * call, which was more than half of the work.
 */
const functions = [
  /*
   * Documents that share a number at a facility run one after another. The facility's own lock is shared by
   * documents that lock their few numbers one by one, and taken alone by a document of many orders, so that no
   * document holds an unbounded number of locks. Numbers are locked in one order, then rows in one order, so that
   * documents do not deadlock among each other.
   */
  `create function dockline.intake_lock(
      p_facility bigint, p_shipment_key text, p_order_keys text[], p_direction text
    ) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
    begin
      if cardinality(p_order_keys) > 32 then
        perform pg_advisory_xact_lock(hashtextextended('dockline.facility:' || p_facility, 0));
      else
        perform pg_advisory_xact_lock_shared(hashtextextended('dockline.facility:' || p_facility, 0));
        perform pg_advisory_xact_lock(number.lock) from (
          select distinct hashtextextended('dockline.number:' || p_facility || ':' || key, 0) as lock
          from unnest(p_order_keys || p_shipment_key) as key
          order by lock
        ) as number;
      end if;
      perform from dockline.shipment s
      where s.id in (
        select t.id from dockline.shipment t where t.facility_id = p_facility and t.number_key = p_shipment_key
        union
        select c.id from dockline.customer_order o join dockline.shipment c on c.id = o.shipment_id
        where o.facility_id = p_facility and o.number_key = any (p_order_keys) and o.direction = p_direction
          and c.status = 'SCHEDULED'
          and not exists (select from dockline.shipment_link l where l.shipment_id = c.id)
      )
      order by s.id
      for no key update;
    end $$`,
  /* Of the orders that may be remapped, only those that core can choose: the most recent one of each number. */
  `create function dockline.intake_load(
      p_business text, p_facility text, p_dock text, p_shipment_key text, p_order_keys text[], p_direction text
    ) returns json language plpgsql set plan_cache_mode = force_generic_plan as $$
    declare
      v_business dockline.business;
      v_facility dockline.facility;
      v_target bigint;
    begin
      select * into v_business from dockline.business where slug = p_business;
      select * into v_facility from dockline.facility where business_id = v_business.id and slug = p_facility;
      if v_facility.id is null then
        return json_build_object('business', case when v_business.id is not null
          then json_build_array(v_business.slug, v_business.name) end);
      end if;
      perform dockline.intake_lock(v_facility.id, p_shipment_key, p_order_keys, p_direction);
      select id into v_target from dockline.shipment
      where facility_id = v_facility.id and number_key = p_shipment_key;
      return json_build_object(
        'business', json_build_array(v_business.slug, v_business.name),
        'facility', json_build_array(v_facility.slug, v_facility.name),
        'facilityId', v_facility.id,
        'dock', (select json_build_array(id, slug) from dockline.dock
          where facility_id = v_facility.id and slug = p_dock),
        'target', (select body from dockline.shipment_body where id = v_target),
        'orders', (select json_agg(body order by id) from dockline.order_body where shipment_id = v_target),
        'candidates', (select json_agg(json_build_array(b.body, 'SCHEDULED', false) order by b.id)
          from dockline.order_body b where b.id in (
            select distinct on (o.number_key) o.id
            from dockline.customer_order o join dockline.shipment s on s.id = o.shipment_id
            where o.facility_id = v_facility.id and o.number_key = any (p_order_keys) and o.direction = p_direction
              and o.shipment_id is distinct from v_target and s.status = 'SCHEDULED'
              and not exists (select from dockline.shipment_link l where l.shipment_id = s.id)
            order by o.number_key, o.created_at desc, o.id desc))
      );
    end $$`,
  /*
   * p_plan: shipment (a row; with an id to update, without to create, absent to leave), shipmentId, newOrders and
   * changedOrders (rows), removedItems (ids), changedItems (rows), newItems (rows; order_id, or new_order, the
   * position in newOrders from 1). New ids come back in the order of the plan: rows are inserted in the order of the
   * array, and identity values are drawn as they are inserted.
   */
  `create function dockline.intake_apply(p_facility bigint, p_now timestamptz, p_plan jsonb) returns json
    language plpgsql set plan_cache_mode = force_generic_plan as $$
    declare
      v_shipment bigint := p_plan->'shipmentId';
      v_row dockline.shipment;
      v_orders bigint[] := '{}';
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
        update dockline.customer_order o set shipment_id = v_shipment, order_type = r.order_type,
          purchase_order = r.purchase_order, consignee_name = r.consignee_name,
          consignee_phone_number = r.consignee_phone_number, bol_number = r.bol_number,
          expected_quantity = r.expected_quantity, carrier = r.carrier, seal_number = r.seal_number,
          supplier = r.supplier, client = r.client, destination = r.destination
        from jsonb_populate_recordset(null::dockline.customer_order, p_plan->'changedOrders') r
        where o.id = r.id;
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
            is_dangerous_good, lot, expiration_date, manufacturing_date, case_serials)
          select coalesce(r.order_id, v_orders[r.new_order]), r.item_key, r.identifier, r.lpn, r.sku, r.quantity,
            r.quantity_unit, r.purchase_order, r.description, r.upc, r.weight_per_unit, r.weight_unit, r.height,
            r.length, r.width, r.dimension_unit, r.is_dangerous_good, r.lot, r.expiration_date,
            r.manufacturing_date, r.case_serials
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

/** Runs the migration. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach([...tables, ...views, ...functions], (statement) => sql.unsafe(statement), {
    discard: true
  })
})
