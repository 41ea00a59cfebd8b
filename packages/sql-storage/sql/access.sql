-- Clients, people, and the record of operators' changes.

-- Whether a client or a person has grants, and all of them are for these businesses.
create or replace function dockline.client_within(p_grants jsonb, p_businesses text[]) returns boolean
immutable
return jsonb_array_length(p_grants) > 0 and not exists (select from jsonb_array_elements(p_grants) as granted
  where granted->>'business' <> all (p_businesses));

-- A page of clients as [[id, size]]: those whose grants are all for p_businesses, or all clients if it is null. The size is 1, plus 1 for
-- each facility that a grant names, or for a grant to all facilities.
create or replace function dockline.client_page(p_businesses text[], p_after text, p_limit int) returns json
language plpgsql stable as $$
declare
  v_ids text[];
begin
  if p_businesses is null then
    v_ids := array(select t.id from dockline.client t where t.id collate "C" > p_after order by t.id collate "C" limit p_limit);
  else
    with head as (
      select k.*, (select t.id collate "C" from dockline.client t
        where ((t.grants->0->>'business'), t.id collate "C") > (k.business, p_after)
          and (t.grants->0->>'business') <= k.business and dockline.client_within(t.grants, p_businesses)
        order by (t.grants->0->>'business'), t.id collate "C" limit 1) as first
      from (select distinct unnest(p_businesses) as business) as k order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then U&'\+10FFFF' else max(first) end as last from head
    )
    select array(
      select t.id from head k cross join lateral (
        select t.id from dockline.client t
        where ((t.grants->0->>'business'), t.id collate "C") >= (k.business, k.first)
          and ((t.grants->0->>'business'), t.id collate "C") <= (k.business, (select last from bound))
            and dockline.client_within(t.grants, p_businesses)
        order by (t.grants->0->>'business'), t.id collate "C" limit p_limit) as t
      where k.first is not null order by t.id collate "C" limit p_limit) into v_ids;
  end if;
  return (select coalesce(json_agg(json_build_array(c.id, (
      select 1 + coalesce(sum(case when jsonb_typeof(granted->'facilities') = 'array'
        then jsonb_array_length(granted->'facilities') else 1 end), 0)
      from jsonb_array_elements(c.grants) as granted)) order by named.n), '[]')
    from unnest(v_ids) with ordinality as named(id, n) cross join lateral (
      select t.id, t.grants from dockline.client t where t.id = named.id) as c);
end $$;

-- A page of people, as client_page.
create or replace function dockline.person_page(p_businesses text[], p_after text, p_limit int) returns json
language plpgsql stable as $$
declare
  v_ids text[];
begin
  if p_businesses is null then
    v_ids := array(select t.id from dockline.person t where t.id collate "C" > p_after order by t.id collate "C" limit p_limit);
  else
    with head as (
      select k.*, (select t.id collate "C" from dockline.person t
        where ((t.grants->0->>'business'), t.id collate "C") > (k.business, p_after)
          and (t.grants->0->>'business') <= k.business and dockline.client_within(t.grants, p_businesses)
        order by (t.grants->0->>'business'), t.id collate "C" limit 1) as first
      from (select distinct unnest(p_businesses) as business) as k order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then U&'\+10FFFF' else max(first) end as last from head
    )
    select array(
      select t.id from head k cross join lateral (
        select t.id from dockline.person t
        where ((t.grants->0->>'business'), t.id collate "C") >= (k.business, k.first)
          and ((t.grants->0->>'business'), t.id collate "C") <= (k.business, (select last from bound))
            and dockline.client_within(t.grants, p_businesses)
        order by (t.grants->0->>'business'), t.id collate "C" limit p_limit) as t
      where k.first is not null order by t.id collate "C" limit p_limit) into v_ids;
  end if;
  return (select coalesce(json_agg(json_build_array(c.id, (
      select 1 + coalesce(sum(case when jsonb_typeof(granted->'facilities') = 'array'
        then jsonb_array_length(granted->'facilities') else 1 end), 0)
      from jsonb_array_elements(c.grants) as granted)) order by named.n), '[]')
    from unnest(v_ids) with ordinality as named(id, n) cross join lateral (
      select t.id, t.grants from dockline.person t where t.id = named.id) as c);
end $$;

-- The newest audit entries before (p_at, p_id) and not before p_from: of the businesses of p_scope, or all if it is
-- null. Each branch reads an index from its end.
create or replace function dockline.audit_page(
  p_scope text[], p_client text, p_subject text, p_from timestamptz, p_at timestamptz, p_id bigint, p_limit int
) returns setof dockline.audit_entry
language plpgsql stable as $$
begin
  if p_scope is null then
    if p_subject is not null then
      return query select t.* from dockline.audit_entry t
      where (t.subject, t.at, t.id) < (p_subject, p_at, p_id)
        and (t.subject, t.at, t.id) >= (p_subject, p_from, 0) and (p_client is null or t.client_id = p_client)
      order by t.subject desc, t.at desc, t.id desc limit p_limit;
    elsif p_client is not null then
      return query select t.* from dockline.audit_entry t
      where (t.client_id, t.at, t.id) < (p_client, p_at, p_id)
        and (t.client_id, t.at, t.id) >= (p_client, p_from, 0)
      order by t.client_id desc, t.at desc, t.id desc limit p_limit;
    else
      return query select t.* from dockline.audit_entry t
      where (t.at, t.id) < (p_at, p_id)
        and (t.at, t.id) >= (p_from, 0)
      order by t.at desc, t.id desc limit p_limit;
    end if;
  elsif p_subject is not null then
    return query select e.* from (select distinct unnest(p_scope) as business) as k cross join lateral (
      select t.* from dockline.audit_entry t
      where t.business = k.business and (t.subject, t.at, t.id) < (p_subject, p_at, p_id)
        and (t.subject, t.at, t.id) >= (p_subject, p_from, 0) and (p_client is null or t.client_id = p_client)
      order by t.business desc, t.subject desc, t.at desc, t.id desc limit p_limit) as e
      order by e.at desc, e.id desc limit p_limit;
  elsif p_client is not null then
    return query select e.* from (select distinct unnest(p_scope) as business) as k cross join lateral (
      select t.* from dockline.audit_entry t
      where t.business = k.business and (t.client_id, t.at, t.id) < (p_client, p_at, p_id)
        and (t.client_id, t.at, t.id) >= (p_client, p_from, 0)
      order by t.business desc, t.client_id desc, t.at desc, t.id desc limit p_limit) as e
      order by e.at desc, e.id desc limit p_limit;
  else
    return query select e.* from (select distinct unnest(p_scope) as business) as k cross join lateral (
      select t.* from dockline.audit_entry t
      where (t.business, t.at, t.id) < (k.business, p_at, p_id)
        and (t.business, t.at, t.id) >= (k.business, p_from, 0)
      order by t.business desc, t.at desc, t.id desc limit p_limit) as e
      order by e.at desc, e.id desc limit p_limit;
  end if;
end $$;
