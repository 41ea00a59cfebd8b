/**
 * A page of shipments in the order of their times, and of ids where times are the same: [[id, rows, characters, time]] (sized in
 * Streams.ts). The first and the last position are included; with p_latest the page begins at the last. p_scopes: see
 * facilities_within. p_number, p_status, p_carrier and p_trailer may be null; one of the last two is. With p_discrepancies it has those with
 * discrepancies.
 *
 * Each kind of shipment at a facility is a stream that an index has in order, as in Streams.ts.
 */
import { inOrder } from "../../Plans.ts"
import { pageVariables, sized, sizeOfShipment } from "../../Streams.ts"

/** The time of a shipment, as the indexes have it. */
const time = "coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at)"

/** The columns of a stream, each with its value in a row `k` of `v_facilities` and `v_kinds`. */
type Key = ReadonlyArray<readonly [column: string, value: string]>

const kind: Key = [["t.status", "k.status"], ["t.discrepant", "k.discrepant"]]

const ofFacility: Key = [...kind, ["t.facility_id", "k.facility"]]

/** The streams of shipments with a text, of which the hash bounds the entry of the index. */
const ofText = (column: string, text: string): Key => [
  [`hashtextextended(${column}, 0)`, `hashtextextended(${text}, 0)`],
  ["t.facility_id", "k.facility"],
  ...kind
]

/** Whether a row is of a kind that is asked for. */
const isKind = (row: string): string =>
  `(p_status is null or ${row}.status = p_status)
              and (not p_discrepancies or ${row}.discrepant)`

const streams = `(select facility, status, discrepant from unnest(v_facilities) as facility
            cross join (values ('SCHEDULED', false), ('SCHEDULED', true), ('ARRIVED', false), ('ARRIVED', true),
              ('DEPARTED', false), ('DEPARTED', true), ('CANCELLED', false)) as kinds(status, discrepant) where ${
  isKind("kinds")
}) as k`

/** Sets `v_ids` to the first ids of all streams, from the earliest or from the latest. */
const merged = (key: Key, isLatest: boolean, within: string): string => {
  const order = isLatest ? " desc" : ""
  const columns = key.map(([column]) => column).join(", ")
  const stream = key.map(([, value]) => value).join(", ")
  const inOrder = [...key.map(([column]) => column), time, "t.id"].map((each) => `${each}${order}`).join(", ")
  const entries = (from: string, to: string, limit: string) =>
    `select ${time} as at, t.id from dockline.shipment t
            where (${columns}, ${time}, t.id) >= (${stream}, ${from})
              and (${columns}, ${time}, t.id) <= (${stream}, ${to}) and ${within}
            order by ${inOrder} limit ${limit}`
  const [first, last] = ["p_first, p_first_id", "p_last, p_last_id"]
  const bound = (column: string, otherwise: string) => `coalesce((select ${column} from bound), ${otherwise})`
  return `with head as materialized (
          select k.*, t.at, t.id from ${streams} cross join lateral (${entries(first, last, "1")}) as t
          order by t.at${order}, t.id${order} limit p_limit
        ), bound as materialized (
          select at, id from head order by at${order}, id${order} offset p_limit - 1 limit 1
        )
        select array(
          select t.id from head k cross join lateral (${
    isLatest
      ? entries(`${bound("at", "p_first")}, ${bound("id", "p_first_id")}`, "k.at, k.id", "p_limit")
      : entries("k.at, k.id", `${bound("at", "p_last")}, ${bound("id", "p_last_id")}`, "p_limit")
  }) as t
          order by t.at${order}, t.id${order} limit p_limit) into v_ids`
}

/** The same for one order. */
const page = (isLatest: boolean): string => {
  const order = isLatest ? " desc" : ""
  return `if p_number is not null then
      v_ids := array(
        select t.id from unnest(v_facilities) as named(id) join dockline.facility f on f.id = named.id
        cross join lateral (select s.* from dockline.shipment s
          where s.business_id = f.business_id and s.facility_id = f.id and s.number_key = p_number offset 0) as t
        where (${time}, t.id) >= (p_first, p_first_id) and (${time}, t.id) <= (p_last, p_last_id)
          and (p_carrier is null or t.carrier = p_carrier) and (p_trailer is null or t.trailer_number = p_trailer)
          and ${isKind("t")}
        order by ${time}${order}, t.id${order} limit p_limit);
    elsif p_carrier is not null then
      ${merged(ofText("t.carrier", "p_carrier"), isLatest, "t.carrier <> '' and t.carrier = p_carrier")};
    elsif p_trailer is not null then
      ${
    merged(
      ofText("t.trailer_number", "p_trailer"),
      isLatest,
      "t.trailer_number <> '' and t.trailer_number = p_trailer"
    )
  };
    else
      ${merged(ofFacility, isLatest, "true")};
    end if`
}

export default `create or replace function dockline.shipment_page_by_time(
  p_scopes json, p_number text, p_status text, p_discrepancies boolean, p_carrier text, p_trailer text, p_latest boolean,
  p_first timestamptz, p_first_id bigint, p_last timestamptz, p_last_id bigint, p_limit int, p_rows int, p_text int
) returns json language plpgsql stable ${inOrder} as $$
declare
  ${pageVariables};
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
begin
  if p_latest then
    ${page(true)};
  else
    ${page(false)};
  end if;
  ${
  sized(
    sizeOfShipment,
    `, (select dockline.rfc3339(${time}) from dockline.shipment t where t.id = v_id)`
  )
};
end $$`
