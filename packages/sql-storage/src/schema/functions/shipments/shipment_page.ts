/**
 * A page of shipments (sized in Streams.ts). p_scopes: see facilities_within. p_number, p_lpn and p_status may be null. With
 * p_discrepancies it has those with discrepancies. With p_lpn it has those with an item of this lpn, and nothing else narrows
 * them.
 */
import { lpnHash } from "../../Endings.ts"
import { inOrder } from "../../Plans.ts"
import { all, largestId, merged, pageVariables, sized, sizeOfShipment } from "../../Streams.ts"
import type { Streams } from "../../Streams.ts"

/** The shipments of a status at a facility; the index of those with discrepancies begins with the facility. */
const streams = (...key: Streams["key"]): Streams => ({
  table: "shipment",
  key,
  values:
    `(select facility, status from unnest(v_facilities) as facility cross join unnest(v_statuses) as status) as k`,
  id: "t.id",
  largest: largestId
})

const ofFacility = ["t.facility_id", "k.facility"] as const

const ofStatus = ["t.status", "k.status"] as const

const lpn = `i.facility_id, ${lpnHash("i.lpn")}`

/**
 * The first shipment after an id with an item of `p_lpn` at the facility of a row `k`; many items of a shipment are one entry. The
 * index has open shipments in the order of their ids, and the others in that of the ids with a minus before them.
 */
const nextOf = (after: string): string =>
  `least(
            (select i.lpn_shipment_id from dockline.order_item i
              where (${lpn}, i.lpn_shipment_id) > (k.facility, v_hash, ${after})
                and (${lpn}) <= (k.facility, v_hash) and i.lpn = p_lpn
              order by ${lpn}, i.lpn_shipment_id limit 1),
            -(select i.lpn_shipment_id from dockline.order_item i
              where (${lpn}, i.lpn_shipment_id) < (k.facility, v_hash, -${after})
                and (${lpn}) >= (k.facility, v_hash) and i.lpn = p_lpn
              order by i.facility_id desc, ${lpnHash("i.lpn")} desc, i.lpn_shipment_id desc limit 1))`

/** Sets `v_ids` to the first shipments with an item of `p_lpn`, as `merged` in Streams.ts does for rows. */
const withLpn = `with recursive head as materialized (
          select k.facility, ${
  nextOf("p_after")
} as id from unnest(v_facilities) as k(facility) order by id limit p_limit
        ), bound as materialized (
          select case when count(id) < p_limit then ${largestId} else max(id) end as last from head
        ), found as (
          select facility, id, 1 as place from head where id is not null
          union all
          select k.facility, t.id, k.place + 1 from found k cross join lateral (select ${
  nextOf("k.id")
} as id offset 0) as t
          where t.id <= (select last from bound) and k.place < p_limit
        )
        select array(select id from found order by id limit p_limit) into v_ids`

export default `create or replace function dockline.shipment_page(
  p_scopes json, p_number text, p_lpn text, p_status text, p_discrepancies boolean, p_after bigint, p_limit int, p_rows int, p_text int
) returns json language plpgsql stable ${inOrder} as $$
declare
  ${pageVariables};
  v_facilities bigint[];
  v_statuses text[] := case when p_status is not null then array[p_status]
    when p_discrepancies then array['SCHEDULED', 'ARRIVED', 'DEPARTED']
    else array['SCHEDULED', 'ARRIVED', 'DEPARTED', 'CANCELLED'] end;
  v_hash bigint := ${lpnHash("p_lpn")};
begin
  if p_scopes is null and p_number is null and p_lpn is null and p_status is null and not p_discrepancies then
    ${all("shipment")};
  else
    v_facilities := dockline.facilities_within(p_scopes);
    if p_lpn is not null then
      ${withLpn};
    elsif p_number is not null then
      v_ids := array(
        select t.id from unnest(v_facilities) as named(id) join dockline.facility f on f.id = named.id
        cross join lateral (select s.id, s.status, s.discrepant from dockline.shipment s
          where s.business_id = f.business_id and s.facility_id = f.id and s.number_key = p_number offset 0) as t
        where t.id > p_after and t.status = any (v_statuses)
          and (not p_discrepancies or t.discrepant) order by t.id limit p_limit);
    else
      if p_discrepancies then
        ${merged({ ...streams(ofFacility, ofStatus), within: "t.discrepant" })};
      else
        ${merged(streams(ofStatus, ofFacility))};
      end if;
    end if;
  end if;
  ${sized(sizeOfShipment)};
end $$`
