/**
 * A page of the exceptions of a status and a priority, newest first; null stands for all. p_scopes: see facilities_within.
 * p_after is minus the id of the last exception of the page before.
 */
import { exceptionPriorities, exceptionStatuses } from "@dockline/core/ShipmentException"
import { inOrder } from "../../Plans.ts"
import { merged } from "../../Streams.ts"

const words = (parameter: string, all: ReadonlyArray<string>): string =>
  `case when ${parameter} is null then array[${
    all.map((word) => `'${word}'`).join(", ")
  }] else array[${parameter}] end`

export default `create or replace function dockline.exception_page(
  p_scopes json, p_status text, p_priority text, p_after bigint, p_limit int
) returns json language plpgsql stable ${inOrder} as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_statuses text[] := ${words("p_status", exceptionStatuses)};
  v_priorities text[] := ${words("p_priority", exceptionPriorities)};
  v_ids json[];
  v_id json;
  v_page json[] := '{}';
begin
  ${
  merged({
    table: "shipment_exception",
    key: [["t.facility_id", "k.facility"], ["t.status", "k.status"], ["t.priority", "k.priority"]],
    values:
      `(select f, s, p from unnest(v_facilities) as f, unnest(v_statuses) as s, unnest(v_priorities) as p)
            as k(facility, status, priority)`,
    id: "-t.id",
    largest: "0",
    take: "json_build_array(t.business_id, t.shipment_id, t.id)"
  })
};
  foreach v_id in array v_ids loop
    v_page := v_page || (select b.body from dockline.exception_body b
      where b.business_id = (v_id->>0)::bigint and b.shipment_id = (v_id->>1)::bigint and b.id = (v_id->>2)::bigint);
  end loop;
  return array_to_json(v_page);
end $$`
