/** A page of orders; see shipment_page. */
import { inOrder } from "../../Plans.ts"
import { all, largestId, merged, pageVariables, sized } from "../../Streams.ts"

export default `create or replace function dockline.order_page(p_scopes json, p_number text, p_after bigint, p_limit int, p_rows int, p_text int)
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
    key: [["t.facility_id + 0", "k.facility"], ["t.number_key", "p_number"]],
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
  ${sized("select o.row_count, o.text_size from dockline.customer_order o where o.id = v_id")};
end $$`
