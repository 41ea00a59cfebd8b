import { locationOf } from "../schema/Columns.ts"
import { sql } from "../schema/Plans.ts"

/** What is told of a row of `sku`: arrays, so that no key is written and parsed for each. */
const skuBody =
  `json_build_array(k.id, k.facts, dockline.rfc3339(k.created_at), dockline.rfc3339(k.updated_at))`

const facilityOf =
  `(select f.id from dockline.facility f where f.business_id = p_business and f.slug = p_facility)`

/** Locks the SKU master of a facility, and returns what a change of the SKUs depends on. */
export const skuLoad = sql`
create or replace function dockline.sku_load(p_business bigint, p_facility text, p_ids text[]) returns json
language plpgsql as $$
declare
  v_facility bigint := ${facilityOf};
begin
  perform pg_advisory_xact_lock(hashtextextended('dockline.skus:' || v_facility, 0));
  return json_build_object(${locationOf("p_business", "v_facility")},
    'facilityId', v_facility,
    'count', (select count(*) from dockline.sku k where k.business_id = p_business and k.facility_id = v_facility),
    'stored', (select coalesce(json_agg(found.body), '[]') from unnest(p_ids) as named(id)
      cross join lateral (select ${skuBody} as body from dockline.sku k
        where k.business_id = p_business and k.facility_id = v_facility and k.id = named.id collate "C" offset 0) as found));
end $$`

export const skuApply = sql`
create or replace function dockline.sku_apply(p_business bigint, p_facility bigint, p_writes jsonb, p_deletes text[]) returns void
language plpgsql as $$
begin
  insert into dockline.sku (business_id, facility_id, id, facts, created_at, updated_at)
  select p_business, p_facility, r.id, r.facts, r."createdAt", r."updatedAt"
  from jsonb_to_recordset(p_writes) as r(id text, facts jsonb, "createdAt" timestamptz, "updatedAt" timestamptz)
  on conflict (business_id, facility_id, id) do update set facts = excluded.facts, updated_at = excluded.updated_at;
  delete from dockline.sku k where k.business_id = p_business and k.facility_id = p_facility and k.id = any (p_deletes);
end $$`

/** What the SKU master of the facility of a shipment says of those of p_ids that it has. */
export const skuWords = sql`
create or replace function dockline.sku_words(p_business bigint, p_shipment bigint, p_ids text[]) returns json
language plpgsql stable as $$
declare
  v_facility bigint := (select s.facility_id from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
begin
  return (select coalesce(json_agg(found.body), '[]') from unnest(p_ids) as named(id)
    cross join lateral (select json_build_object('id', k.id, 'description', k.facts->'description',
        'casesPerPallet', k.facts->'casesPerPallet') as body from dockline.sku k
      where k.business_id = p_business and k.facility_id = v_facility and k.id = named.id collate "C" offset 0) as found);
end $$`

/** About how many characters a row of `sku` has in an answer in JSON. */
const skuCharacters = "length(k.id) + length(k.facts::text) + 160"

/**
 * Returns SKUs of a facility in the order of their ids, and about how many characters they have; without them where these are more
 * than p_small.
 */
const skusShown = (which: string, range: string, more = ""): string => {
  const skus = (shown: string) =>
    `(select ${shown} as shown from dockline.sku k where k.business_id = p_business and k.facility_id = v_facility
    ${which} order by k.business_id, k.facility_id, k.id ${range}) as s`
  return `select coalesce(sum(s.shown), 0) into v_characters from ${skus(skuCharacters)};
  if v_characters > p_small then return json_build_object(${more}'characters', v_characters); end if;
  return json_build_object(${more}'characters', v_characters,
    'skus', (select coalesce(json_agg(s.shown), '[]') from ${skus(skuBody)}));`
}

export const skuPage = sql`
create or replace function dockline.sku_page(p_business bigint, p_facility text, p_after text, p_limit int, p_small int)
returns json language plpgsql stable as $$
declare
  v_facility bigint := ${facilityOf};
  v_characters bigint;
begin
  ${skusShown(`and k.id > p_after collate "C"`, "limit p_limit")}
end $$`

/** A slice of the SKUs of a facility, or of the one of an id, and how many there are in all. */
export const skuSlice = sql`
create or replace function dockline.sku_slice(p_business bigint, p_facility text, p_id text, p_offset bigint, p_limit int,
  p_small int)
returns json language plpgsql stable as $$
declare
  v_facility bigint := ${facilityOf};
  v_total bigint;
  v_characters bigint;
begin
  if p_id is not null then
    return (select json_build_object('total', count(*), 'characters', coalesce(sum(${skuCharacters}), 0),
      'skus', coalesce(json_agg(${skuBody}) filter (where p_offset = 0 and p_limit > 0), '[]'))
    from dockline.sku k where k.business_id = p_business and k.facility_id = v_facility and k.id = p_id collate "C");
  end if;
  v_total := (select count(*) from dockline.sku k where k.business_id = p_business and k.facility_id = v_facility);
  ${skusShown("", "offset p_offset limit p_limit", "'total', v_total, ")}
end $$`
