/** The ids of a page of endpoints: those of p_businesses, or all if it is null. */
import { inOrder } from "../../Plans.ts"
import { all, largestId, merged } from "../../Streams.ts"

export default `create or replace function dockline.webhook_endpoint_page(p_businesses text[], p_after bigint, p_limit int) returns bigint[]
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
