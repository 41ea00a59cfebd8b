-- The mappings of packing lists that businesses save by name (D25.7).
--
-- Guarantee: changes of the mappings of a business wait for each other until their transactions end (packing_list_mapping_load).

-- The mapping with a name; null if there is none.
create or replace function dockline.packing_list_mapping_body(p_business bigint, p_name text) returns json
language sql stable as $$
  select json_build_object('name', m.name, 'mapping', m.mapping, 'savedAt', dockline.rfc3339(m.saved_at))
  from dockline.packing_list_mapping m where m.business_id = p_business and m.name = p_name collate "C"
$$;

-- Locks the mappings of a business, and returns the snapshot for a change of the mapping with a name. `business` is null if
-- there is no such business, `present` if no mapping has the name.
create or replace function dockline.packing_list_mapping_load(p_business bigint, p_name text) returns json
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('dockline.packing_list_mappings:' || p_business, 0));
  return json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'present', dockline.packing_list_mapping_body(p_business, p_name),
    'count', (select count(*) from dockline.packing_list_mapping m where m.business_id = p_business));
end $$;

-- Saves a mapping, or deletes it if p_mapping is null. The caller has locked the mappings of the business.
create or replace function dockline.packing_list_mapping_put(
  p_business bigint, p_name text, p_mapping jsonb, p_at timestamptz
) returns void
language plpgsql as $$
begin
  if p_mapping is null then
    delete from dockline.packing_list_mapping m where m.business_id = p_business and m.name = p_name collate "C";
  else
    insert into dockline.packing_list_mapping (business_id, name, mapping, saved_at)
    values (p_business, p_name, p_mapping, p_at)
    on conflict (business_id, name) do update set mapping = excluded.mapping, saved_at = excluded.saved_at;
  end if;
end $$;

-- A page of the mappings of a business, in the order of their names.
create or replace function dockline.packing_list_mapping_page(p_business bigint, p_after text, p_limit int) returns json
language sql stable as $$
  select coalesce(json_agg(dockline.packing_list_mapping_body(p_business, m.name) order by m.name), '[]')
  from (select name from dockline.packing_list_mapping
    where business_id = p_business and name > p_after collate "C" order by name limit p_limit) as m
$$;
