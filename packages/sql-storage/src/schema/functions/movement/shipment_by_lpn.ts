import { lpnHash } from "../../Endings.ts"

/**
 * The latest created open shipment of a facility that expects an lpn. With "+ 0", it is found by no other index than that of
 * lpns.
 */
export const expecting = (facility: string, lpn: string): string =>
  `(select i.lpn_shipment_id from dockline.order_item i
    where i.business_id + 0 = p_business and i.facility_id = ${facility}
      and ${lpnHash("i.lpn")} = ${lpnHash(lpn)} and i.lpn_shipment_id > 0 and i.lpn = ${lpn}
    order by i.lpn_shipment_id desc limit 1)`

/** The settings hold the plan to the index: a plan made for small tables would read all rows, and be kept. */
export default `create or replace function dockline.shipment_by_lpn(p_business bigint, p_facility bigint, p_lpn text) returns bigint
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_bitmapscan = off set enable_seqscan = off set jit = off as $$
begin
  return ${expecting("p_facility", "p_lpn")};
end $$`
