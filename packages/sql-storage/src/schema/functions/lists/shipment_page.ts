/** A page of shipments (sized in Streams.ts). p_scopes: see facilities_within. p_number and p_status may be null. */
import { inOrder } from "../../Plans.ts"
import { all, largestId, merged, pageVariables, sized } from "../../Streams.ts"

export default `create or replace function dockline.shipment_page(
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
        select t.id from unnest(v_facilities) as named(id) join dockline.facility f on f.id = named.id
        cross join lateral (select s.id, s.status from dockline.shipment s
          where s.business_id = f.business_id and s.facility_id = f.id and s.number_key = p_number offset 0) as t
        where t.id > p_after and (p_status is null or t.status = p_status) order by t.id limit p_limit);
    else
      ${
  merged({
    table: "shipment",
    key: [["t.status", "k.status"], ["t.facility_id", "k.facility"]],
    values: `(select facility, status from unnest(v_facilities) as facility cross join unnest(
        case when p_status is null then array['SCHEDULED', 'ARRIVED', 'DEPARTED', 'CANCELLED'] else array[p_status] end) as status
      ) as k`,
    id: "t.id",
    largest: largestId
  })
};
    end if;
  end if;
  ${
  sized(`select from dockline.shipment s
      join dockline.customer_order o on o.business_id = s.business_id and o.shipment_id = s.id
      join dockline.order_item i on i.business_id = o.business_id and i.order_id = o.id where s.id = v_id
      union all
      select from dockline.shipment s
      join dockline.pallet p on p.business_id = s.business_id and p.shipment_id = s.id where s.id = v_id`)
};
end $$`
