/**
 * Locks documents and returns their snapshots. The orders of document p_documents[i] have the key p_order_keys[i]; documents
 * count from 1. A document is null where it has no facility, and 'held' where it did not wait for a lock (intake_lock).
 * What is looked up for each row is a subquery that the planner cannot make a join of (offset 0). The items of all orders are columns: one list for each field is much cheaper to make than one for each item.
 */
import { itemColumns } from "../../Columns.ts"
import { byIndex } from "../../Plans.ts"
import { linkOf, remappable, statusOf } from "../../Remappable.ts"
import { head } from "./order_body.ts"

/** The newest remappable order of a number elsewhere than on the target: core can choose no other. */
const chosen = `(select o.id from dockline.customer_order o
        where o.shipment_id is distinct from v_targets[n.document] and ${
  remappable({ facility: "v_facilities[n.document]", key: "n.key", direction: "p_directions[n.document]" })
}
        order by o.created_at desc, o.id desc limit 1)`

/** Dates as ISO texts, by the setting of the function: `to_char` takes four times as long. */
const columns = itemColumns.map(({ isDate, name }) =>
  `array_agg(${isDate ? `coalesce(i.${name}::text, '')` : `i.${name}`})`
).join(", ")

export default `create or replace function dockline.intake_load(
  p_business bigint, p_facilities text[], p_docks text[], p_directions text[], p_shipment_keys text[], p_documents int[],
  p_order_keys text[], p_wait boolean
) returns json language plpgsql ${byIndex} set datestyle = 'ISO' as $$
declare
  v_facilities bigint[];
  v_free boolean[];
  v_targets bigint[];
  v_remapping int[];
  v_remapped bigint[];
  v_orders bigint[];
begin
  v_facilities := array(
    select (select f.id from dockline.facility f where f.business_id = p_business and f.slug = d.facility)
    from unnest(p_facilities) with ordinality as d(facility, at) order by d.at);
  v_free := dockline.intake_lock(
    p_business, v_facilities, p_directions, p_shipment_keys, p_documents, p_order_keys, p_wait);
  v_targets := array(select (select s.id from dockline.shipment s
      where s.business_id = p_business and s.facility_id = d.facility and s.number_key = d.key and d.free)
    from unnest(v_facilities, p_shipment_keys, v_free) with ordinality as d(facility, key, free, at) order by d.at);
  select array_agg(c.document), array_agg(c.id) into v_remapping, v_remapped from (
    select n.document, ${chosen} as id
    from unnest(p_documents, p_order_keys) as n(document, key) where v_free[n.document]
  ) as c where c.id is not null;
  v_orders := v_remapped || array(select o.id from unnest(v_targets) as d(target)
    cross join lateral (select o.id from dockline.customer_order o
      where o.business_id = p_business and o.shipment_id = d.target offset 0) as o);
  return json_build_object(
    'begun', now()::text,
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'documents', (select json_agg(case
        when d.facility is null then null
        when not d.free then '"held"'::json
        else json_build_object(
          'facility', (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f
            where f.id = d.facility),
          'facilityId', d.facility,
          'dock', (select json_build_object('id', k.id, 'slug', k.slug) from dockline.dock k
            where k.facility_id = d.facility and k.slug = d.dock),
          'target', (select s.body from dockline.shipment_body s where s.business_id = p_business and s.id = d.target),
          'orders', (select json_agg(${head("o")} order by o.id + 0) from dockline.customer_order o
            where o.business_id = p_business and o.shipment_id = d.target),
          'candidates', (select json_agg(json_build_array(
              ${head("o")}, ${statusOf("o")}, ${linkOf("o")} is not null) order by o.id + 0)
            from unnest(v_remapping, v_remapped) as c(document, id)
            cross join lateral (select o.* from dockline.customer_order o
              where o.business_id = p_business and o.id = c.id offset 0) as o
            where c.document = d.at))
      end order by d.at)
      from unnest(v_facilities, p_docks, v_free, v_targets) with ordinality as d(facility, dock, free, target, at)),
    'items', (select json_build_array(array_agg(i.order_id::text), array_agg(i.id::text), ${columns})
      from (select i.* from unnest(v_orders) as o(id)
        cross join lateral (select i.* from dockline.order_item i
          where i.business_id = p_business and i.order_id = o.id offset 0) as i
        order by i.order_id, i.id) as i)
  );
end $$`
