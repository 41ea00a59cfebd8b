import { itemLpn, lpnHash } from "../Endings.ts"
import { sql } from "../Plans.ts"
import { all, largestId, merged, pageVariables, sized, sizeOfShipment } from "../Streams.ts"
import type { Streams } from "../Streams.ts"

/** The shipments of a status at a facility; the index of those with discrepancies begins with the facility. */
const streams = (...key: Streams["key"]): Streams => ({
  table: "shipment",
  key,
  values:
    `(select facility, status from unnest(v_facilities) as facility cross join unnest(v_statuses) as status) as k`
})

const ofFacility = ["t.facility_id", "k.facility"] as const

const ofStatus = ["t.status", "k.status"] as const

const hash = lpnHash(itemLpn("i"))

/**
 * The first shipment after an id with an item of `p_lpn` at the facility of a row `k`; many items of a shipment are one entry. The
 * index has open shipments in the order of their ids, and the others in that of the ids with a minus before them.
 */
const nextOf = (after: string): string =>
  `select min(n.id) as id from (values (
            (select i.lpn_shipment_id from dockline.order_item i
              where i.facility_id = k.facility and (${hash}, i.lpn_shipment_id) > (v_hash, ${after})
                and ${hash} <= v_hash and ${itemLpn("i")} = p_lpn
              order by ${hash}, i.lpn_shipment_id limit 1)), (
            -(select i.lpn_shipment_id from dockline.order_item i
              where i.facility_id = k.facility and (${hash}, i.lpn_shipment_id) < (v_hash, -${after})
                and ${hash} >= v_hash and ${itemLpn("i")} = p_lpn
              order by ${hash} desc, i.lpn_shipment_id desc limit 1))) as n(id)`

const firstId = nextOf("p_after")

const nextId = nextOf("k.id")

/** Sets `v_ids` to the first shipments with an item of `p_lpn`, as `merged` in Streams.ts does for rows. */
const withLpn = `with recursive head as (
          select k.facility, (${firstId}) as id from unnest(v_facilities) as k(facility) order by id limit p_limit
        ), bound as (
          select case when count(id) < p_limit then ${largestId} else max(id) end as last from head
        ), found as (
          select facility, id, 1 as place from head where id is not null
          union all
          select k.facility, t.id, k.place + 1 from found k cross join lateral (${nextId}) as t
          where t.id <= (select last from bound) and k.place < p_limit
        )
        select array(select id from found order by id limit p_limit) into v_ids`

/**
 * A page of shipments (sized in Streams.ts). p_scopes: see facilities_within. p_number, p_lpn and p_status may be null. With
 * p_discrepancies it has those with discrepancies. With p_lpn it has those with an item of this lpn, and nothing else narrows
 * them.
 */
export const shipmentPage = sql`
create or replace function dockline.shipment_page(
  p_scopes json, p_number text, p_lpn text, p_status text, p_discrepancies boolean, p_after bigint, p_limit int, p_rows int, p_text int
) returns json
language plpgsql stable as $$
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

/** The time of a shipment, as the indexes have it. */
const time = "coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at)"

/** The columns of a stream, each with its value in a row `k` of `v_facilities` and `v_kinds`. */
type Key = Streams["key"]

const kind: Key = [["t.status", "k.status"], ["t.discrepant", "k.discrepant"]]

const kindsOfFacility: Key = [...kind, ["t.facility_id", "k.facility"]]

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

const kinds = `(select facility, status, discrepant from unnest(v_facilities) as facility
            cross join (values ('SCHEDULED', false), ('SCHEDULED', true), ('ARRIVED', false), ('ARRIVED', true),
              ('DEPARTED', false), ('DEPARTED', true), ('CANCELLED', false)) as kinds(status, discrepant)
            where ${isKind("kinds")}) as k`

/** Sets `v_ids` to the first ids of all streams, from the earliest or from the latest. */
const mergedByTime = (key: Key, isLatest: boolean, within: string): string => {
  const order = isLatest ? " desc" : ""
  const stream = key.map(([column, value]) => `${column} = ${value}`).join(" and ")
  const inOrder = [...key.map(([column]) => column), time, "t.id"].map((each) => `${each}${order}`).join(", ")
  const entries = (from: string, to: string, limit: string) =>
    `select ${time} as at, t.id from dockline.shipment t
            where ${stream} and (${time}, t.id) >= (${from}) and (${time}, t.id) <= (${to}) and ${within}
            order by ${inOrder} limit ${limit}`
  const [first, last] = ["p_first, p_first_id", "p_last, p_last_id"]
  const bound = (column: string, otherwise: string) => `coalesce((select ${column} from bound), ${otherwise})`
  const page = isLatest
    ? entries(`${bound("at", "p_first")}, ${bound("id", "p_first_id")}`, "k.at, k.id", "p_limit")
    : entries("k.at, k.id", `${bound("at", "p_last")}, ${bound("id", "p_last_id")}`, "p_limit")
  return `with head as (
          select k.*, t.at, t.id from ${kinds} cross join lateral (${entries(first, last, "1")}) as t
          order by t.at${order}, t.id${order} limit p_limit
        ), bound as (
          select at, id from head order by at${order}, id${order} offset p_limit - 1 limit 1
        )
        select array(
          select t.id from head k cross join lateral (${page}) as t
          order by t.at${order}, t.id${order} limit p_limit) into v_ids`
}

/** The same for one order. */
const pageByTime = (isLatest: boolean): string => {
  const order = isLatest ? " desc" : ""
  const withText = (column: string, text: string) =>
    mergedByTime(ofText(column, text), isLatest, `${column} <> '' and ${column} = ${text}`)
  return `if p_number is not null then
      v_ids := array(
        select t.id from unnest(v_facilities) as named(id) join dockline.facility f on f.id = named.id
        cross join lateral (select s.* from dockline.shipment s
          where s.business_id = f.business_id and s.facility_id = f.id and s.number_key = p_number) as t
        where (${time}, t.id) >= (p_first, p_first_id) and (${time}, t.id) <= (p_last, p_last_id)
          and (p_carrier is null or t.carrier = p_carrier) and (p_trailer is null or t.trailer_number = p_trailer)
          and ${isKind("t")}
        order by ${time}${order}, t.id${order} limit p_limit);
    elsif p_carrier is not null then
      ${withText("t.carrier", "p_carrier")};
    elsif p_trailer is not null then
      ${withText("t.trailer_number", "p_trailer")};
    else
      ${mergedByTime(kindsOfFacility, isLatest, "true")};
    end if`
}

const timeOfEntry = `, (select dockline.rfc3339(${time}) from dockline.shipment t where t.id = v_id)`

/**
 * A page of shipments in the order of their times, and of ids where times are the same: [[id, rows, characters, time]] (sized in
 * Streams.ts). The first and the last position are included; with p_latest the page begins at the last. p_scopes: see
 * facilities_within. p_number, p_status, p_carrier and p_trailer may be null; one of the last two is. With p_discrepancies it has those with
 * discrepancies.
 *
 * Each kind of shipment at a facility is a stream that an index has in order, as in Streams.ts.
 */
export const shipmentPageByTime = sql`
create or replace function dockline.shipment_page_by_time(
  p_scopes json, p_number text, p_status text, p_discrepancies boolean, p_carrier text, p_trailer text, p_latest boolean,
  p_first timestamptz, p_first_id bigint, p_last timestamptz, p_last_id bigint, p_limit int, p_rows int, p_text int
) returns json
language plpgsql stable as $$
declare
  ${pageVariables};
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
begin
  if p_latest then
    ${pageByTime(true)};
  else
    ${pageByTime(false)};
  end if;
  ${sized(sizeOfShipment, timeOfEntry)};
end $$`

const orders = (...key: Streams["key"]): string =>
  merged({
    table: "customer_order",
    key: [["t.facility_id", "k.facility"], ...key],
    values: "unnest(v_facilities) as k(facility)"
  })

export const orderPage = sql`
create or replace function dockline.order_page(p_scopes json, p_number text, p_after bigint, p_limit int, p_rows int, p_text int)
returns json language plpgsql stable as $$
declare
  ${pageVariables};
  v_facilities bigint[];
begin
  if p_scopes is null and p_number is null then
    ${all("customer_order")};
  else
    v_facilities := dockline.facilities_within(p_scopes);
    if p_number is not null then
      ${orders(["t.number_key", "p_number"])};
    else
      ${orders()};
    end if;
  end if;
  ${sized("select o.row_count, o.text_size from dockline.customer_order o where o.id = v_id")};
end $$`
