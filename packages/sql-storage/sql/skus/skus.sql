-- The SKU master of facilities (D17.4).
--
-- Guarantee: changes of the master of a facility wait for each other until their transactions end (sku_load).

-- Locks the SKU master of a facility, and returns the data that a change of the SKUs depends on.
create or replace function dockline.sku_load(p_business bigint, p_facility text, p_ids text[]) returns json
language plpgsql as $$
declare
  v_facility bigint := (select f.id from dockline.facility f where f.business_id = p_business and f.slug = p_facility);
begin
  perform pg_advisory_xact_lock(hashtextextended('dockline.skus:' || v_facility, 0));
  return json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name) from dockline.facility x where x.id = v_facility),
    'facilityId', v_facility,
    'count', (select count(*) from dockline.sku k where k.business_id = p_business and k.facility_id = v_facility),
    'stored', (select coalesce(json_agg(found.body), '[]') from unnest(p_ids) as named(id)
      cross join lateral (select json_build_array(k.id, k.facts, dockline.rfc3339(k.created_at),
        dockline.rfc3339(k.updated_at)) as body from dockline.sku k
        where k.business_id = p_business and k.facility_id = v_facility and k.id = named.id collate "C" offset 0) as found));
end $$;

-- Writes and deletes SKUs of a facility, whose master is locked.
create or replace function dockline.sku_apply(p_business bigint, p_facility bigint, p_writes jsonb, p_deletes text[])
returns void
language plpgsql as $$
begin
  insert into dockline.sku (business_id, facility_id, id, facts, created_at, updated_at)
  select p_business, p_facility, r.id, r.facts, r."createdAt", r."updatedAt"
  from jsonb_to_recordset(p_writes) as r(id text, facts jsonb, "createdAt" timestamptz, "updatedAt" timestamptz)
  on conflict (business_id, facility_id, id) do update set facts = excluded.facts, updated_at = excluded.updated_at;
  delete from dockline.sku k where k.business_id = p_business and k.facility_id = p_facility and k.id = any (p_deletes);
end $$;

-- The data of those of p_ids that are in the SKU master of a shipment's facility.
create or replace function dockline.sku_descriptions(p_business bigint, p_shipment bigint, p_ids text[]) returns json
language plpgsql stable as $$
declare
  v_facility bigint := (select s.facility_id from dockline.shipment s where s.business_id = p_business
    and s.id = p_shipment);
begin
  return (select coalesce(json_agg(found.body), '[]') from unnest(p_ids) as named(id)
    cross join lateral (select json_build_object('id', k.id, 'description', k.facts->'description',
        'casesPerPallet', k.facts->'casesPerPallet') as body from dockline.sku k
      where k.business_id = p_business and k.facility_id = v_facility and k.id = named.id collate "C" offset 0) as found);
end $$;

-- The approximate number of characters of a SKU in a JSON answer. 160 is for the members beside the facts, as in Sku.ts.
create or replace function dockline.sku_characters(p_id text, p_facts jsonb) returns int
language sql immutable parallel safe as $$
  select length(p_id) + length(p_facts::text) + 160
$$;

-- SKUs of a facility after an id and an offset, in id order, and their approximate number of characters in a JSON answer. If
-- p_most_characters is not null and the number exceeds it, the SKUs are left out. p_total, the number of all SKUs, is only passed on.
create or replace function dockline.skus_shown(
  p_business bigint, p_facility bigint, p_after text, p_offset bigint, p_limit int, p_most_characters int, p_total bigint
) returns json
language plpgsql stable as $$
declare
  v_characters bigint;
begin
  select coalesce(sum(dockline.sku_characters(k.id, k.facts)), 0) into v_characters from (
    select k.id, k.facts from dockline.sku k
    where k.business_id = p_business and k.facility_id = p_facility and k.id > p_after collate "C"
    order by k.business_id, k.facility_id, k.id offset p_offset limit p_limit) as k;
  if v_characters > p_most_characters then return json_build_object('total', p_total, 'characters', v_characters); end if;
  return json_build_object('total', p_total, 'characters', v_characters, 'skus', (
    select coalesce(json_agg(json_build_array(k.id, k.facts, dockline.rfc3339(k.created_at), dockline.rfc3339(k.updated_at))), '[]')
    from (
      select k.id, k.facts, k.created_at, k.updated_at from dockline.sku k
      where k.business_id = p_business and k.facility_id = p_facility and k.id > p_after collate "C"
      order by k.business_id, k.facility_id, k.id offset p_offset limit p_limit) as k));
end $$;

-- A page of the SKUs of a facility (skus_shown).
create or replace function dockline.sku_page(p_business bigint, p_facility text, p_after text, p_limit int, p_most_characters int)
returns json
language plpgsql stable as $$
begin
  return dockline.skus_shown(p_business,
    (select f.id from dockline.facility f where f.business_id = p_business and f.slug = p_facility), p_after, 0, p_limit,
    p_most_characters, null);
end $$;

-- A slice of the SKUs of a facility, with the number of all SKUs (skus_shown). With p_id, only that SKU, whatever its size, with the number
-- 0 or 1.
create or replace function dockline.sku_slice(
  p_business bigint, p_facility text, p_id text, p_offset bigint, p_limit int, p_most_characters int
) returns json
language plpgsql stable as $$
declare
  v_facility bigint := (select f.id from dockline.facility f where f.business_id = p_business and f.slug = p_facility);
begin
  if p_id is not null then
    return (select json_build_object('total', count(*),
        'characters', coalesce(sum(dockline.sku_characters(k.id, k.facts)), 0),
        'skus', coalesce(json_agg(json_build_array(k.id, k.facts, dockline.rfc3339(k.created_at),
          dockline.rfc3339(k.updated_at))) filter (where p_offset = 0 and p_limit > 0), '[]'))
      from dockline.sku k where k.business_id = p_business and k.facility_id = v_facility and k.id = p_id collate "C");
  end if;
  return dockline.skus_shown(p_business, v_facility, '', p_offset, p_limit, p_most_characters,
    (select count(*) from dockline.sku k where k.business_id = p_business and k.facility_id = v_facility));
end $$;
