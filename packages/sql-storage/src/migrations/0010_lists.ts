/**
 * Migration 10: lists cost what they show, whatever else the tables hold.
 *
 * What a client may see of a table are streams: the shipments of a facility in a status, the orders of a facility, the
 * endpoints of a business. An index holds each stream in the order of its ids, and a page is merged of its streams
 * (`0010_streams.ts`). Plans are made once, along indexes only, as in migration 5. Everything here is frozen: later
 * changes are later migrations.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { byIndex, inOrder } from "./0005_reading.ts"
import { all, merged } from "./0010_streams.ts"

const indexes = [
  // Neither begins with facility_id: plans of the time when tables were empty would look numbers up along them.
  `create index shipment_list on dockline.shipment (status, facility_id, id)`,
  `create index customer_order_list on dockline.customer_order ((facility_id + 0), id)`,
  // With the id, as any number of orders may have one number.
  `drop index dockline.customer_order_number`,
  `create index customer_order_number on dockline.customer_order (facility_id, number_key, id)`,
  // One index for each kind of reader that wants one type of messages (byKind in 0005_reading.ts).
  `create index message_facility_rare on dockline.message (facility_id, id) where type <> 'PALLET_EVENT'`,
  `create index message_pallet on dockline.message (business_id, id) where type = 'PALLET_EVENT'`,
  `create index message_facility_pallet on dockline.message (facility_id, id) where type = 'PALLET_EVENT'`,
  `create index webhook_delivered on dockline.webhook_delivery (endpoint_id, message_id) where status = 'DELIVERED'`,
  // Names are listed by code points, whatever the collation of the database is.
  `create index business_list on dockline.business (slug collate "C")`,
  `create index facility_list on dockline.facility (business_id, slug collate "C")`,
  `create index dock_list on dockline.dock (facility_id, slug collate "C")`,
  `create index client_list on dockline.client (id collate "C")`,
  // All businesses of a client are within the scope that it is listed in, so its first one is.
  `create index client_business on dockline.client ((grants->0->>'business'), id collate "C")`
]

const largestId = "9223372036854775807"

/**
 * [[id, its items]] of `v_ids`, up to the one after which more than p_items are held, two at least: the rest cannot be on
 * the page. Items are counted up to one more than p_items.
 */
const sized = (items: string): string =>
  `foreach v_id in array v_ids loop
        select count(*) into v_items from (${items} limit p_items + 1) as i;
        v_page := v_page || json_build_array(v_id::text, v_items);
        v_held := v_held + v_items;
        exit when v_held > p_items and cardinality(v_page) > 1;
      end loop;
      return array_to_json(v_page)`

const pageVariables = `v_ids bigint[];
      v_id bigint;
      v_items int;
      v_held bigint := 0;
      v_page json[] := '{}'`

const entities = [
  /*
   * The ids of the facilities within scopes, [[business slug, or null for each, [facility slugs], or null for each]];
   * all facilities when p_scopes is null.
   */
  `create function dockline.facilities_within(p_scopes json) returns bigint[] language plpgsql stable ${byIndex} as $$
    begin
      if p_scopes is null then return array(select f.id from dockline.facility f); end if;
      return array(
        select f.id from json_array_elements(p_scopes) as s
        join dockline.business b on b.slug = s->>0
        join dockline.facility f on f.business_id = b.id
        where s->>1 is null
        union
        select f.id from json_array_elements(p_scopes) as s
        join dockline.business b on b.slug = s->>0
        cross join json_array_elements_text(case when s->>1 is null then '[]' else s->1 end) as named
        join dockline.facility f on f.business_id = b.id and f.slug = named
        union
        select f.id from json_array_elements(p_scopes) as s
        join dockline.facility f on s->>1 is null or (s->1)::jsonb ? f.slug
        where s->>0 is null);
    end $$`,
  /* The shipments of a page: see "sized". p_scopes: see facilities_within. p_number and p_status may be null. */
  `create function dockline.shipment_page(
      p_scopes json, p_number text, p_status text, p_after bigint, p_limit int, p_items int
    ) returns json language plpgsql stable ${inOrder} as $$
    declare
      ${pageVariables};
      v_facilities bigint[];
    begin
      if p_scopes is null and p_number is null and p_status is null then
        ${all("shipment")};
      else
        v_facilities := dockline.facilities_within(p_scopes);
        if p_number is not null then
          v_ids := array(
            select t.id from unnest(v_facilities) as f(id)
            cross join lateral (select s.id, s.status from dockline.shipment s
              where s.facility_id = f.id and s.number_key = p_number offset 0) as t
            where t.id > p_after and (p_status is null or t.status = p_status) order by t.id limit p_limit);
        else
          ${
    merged({
      table: "shipment",
      key: [["t.status", "k.status"], ["t.facility_id", "k.facility"]],
      values: `(select facility, status from unnest(v_facilities) as facility cross join unnest(
            case when p_status is null then array['SCHEDULED', 'ARRIVED', 'DEPARTED'] else array[p_status] end) as status
          ) as k`,
      id: "t.id",
      largest: largestId
    })
  };
        end if;
      end if;
      ${
    sized(`select from dockline.customer_order o join dockline.order_item i on i.order_id = o.id
          where o.shipment_id = v_id`)
  };
    end $$`,
  /* The orders of a page, as shipment_page has it. */
  `create function dockline.order_page(p_scopes json, p_number text, p_after bigint, p_limit int, p_items int)
    returns json language plpgsql stable ${inOrder} as $$
    declare
      ${pageVariables};
      v_facilities bigint[];
    begin
      if p_scopes is null and p_number is null then
        ${all("customer_order")};
      else
        v_facilities := dockline.facilities_within(p_scopes);
        if p_number is not null then
          ${
    merged({
      table: "customer_order",
      key: [["t.facility_id", "k.facility"], ["t.number_key", "p_number"]],
      values: "unnest(v_facilities) as k(facility)",
      id: "t.id",
      largest: largestId
    })
  };
        else
          ${
    merged({
      table: "customer_order",
      key: [["t.facility_id + 0", "k.facility"]],
      values: "unnest(v_facilities) as k(facility)",
      id: "t.id",
      largest: largestId
    })
  };
        end if;
      end if;
      ${sized("select from dockline.order_item i where i.order_id = v_id")};
    end $$`,
  /* Shipments with their orders and where they belong, in the order of their ids. */
  `create function dockline.shipments_shown(p_ids bigint[])
    returns table (business json, facility json, shipment json, orders json)
    language plpgsql stable rows 100 ${byIndex} as $$
    begin
      return query select json_build_object('slug', b.slug, 'name', b.name),
        json_build_object('slug', f.slug, 'name', f.name), s.body,
        (select coalesce(json_agg(o.body order by o.id), '[]') from dockline.order_body o where o.shipment_id = s.id)
      from unnest(p_ids) as named(id)
      join dockline.shipment_body s on s.id = named.id
      join dockline.facility f on f.id = s.facility_id
      join dockline.business b on b.id = f.business_id
      order by named.id;
    end $$`,
  /* Orders with where they belong, in the order of their ids. */
  `create function dockline.orders_shown(p_ids bigint[])
    returns table (business json, facility json, shipment_number text, body json)
    language plpgsql stable rows 100 ${byIndex} as $$
    begin
      return query select json_build_object('slug', b.slug, 'name', b.name),
        json_build_object('slug', f.slug, 'name', f.name), s.number, o.body
      from unnest(p_ids) as named(id)
      join dockline.order_body o on o.id = named.id
      join dockline.shipment s on s.id = o.shipment_id
      join dockline.facility f on f.id = o.facility_id
      join dockline.business b on b.id = f.business_id
      order by named.id;
    end $$`
]

const places = [
  /* The businesses of a page: those named, all when p_slugs is null. */
  `create function dockline.business_page(p_slugs text[], p_after text, p_limit int)
    returns table (slug text, name text) language plpgsql stable ${inOrder} as $$
    begin
      if p_slugs is null then
        return query select b.slug, b.name from dockline.business b where b.slug collate "C" > p_after
        order by b.slug collate "C" limit p_limit;
      else
        return query select b.slug, b.name from (select distinct unnest(p_slugs) as slug) as named
        cross join lateral (select t.slug, t.name from dockline.business t where t.slug = named.slug offset 0) as b
        where b.slug collate "C" > p_after order by b.slug collate "C" limit p_limit;
      end if;
    end $$`,
  /* The facilities of a page. */
  `create function dockline.facility_page(p_business text, p_after text, p_limit int)
    returns table (slug text, name text) language plpgsql stable ${inOrder} as $$
    declare
      v_business bigint := (select b.id from dockline.business b where b.slug = p_business);
    begin
      return query select f.slug, f.name from dockline.facility f
      where f.business_id = v_business and f.slug collate "C" > p_after order by f.slug collate "C" limit p_limit;
    end $$`,
  /* The slugs of the docks of a page. */
  `create function dockline.dock_page(p_business text, p_facility text, p_after text, p_limit int)
    returns table (slug text) language plpgsql stable ${inOrder} as $$
    declare
      v_facility bigint := (select f.id from dockline.business b join dockline.facility f on f.business_id = b.id
        where b.slug = p_business and f.slug = p_facility);
    begin
      return query select d.slug from dockline.dock d
      where d.facility_id = v_facility and d.slug collate "C" > p_after order by d.slug collate "C" limit p_limit;
    end $$`
]

const operated = [
  /* Whether all that a client is granted is at some of the businesses, and anything is. */
  `create function dockline.client_within(p_grants jsonb, p_businesses text[]) returns boolean immutable
    return jsonb_array_length(p_grants) > 0 and not exists (select from jsonb_array_elements(p_grants) as granted
      where granted->>'business' <> all (p_businesses))`,
  /*
   * The ids of the clients of a page with the facilities that each names, [[id, facilities]]: of those within the
   * businesses, of all when p_businesses is null.
   */
  `create function dockline.client_page(p_businesses text[], p_after text, p_limit int) returns json
    language plpgsql stable ${inOrder} as $$
    declare
      v_ids text[];
    begin
      if p_businesses is null then
        ${all("client", `t.id collate "C"`)};
      else
        ${
    merged({
      table: "client",
      key: [["(t.grants->0->>'business')", "k.business"]],
      values: "(select distinct unnest(p_businesses) as business) as k",
      id: `t.id collate "C"`,
      largest: `U&'\\+10FFFF'`,
      within: "dockline.client_within(t.grants, p_businesses)"
    })
  };
      end if;
      return (select coalesce(json_agg(json_build_array(c.id, (
          select coalesce(sum(case when jsonb_typeof(granted->'facilities') = 'array'
            then jsonb_array_length(granted->'facilities') else 1 end), 0)
          from jsonb_array_elements(c.grants) as granted)) order by named.n), '[]')
        from unnest(v_ids) with ordinality as named(id, n) cross join lateral (
          select t.id, t.grants from dockline.client t where t.id = named.id offset 0) as c);
    end $$`,
  /* Those of the clients that are within the businesses, in the order of the ids; all when p_businesses is null. */
  `create function dockline.clients_shown(p_ids text[], p_businesses text[]) returns setof dockline.client
    language plpgsql stable ${byIndex} as $$
    begin
      return query select c.* from unnest(p_ids) with ordinality as named(id, n)
      join dockline.client c on c.id = named.id
      where p_businesses is null or dockline.client_within(c.grants, p_businesses) order by named.n;
    end $$`,
  /* The ids of the endpoints of a page: those of the businesses, all when p_businesses is null. */
  `create function dockline.webhook_endpoint_page(p_businesses text[], p_after bigint, p_limit int) returns bigint[]
    language plpgsql stable ${inOrder} as $$
    declare
      v_ids bigint[];
    begin
      if p_businesses is null then
        ${all("webhook_endpoint")};
      else
        ${
    merged({
      table: "webhook_endpoint",
      key: [["t.business_id", "k.id"]],
      values: "(select b.id from dockline.business b where b.slug = any (p_businesses)) as k",
      id: "t.id",
      largest: largestId
    })
  };
      end if;
      return v_ids;
    end $$`
]

/** Runs the migration. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    [...indexes, ...entities, ...places, ...operated],
    (statement) => sql.unsafe(statement),
    {
      discard: true
    }
  )
})
