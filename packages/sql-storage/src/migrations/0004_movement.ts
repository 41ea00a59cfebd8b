/**
 * Migration 4: pallets, their events, and the functions of shipments in motion.
 *
 * A transaction is two calls, as in migration 1: a load that takes the locks and returns the snapshot, and an apply
 * that writes the plan, the message last. Everything here is frozen: later changes are later migrations.
 *
 * Locks, in this order: the event's id at its facility (advisory), so that repeats find what the first one recorded;
 * rows of shipments, by id where there are two, as documents do; the business's log of messages.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { lpnColumns, lpnFunctions } from "./0004_lpn.ts"

const tables = [
  // Of its pallet events, kept here so that none has to be counted.
  `alter table dockline.shipment
    add column pallet_events int not null default 0,
    add column label_text int not null default 0`,
  // The shipment that arrived last at a dock.
  `create index shipment_at_dock on dockline.shipment (dock_id, arrived_at, id) where status = 'ARRIVED'`,
  `create sequence dockline.pallet_id`,
  // Without an lpn the key is null, and each pallet is one of its own.
  `create table dockline.pallet (
    id bigint primary key,
    shipment_id bigint not null references dockline.shipment,
    lpn text not null,
    lpn_key text,
    unique (shipment_id, lpn_key)
  )`,
  // message_id refers to the log, which forgets with age. The fingerprint stands for all that the event says.
  `create table dockline.pallet_event (
    facility_id bigint not null references dockline.facility,
    event_key text not null,
    fingerprint text not null,
    shipment_id bigint not null references dockline.shipment,
    pallet_id bigint not null references dockline.pallet,
    message_id bigint not null,
    direction text not null check (direction in ('LOADING', 'UNLOADING')),
    occurred_at timestamptz not null,
    dock_id bigint not null references dockline.dock,
    orders json not null,
    labels json not null,
    primary key (facility_id, event_key)
  )`,
  `create index pallet_event_shipment on dockline.pallet_event (shipment_id, message_id)`
]

const pallets = [
  /* The shipment of a pallet event, and how it was found (D6.2). What the event does not give is null. */
  `create function dockline.pallet_match(
      p_facility bigint, p_shipment bigint, p_number_key text, p_lpn text, p_dock bigint,
      out id bigint, out way text
    ) language plpgsql stable as $$
    begin
      way := 'given';
      if p_shipment is not null then
        select s.id into id from dockline.shipment s where s.id = p_shipment and s.facility_id = p_facility;
      elsif p_number_key is not null then
        select s.id into id from dockline.shipment s
        where s.facility_id = p_facility and s.number_key = p_number_key;
      else
        if p_lpn is not null then
          way := 'byLpn';
          id := dockline.shipment_by_lpn(p_facility, p_lpn);
        end if;
        if id is null then
          way := 'atDock';
          select s.id into id from dockline.shipment s where s.dock_id = p_dock and s.status = 'ARRIVED'
          order by s.arrived_at desc, s.id desc limit 1;
        end if;
      end if;
    end $$`,
  /* A shipment as a pallet event needs it; its row is locked. */
  `create function dockline.pallet_shipment(p_shipment bigint, p_lpn text, p_pallet bigint) returns json
    language plpgsql stable as $$
    begin
      return (select json_build_array(s.id, s.number, s.status, p_pallet,
        (select coalesce(json_agg(o.number order by o.id), '[]') from dockline.customer_order o
          where o.shipment_id = s.id and exists (select from dockline.order_item i
            where i.facility_id = s.facility_id and hashtextextended(i.lpn, 0) = hashtextextended(p_lpn, 0)
              and i.lpn_shipment_id = case when s.status = 'DEPARTED' then 0 else s.id end
              and i.order_id = o.id and i.lpn = p_lpn offset 0)),
        (select case when count(*) = 1 then min(few.number) end
          from (select o.number from dockline.customer_order o where o.shipment_id = s.id limit 2) as few),
        s.pallet_events, s.label_text)
      from dockline.shipment s where s.id = p_shipment);
    end $$`,
  /*
   * Locks the event's id and the shipment it belongs to. Which one that is may change while its lock is waited for:
   * then the transaction is to be repeated, as to lock another one too could be a deadlock.
   */
  `create function dockline.pallet_load(
      p_business text, p_facility text, p_event_key text, p_dock text, p_shipment bigint, p_number_key text,
      p_lpn text, p_lpn_key text
    ) returns json language plpgsql as $$
    declare
      v_business dockline.business;
      v_facility dockline.facility;
      v_dock dockline.dock;
      v_event dockline.pallet_event;
      v_match bigint;
      v_way text;
      v_again bigint;
      v_pallet bigint;
    begin
      select * into v_business from dockline.business where slug = p_business;
      select * into v_facility from dockline.facility where business_id = v_business.id and slug = p_facility;
      if v_facility.id is null then
        return json_build_object('business', case when v_business.id is not null
          then json_build_array(v_business.slug, v_business.name) end);
      end if;
      perform pg_advisory_xact_lock(hashtextextended('dockline.event:' || v_facility.id || ':' || p_event_key, 0));
      select * into v_event from dockline.pallet_event where facility_id = v_facility.id and event_key = p_event_key;
      select * into v_dock from dockline.dock where facility_id = v_facility.id and slug = p_dock;
      if v_event.event_key is null then
        select id, way into v_match, v_way
        from dockline.pallet_match(v_facility.id, p_shipment, p_number_key, p_lpn, v_dock.id);
        if v_match is not null then
          perform from dockline.shipment where id = v_match for no key update;
          select id, way into v_again, v_way
          from dockline.pallet_match(v_facility.id, p_shipment, p_number_key, p_lpn, v_dock.id);
          if v_again is distinct from v_match then
            raise exception 'the shipment of a pallet changed' using errcode = 'serialization_failure';
          end if;
          select id into v_pallet from dockline.pallet where shipment_id = v_match and lpn_key = p_lpn_key;
        end if;
      end if;
      return json_build_object(
        'business', json_build_array(v_business.slug, v_business.name),
        'facility', json_build_array(v_facility.slug, v_facility.name),
        'businessId', v_business.id,
        'facilityId', v_facility.id,
        'dock', case when v_dock.id is not null then json_build_array(v_dock.id, v_dock.slug) end,
        'fieldMap', v_business.field_map,
        'recorded', case when v_event.event_key is not null then json_build_array(v_event.fingerprint,
          v_event.message_id, v_event.shipment_id::text, v_event.pallet_id::text, v_event.orders) end,
        'way', v_way,
        'match', case when v_match is not null
          then dockline.pallet_shipment(v_match, p_lpn, v_pallet) end,
        'newPalletId', case when v_match is not null and v_pallet is null
          then nextval('dockline.pallet_id') else 0 end
      );
    end $$`,
  /* Records a pallet event and returns the id of its message. The event comes after it, as it holds that id. */
  `create function dockline.pallet_apply(p_plan json, p_now timestamptz) returns bigint language plpgsql as $$
    declare
      p record;
      v_message bigint;
    begin
      select * into p from json_to_record(p_plan) as r(
        business bigint, facility bigint, event_key text, fingerprint text, shipment bigint, pallet bigint,
        is_new boolean, lpn text, lpn_key text, arrived_at timestamptz, direction text, occurred_at timestamptz,
        dock bigint, orders json, labels json, label_text int, message_type text, payload text);
      if p.is_new then
        insert into dockline.pallet (id, shipment_id, lpn, lpn_key)
        values (p.pallet, p.shipment, p.lpn, p.lpn_key);
      end if;
      update dockline.shipment set pallet_events = pallet_events + 1, label_text = label_text + p.label_text,
        status = case when p.arrived_at is null then status else 'ARRIVED' end,
        arrived_at = coalesce(p.arrived_at, arrived_at),
        dock_id = case when p.arrived_at is null then dock_id else p.dock end
      where id = p.shipment;
      v_message := dockline.message_append(p.business,
        json_build_array(json_build_array(p.facility, p.message_type, p.shipment, p.payload)), p_now)->0->>0;
      insert into dockline.pallet_event (facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
        direction, occurred_at, dock_id, orders, labels)
      values (p.facility, p.event_key, p.fingerprint, p.shipment, p.pallet, v_message, p.direction,
        p.occurred_at, p.dock, p.orders, p.labels);
      return v_message;
    end $$`
]

const steps = [
  /* A shipment, whole and with where it belongs; null when there is none. */
  `create function dockline.located_shipment(p_shipment bigint) returns json language plpgsql stable as $$
    begin
      return (select json_build_object(
        'business', json_build_array(b.slug, b.name),
        'facility', json_build_array(f.slug, f.name),
        'shipment', s.body,
        'orders', (select coalesce(json_agg(o.body order by o.id), '[]') from dockline.order_body o
          where o.shipment_id = s.id))
      from dockline.shipment_body s
      join dockline.facility f on f.id = s.facility_id
      join dockline.business b on b.id = f.business_id
      where s.id = p_shipment);
    end $$`,
  /* Locks a shipment; null when there is none. */
  `create function dockline.step_load(p_shipment bigint, p_dock text, p_pallets boolean) returns json
    language plpgsql as $$
    declare
      v_facility bigint;
      v_business dockline.business;
    begin
      select facility_id into v_facility from dockline.shipment where id = p_shipment for no key update;
      if not found then return null; end if;
      select b.* into v_business from dockline.business b join dockline.facility f on f.business_id = b.id
      where f.id = v_facility;
      return json_build_object(
        'found', dockline.located_shipment(p_shipment),
        'businessId', v_business.id,
        'facilityId', v_facility,
        'fieldMap', v_business.field_map,
        'dock', (select json_build_array(id, slug) from dockline.dock
          where facility_id = v_facility and slug = p_dock),
        'pallets', case when p_pallets then (
          select json_agg(json_build_array(e.pallet_id, e.message_id, e.direction, dockline.rfc3339(e.occurred_at),
            json_build_array(d.id, d.slug), e.orders, e.labels) order by e.message_id)
          from dockline.pallet_event e join dockline.dock d on d.id = e.dock_id
          where e.shipment_id = p_shipment) end
      );
    end $$`,
  /* Returns the shipment as it is then. p_dock may be null. */
  `create function dockline.arrive_apply(p_shipment bigint, p_arrived_at timestamptz, p_dock bigint) returns json
    language plpgsql as $$
    begin
      update dockline.shipment set status = 'ARRIVED', arrived_at = p_arrived_at, dock_id = p_dock
      where id = p_shipment;
      return dockline.located_shipment(p_shipment);
    end $$`,
  /* Completes the shipment and its orders, and returns it as it is then. p_drafts: see message_append. */
  `create function dockline.depart_apply(
      p_shipment bigint, p_departed_at timestamptz, p_business bigint, p_drafts json, p_now timestamptz
    ) returns json language plpgsql as $$
    declare
      v_after json;
    begin
      update dockline.shipment set status = 'DEPARTED', departed_at = p_departed_at where id = p_shipment;
      update dockline.customer_order set status = 'COMPLETED' where shipment_id = p_shipment;
      update dockline.order_item set lpn_shipment_id = 0
      where order_id = any (array(select id from dockline.customer_order where shipment_id = p_shipment))
        and lpn_shipment_id > 0;
      v_after := dockline.located_shipment(p_shipment);
      perform dockline.message_append(p_business, p_drafts, p_now);
      return v_after;
    end $$`,
  /* Locks two shipments; null for what there is none of. */
  `create function dockline.link_load(p_shipment bigint, p_linked bigint) returns json language plpgsql as $$
    begin
      perform from dockline.shipment where id in (p_shipment, p_linked) order by id for no key update;
      return json_build_array(dockline.located_shipment(p_shipment), dockline.located_shipment(p_linked));
    end $$`,
  /* Links two shipments, both ways, and returns the first as it is then. */
  `create function dockline.link_apply(p_shipment bigint, p_linked bigint) returns json language plpgsql as $$
    begin
      insert into dockline.shipment_link (shipment_id, linked_shipment_id)
      values (p_shipment, p_linked), (p_linked, p_shipment) on conflict do nothing;
      return dockline.located_shipment(p_shipment);
    end $$`
]

/** Runs the migration. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const statements = [...lpnColumns, ...tables, ...lpnFunctions, ...pallets, ...steps]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
