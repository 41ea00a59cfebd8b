import { sql } from "../Plans.ts"
import { budgetVariables, withinBudget, withinStream } from "../Streams.ts"

/** What an index has in order: columns with their values, of a facility `k`; then come the outcome and the place (Streams.ts). */
interface Key {
  readonly table?: string
  readonly columns: ReadonlyArray<readonly [column: string, value: string]>
  readonly id?: string
  /** What else the entries of the index have in common. */
  readonly within: string
  /** Whether what is found is asked for. */
  readonly isAsked?: string
}

/**
 * The newest documents of each outcome `o`, if there are any. Comparisons are of rows in the order of the index, so that no plan
 * uses another index (Streams.ts).
 */
const inIndex = ({ table = "document_record", columns, id = "id", within, isAsked = asked }: Key): string => {
  const key = columns.map(([name, value]) => [`r.${name}`, value] as const)
  const names = key.map(([name]) => name)
  const equal = key.map(([name, value]) => `${name} = ${value} and `).join("")
  const [last, value] = key.at(-1) ?? ["", ""]
  const from = `from dockline.${table} r where`
  const newestFirst = [...names, "r.outcome", "r.place"].join(", ")
  return `select t.id, t.place from unnest(p_outcomes) as o(outcome) cross join lateral (
          select r.${id} as id, r.place ${from} ${equal}(r.outcome, r.place) > (o.outcome, p_after)
            and (r.outcome, r.place) <= (o.outcome, p_last) and ${within} and ${isAsked}
          order by ${newestFirst} limit p_limit) as t
        where (select true ${from} ${
    withinStream(key)
  }${last} >= ${value} and ${last} <= ${value} and ${within}
          order by ${names.join(", ")} limit 1)`
}

/** Sets v_ids to the newest documents that are found in any of these ways. */
const newest = (...found: ReadonlyArray<string>): string => {
  const all = found.map((each) => `(${each})`).join("\n        union all ")
  return `v_ids := array(select d.id from unnest(v_facilities) as k(facility) cross join lateral (
        ${all}) as d order by d.place limit p_limit)`
}

const ofFacility = (column: string, value: string, within: string, more: Partial<Key> = {}): string =>
  inIndex({ columns: [["facility_id", "k.facility"], [column, value]], within, ...more })

/** Whether a document has the order that is asked for. */
const ofOrder = `(p_order is null or r.order_key = p_order or r.order_key is null and r.number_key = p_order
          or (select true from dockline.document_order x where x.business_id = r.business_id and x.document_id = r.id
            and x.order_key = p_order))`

/** Whether a document removed the LPN that is asked for. */
const ofLpn =
  `(p_lpn is null or (select true from dockline.document_removal x where x.business_id = r.business_id
          and x.document_id = r.id and x.lpn_key = p_lpn))`

const asked = `${ofOrder} and ${ofLpn} and (p_correlation is null or r.correlation_id = p_correlation)`

const ofNumber = newest(
  ofFacility("number_key", "p_number", "r.order_key is null"),
  ofFacility("number_key", "p_number", "r.order_key is not null")
)

const ofRemovedLpn = newest(ofFacility("lpn_key", "p_lpn", "true", {
  table: "document_removal",
  id: "document_id",
  isAsked: "true"
}))

const ofOrderNumber = newest(
  ofFacility("number_key", "p_order", "r.order_key is null"),
  ofFacility("order_key", "p_order", "r.order_key is not null"),
  ofFacility("order_key", "p_order", "true", {
    table: "document_order",
    id: "document_id",
    isAsked: "true"
  })
)

const ofAnything = newest(inIndex({
  columns: [
    ["business_id", "(select f.business_id from dockline.facility f where f.id = k.facility)"],
    ["facility_id", "k.facility"]
  ],
  within: "true"
}))

/**
 * A page of recorded documents, newest first: [[rows, characters, body]] (withinBudget in Streams.ts).
 * p_lpn and p_order are not given together. p_scopes: see facilities_within. Of the filters each may be null. A shipment's
 * number finds the documents, else a correlation id, else an LPN that they removed, else an order's number: of one shipment or
 * request there are not many documents, and very many orders may have the number N/A. p_outcomes are those of rows
 * (DocumentRows.ts), and p_any says that they are all.
 * p_after and p_last: places between which documents are (Streams.ts), the last included.
 */
export const documentPage = sql`
create or replace function dockline.document_page(
  p_scopes json, p_number text, p_order text, p_correlation text, p_lpn text, p_outcomes text[], p_any boolean,
  p_after bigint, p_last bigint, p_limit int, p_rows int, p_text int
) returns json
language plpgsql stable as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_ids bigint[];
  v_id bigint;
  v_body json;
  ${budgetVariables};
begin
  if p_number is not null then
    ${ofNumber};
  elsif p_correlation is not null then
    ${newest(ofFacility("correlation_id", "p_correlation", "true"))};
  elsif p_lpn is not null then
    ${ofRemovedLpn};
  elsif p_order is not null then
    ${ofOrderNumber};
  elsif p_scopes is null and p_any then
    v_ids := array(select r.id from dockline.document_record r where r.place > p_after and r.place <= p_last and ${asked}
      order by r.place limit p_limit);
  else
    ${ofAnything};
  end if;
  foreach v_id in array v_ids loop
    select r.row_count, r.text_size, (select b.body from dockline.document_body b where b.id = v_id)
    into v_rows, v_text, v_body from dockline.document_record r where r.id = v_id;
    v_page := v_page || json_build_array(v_rows, v_text, v_body);
    ${withinBudget};
  end loop;
  return array_to_json(v_page);
end $$`

/** A recorded document, as DocumentRows.ts reads it. */
export const documentBody = sql`
create or replace view dockline.document_body as
select d.business_id, d.facility_id, d.outcome, d.id, json_build_array(
  json_build_object('slug', b.slug, 'name', b.name), json_build_object('slug', f.slug, 'name', f.name),
  d.id, dockline.rfc3339(d.received_at), d.outcome, d.correlation_id, d.shipment_id, d.new_orders::text[], d.new_items::text[],
  d.content) as body
from dockline.document_record d join dockline.business b on b.id = d.business_id join dockline.facility f on f.id = d.facility_id`

export const documentShown = sql`
create or replace function dockline.document_shown(p_id bigint) returns json
language plpgsql stable as $$
begin
  return (select b.body from dockline.document_body b where b.id = p_id);
end $$`

/** When the oldest recorded document came; null if there is none. */
export const documentOldest = sql`
create or replace function dockline.document_oldest() returns timestamptz
language plpgsql stable as $$
begin
  return (select d.received_at from dockline.document_record d order by d.id limit 1);
end $$`

/** Deletes the oldest recorded documents that came before the cutoff, up to p_limit of them: their number. */
export const documentDrop = sql`
create or replace function dockline.document_drop(p_cutoff timestamptz, p_limit int) returns int
language plpgsql as $$
declare
  v_last bigint;
  v_count int;
begin
  select max(old.id) into v_last from (
    select d.id, d.received_at from dockline.document_record d order by d.id limit p_limit) as old
  where old.received_at < p_cutoff;
  delete from dockline.document_order where document_id <= v_last;
  delete from dockline.document_removal where document_id <= v_last;
  delete from dockline.document_record where id <= v_last;
  get diagnostics v_count = row_count;
  return v_count;
end $$`
