/**
 * Documents that share a number at a facility run one after another. A document of few orders locks its numbers and shares
 * the facility's lock; a document of many takes the facility's lock alone, so that the number of locks is bounded. Numbers
 * and then rows are locked in one order, so documents do not deadlock.
 *
 * Documents that do not wait (p_wait) never do: the result says of each whether it got all its locks. Of two with one
 * shipment the first gets it. So a lock that somebody else holds delays one document, and no other with it.
 */
import { remappable } from "../../Remappable.ts"

const wanted = remappable({
  facility: "p_facilities[n.document]",
  key: "n.key",
  direction: "p_directions[n.document]"
})

export default `create or replace function dockline.intake_lock(
  p_business bigint, p_facilities bigint[], p_directions text[], p_shipment_keys text[], p_documents int[], p_order_keys text[],
  p_wait boolean
) returns boolean[] language plpgsql as $$
declare
  v_free boolean[];
  v_documents int[];
  v_shipments bigint[];
  v_locked bigint[];
begin
  if not p_wait then
    v_free := array(select bool_and(case
        when p_facilities[n.document] is null then true
        when n.key is null
          then pg_try_advisory_xact_lock_shared(hashtextextended('dockline.facility:' || p_facilities[n.document], 0))
        else pg_try_advisory_xact_lock(hashtextextended('dockline.number:' || p_facilities[n.document] || ':' || n.key, 0))
      end)
      from (
        select d.at::int as document, null as key from unnest(p_facilities) with ordinality as d(facility, at)
        union all select d.at::int, d.key from unnest(p_shipment_keys) with ordinality as d(key, at)
        union all select * from unnest(p_documents, p_order_keys)
      ) as n
      group by n.document order by n.document);
  elsif cardinality(p_order_keys) > 32 then
    perform pg_advisory_xact_lock(f.lock) from (
      select distinct hashtextextended('dockline.facility:' || facility, 0) as lock from unnest(p_facilities) as facility
      where facility is not null order by lock
    ) as f;
  else
    perform pg_advisory_xact_lock_shared(f.lock) from (
      select distinct hashtextextended('dockline.facility:' || facility, 0) as lock from unnest(p_facilities) as facility
      where facility is not null order by lock
    ) as f;
    perform pg_advisory_xact_lock(n.lock) from (
      select distinct hashtextextended('dockline.number:' || p_facilities[n.document] || ':' || n.key, 0) as lock
      from (
        select d.at::int as document, d.key from unnest(p_shipment_keys) with ordinality as d(key, at)
        union all select * from unnest(p_documents, p_order_keys)
      ) as n
      where p_facilities[n.document] is not null order by lock
    ) as n;
  end if;
  select array_agg(s.document), array_agg(s.id) into v_documents, v_shipments from (
    select d.at::int as document, (select t.id from dockline.shipment t
        where t.business_id = p_business and t.facility_id = d.facility and t.number_key = d.key) as id
    from unnest(p_facilities, p_shipment_keys) with ordinality as d(facility, key, at)
    union
    select n.document, o.shipment_id from unnest(p_documents, p_order_keys) as n(document, key)
    cross join lateral (select o.shipment_id from dockline.customer_order o where ${wanted} offset 0) as o
  ) as s where s.id is not null and (p_wait or v_free[s.document]);
  if p_wait then
    perform from dockline.shipment s where s.business_id = p_business and s.id = any (v_shipments)
    order by s.id for no key update;
    return array_fill(true, array[cardinality(p_facilities)]);
  end if;
  v_locked := array(select s.id from dockline.shipment s where s.business_id = p_business and s.id = any (v_shipments)
    order by s.id for no key update skip locked);
  if cardinality(v_locked) = cardinality(v_shipments) then
    return v_free;
  end if;
  v_documents := array(select s.document from (
      select id, document, min(document) over (partition by id) as first from unnest(v_documents, v_shipments) as s(document, id)
    ) as s where s.first < s.document or s.id <> all (v_locked));
  return array(select d.free and d.at <> all (v_documents) from unnest(v_free) with ordinality as d(free, at) order by d.at);
end $$`
