-- A page of businesses: those of p_slugs, or all if it is null.
create or replace function dockline.business_page(p_slugs text[], p_after text, p_limit int)
returns table (slug text, name text) language plpgsql stable as $$
begin
  if p_slugs is null then
    return query select b.slug, b.name from dockline.business b where b.slug collate "C" > p_after
    order by b.slug collate "C" limit p_limit;
  else
    return query select b.slug, b.name from (select distinct unnest(p_slugs) as slug) as named
    cross join lateral (select t.slug, t.name from dockline.business t where t.slug = named.slug) as b
    where b.slug collate "C" > p_after order by b.slug collate "C" limit p_limit;
  end if;
end $$;

create or replace function dockline.facility_page(p_business text, p_after text, p_limit int)
returns table (slug text, name text, "timeZone" text, "detentionMinutes" int) language plpgsql stable as $$
declare
  v_business bigint := (select b.id from dockline.business b where b.slug = p_business);
begin
  return query select f.slug, f.name, f.time_zone, f.detention_minutes from dockline.facility f
  where f.business_id = v_business and f.slug collate "C" > p_after order by f.slug collate "C" limit p_limit;
end $$;

create or replace function dockline.dock_page(p_business text, p_facility text, p_after text, p_limit int)
returns table (slug text) language plpgsql stable as $$
declare
  v_facility bigint := (select f.id from dockline.business b join dockline.facility f on f.business_id = b.id
    where b.slug = p_business and f.slug = p_facility);
begin
  return query select d.slug from dockline.dock d
  where d.facility_id = v_facility and d.slug collate "C" > p_after order by d.slug collate "C" limit p_limit;
end $$;

-- The ids of the facilities within scopes, [[business slug, [facility slugs]]], where null stands for all; all
-- facilities if p_scopes is null.
create or replace function dockline.facilities_within(p_scopes json) returns bigint[]
language plpgsql stable as $$
begin
  if p_scopes is null then return array(select f.id from dockline.facility f where dockline.is_here(f.business_id)); end if;
  return array(
    select f.id from json_array_elements(p_scopes) as s
    join dockline.business b on b.slug = s->>0
    join dockline.facility f on f.business_id = b.id
    where s->>1 is null and dockline.is_here(b.id)
    union
    select f.id from json_array_elements(p_scopes) as s
    join dockline.business b on b.slug = s->>0
    cross join json_array_elements_text(case when s->>1 is null then '[]' else s->1 end) as named
    join dockline.facility f on f.business_id = b.id and f.slug = named
    where dockline.is_here(b.id)
    union
    select f.id from json_array_elements(p_scopes) as s
    join dockline.facility f on s->>1 is null or (s->1)::jsonb ? f.slug
    where s->>0 is null and dockline.is_here(f.business_id));
end $$;
