-- The facilities that clients may see.

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
