-- The record of the files that were exchanged with EDI partners (D18.3).
--
-- Guarantee: each transaction that adds files first locks the exchange of the business (edi_lock), so that the ids of files
-- grow in the order of commits.

-- Files as lists show them: as `EdiFileEntry` (EdiFile.ts).
create or replace view dockline.edi_file_entry as
select e.business_id, e.id, json_build_object(
  'id', e.id, 'direction', e.direction, 'partner', e.partner, 'control', e.control, 'outcome', e.outcome,
  'at', dockline.rfc3339(e.at), 'kinds', e.kinds, 'setCount', e.set_count, 'rejectedCount', e.rejected_count,
  'location', json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name)
      from dockline.business b where b.id = e.business_id),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name)
      from dockline.facility x where x.id = e.facility_id))
) as body
from dockline.edi_file e;

-- A file: [entry, first part of its sets, faults, text, answer]; null if there is none. A text or an answer that is longer
-- than a part (edi_file_part) is null.
create or replace function dockline.edi_file_shown(p_business bigint, p_id bigint) returns json
language plpgsql stable as $$
begin
  return (select json_build_array(
      (select b.body from dockline.edi_file_entry b where b.business_id = p_business and b.id = p_id),
      coalesce((select s.sets from dockline.edi_set s where s.business_id = p_business and s.file_id = p_id
        and s.part = 0), '[]'),
      e.faults, case when e.text_size <= 2000000 then e.text end,
      case when length(e.answer) <= 2000000 then e.answer end)
    from dockline.edi_file e where e.business_id = p_business and e.id = p_id);
end $$;

-- A part of the text of a file, or of its answer. Parts have 2,000,000 characters and are numbered from 0. The result is
-- '' after the last part, and null if there is no file.
create or replace function dockline.edi_file_part(p_business bigint, p_id bigint, p_is_answer boolean, p_part int)
returns text
language plpgsql stable as $$
begin
  return (select substr(case when p_is_answer then e.answer else e.text end, 1 + p_part * 2000000, 2000000)
    from dockline.edi_file e where e.business_id = p_business and e.id = p_id);
end $$;

-- Parts of the sets of files: for each pair of a file and a part, in this order, its sets, or null if there is no such part.
create or replace function dockline.edi_sets(p_business bigint, p_files bigint[], p_parts int[]) returns json
language plpgsql stable as $$
begin
  return (select json_agg((select s.sets from dockline.edi_set s
      where s.business_id = p_business and s.file_id = g.file and s.part = g.part) order by g.n)
    from unnest(p_files, p_parts) with ordinality as g(file, part, n));
end $$;

-- The number of bytes of the texts, the faults and the sets of a file; null if there is no file.
create or replace function dockline.edi_file_bytes(p_business bigint, p_id bigint) returns bigint
language plpgsql stable as $$
begin
  return (select octet_length(e.text)::bigint + octet_length(e.answer) + octet_length(e.faults::text)
      + coalesce((select sum(octet_length(s.sets::text)) from dockline.edi_set s
        where s.business_id = p_business and s.file_id = p_id), 0)
    from dockline.edi_file e where e.business_id = p_business and e.id = p_id);
end $$;

-- The texts of files, in the order of their ids: [[id, text]].
create or replace function dockline.edi_file_texts(p_business bigint, p_ids bigint[]) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_array(s.id, (select e.text from dockline.edi_file e
      where e.business_id = p_business and e.id = s.id)) order by s.id), '[]') from unnest(p_ids) as s(id));
end $$;

-- The id of the file received from a partner with a control number, and with a fingerprint unless p_fingerprint is null;
-- null if there is none.
create or replace function dockline.edi_known(p_business bigint, p_epoch bigint, p_control text, p_fingerprint text)
returns bigint
language plpgsql stable as $$
begin
  return (select e.id from dockline.edi_partner p join dockline.edi_file e
    on e.business_id = p_business and e.epoch = p.epoch and e.usage = p.usage and e.control = p_control
      and e.direction = 'IN'
    where p.business_id = p_business and p.epoch = p_epoch and (p_fingerprint is null or e.fingerprint = p_fingerprint));
end $$;

-- The files sent in a series that have a group with one of these numbers, or one of these control numbers: [{id, control,
-- groups, setCount}]. For each number, only the newest file counts.
create or replace function dockline.edi_sent(
  p_business bigint, p_epoch bigint, p_usage text, p_groups int[], p_controls text[]
) returns json
language plpgsql stable as $$
declare
  v_sent bigint[] := array(select distinct found.id from unnest(p_groups) as given cross join lateral (
    select e.id, e.first_group from dockline.edi_file e where e.business_id = p_business
      and e.epoch = p_epoch and e.usage = p_usage and e.last_group >= given and e.last_group is not null
    order by e.business_id, e.epoch, e.usage, e.last_group, e.id desc limit 1) as found where found.first_group <= given);
  v_named bigint[] := array(select distinct found.id from unnest(p_controls) as given cross join lateral (
    select e.id from dockline.edi_file e where e.business_id = p_business and e.epoch = p_epoch and e.usage = p_usage
      and e.control = given and e.direction = 'OUT' and e.text_size > 0
    order by e.business_id, e.epoch, e.usage, e.control, e.id desc limit 1) as found where found.id <> all (v_sent));
begin
  return (select coalesce(json_agg(json_build_object('id', e.id, 'control', e.control, 'groups', e.groups, 'setCount',
    e.set_count)), '[]')
    from unnest(v_sent || v_named) as s(id) cross join lateral (select e.* from dockline.edi_file e
      where e.business_id = p_business and e.id = s.id offset 0) as e);
end $$;

-- The files that told a partner about a shipment in a series: {"ids", "isWhole"}, the newest first. The files have at most
-- p_text characters in all, unless the first file alone has more. isWhole: whether the ids are all that there are.
create or replace function dockline.edi_told(
  p_business bigint, p_epoch bigint, p_usage text, p_shipment bigint, p_text bigint
) returns json
language plpgsql stable as $$
declare
  v_each record;
  v_held bigint := 0;
  v_ids bigint[] := '{}';
begin
  for v_each in select e.id, e.text_size from dockline.edi_file e where e.business_id = p_business and e.epoch = p_epoch
      and e.shipment_id = p_shipment and e.usage = p_usage order by e.business_id, e.epoch, e.shipment_id, e.id desc loop
    v_held := v_held + v_each.text_size;
    if v_held > p_text and cardinality(v_ids) > 0 then
      return json_build_object('ids', array_to_json(v_ids), 'isWhole', false);
    end if;
    v_ids := v_ids || v_each.id;
  end loop;
  return json_build_object('ids', array_to_json(v_ids), 'isWhole', true);
end $$;

-- Locks the exchange of a business, and loads what its steps need. p_steps are [{key, control, reservation, shipments}].
-- Returns {"now": the time under the lock, "partners": the partners of the steps, with their locations, "states": the state
-- for each step, null if its partner is gone}.
create or replace function dockline.edi_begin(p_business bigint, p_steps json) returns json
language plpgsql as $$
begin
  perform dockline.edi_lock(p_business);
  return json_build_object(
    'now', dockline.rfc3339(clock_timestamp()),
    'partners', (select coalesce(json_agg(json_build_object(
        'partner', (select b.body from dockline.edi_partner_body b where b.business_id = p_business and b.slug = p.slug),
        'location', json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name)
      from dockline.facility x where x.id = p.facility_id)))), '[]')
      from (select distinct (step->>'key')::bigint as epoch from json_array_elements(p_steps) as step) as named
      cross join lateral (select t.slug, t.facility_id from dockline.edi_partner t
        where t.business_id = p_business and t.epoch = named.epoch) as p),
    'states', (select json_agg(json_build_object(
        'isKnown', (select e.id from dockline.edi_file e where e.business_id = p_business and e.epoch = p.epoch
          and e.usage = p.usage
          and e.control = s.control and e.direction = 'IN') is not null,
        'isReserved', (select a.id from dockline.edi_arrival a where a.business_id = p_business
          and a.id = s.reservation) is not null,
        -- A join would read every order of the business.
        'ownIds', case when s.shipments = '{}' then '[]' else (select coalesce(json_agg(given),
          '[]') from unnest(s.shipments) as given
          where (select o.id from dockline.customer_order o where o.business_id = p_business and o.shipment_id = given
            and o.owner = p.epoch::text limit 1) is not null) end
      ) order by s.n)
      from rows from (json_to_recordset(p_steps) as (key bigint, control text, reservation bigint, shipments bigint[]))
        with ordinality as s(key, control, reservation, shipments, n)
      left join lateral (select t.epoch, t.usage from dockline.edi_partner t
        where t.business_id = p_business and t.epoch = s.key) as p on true));
end $$;

-- Adds parts of the sets of files. p_sets are [{id: the file, part, sets}].
create or replace function dockline.edi_sets_add(p_business bigint, p_sets json) returns void
language plpgsql as $$
begin
  insert into dockline.edi_set (business_id, file_id, part, sets)
  select p_business, s.id, s.part, s.sets from json_to_recordset(p_sets) as s(id bigint, part int, sets json);
  perform dockline.edi_shipments_add(p_business, s.id, s.sets)
  from json_to_recordset(p_sets) as s(id bigint, sets json);
end $$;

-- Stores the shipments that sets of a file are about.
create or replace function dockline.edi_shipments_add(p_business bigint, p_file bigint, p_sets json) returns void
language plpgsql as $$
begin
  insert into dockline.edi_file_shipment (business_id, file_id, shipment_id, facility_id, place)
  select p_business, p_file, s.shipment, e.facility_id, e.place
  from (select distinct (each->>'shipmentId')::bigint as shipment from json_array_elements(p_sets) as each
    where each->>'shipmentId' <> '') as s
  join dockline.edi_file e on e.business_id = p_business and e.id = p_file
  on conflict do nothing;
end $$;

-- The files with sets that were rejected or could not be written since a time, in the order of these times: [{file, at}].
-- If there are more than p_limit, the latest are returned.
create or replace function dockline.edi_rejections(p_business bigint, p_since timestamptz, p_limit int) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_object('at', dockline.rfc3339(t.rejected_at), 'file',
      (select b.body from dockline.edi_file_entry b where b.business_id = p_business and b.id = t.id))
      order by t.rejected_at, t.id), '[]')
    from (select e.id, e.rejected_at from dockline.edi_file e where e.business_id = p_business
        and e.rejected_at >= p_since and e.rejected_at is not null
      order by e.business_id desc, e.rejected_at desc limit p_limit) as t);
end $$;

-- Writes the outcomes of sent files. p_sets are the changed parts of their sets, [{id, part, sets}]; p_files are [{id,
-- outcome, rejectedCount}].
create or replace function dockline.edi_mark(p_business bigint, p_sets json, p_files json) returns void
language plpgsql as $$
declare
  v_each record;
begin
  for v_each in select * from json_to_recordset(p_sets) as m(id bigint, part int, sets json) loop
    update dockline.edi_set set sets = v_each.sets
    where business_id = p_business and file_id = v_each.id and part = v_each.part;
  end loop;
  for v_each in select * from json_to_recordset(p_files) as m(id bigint, outcome text, "rejectedCount" int) loop
    update dockline.edi_file set outcome = v_each.outcome, rejected_count = v_each."rejectedCount",
      rejected_at = case when v_each.outcome in ('REJECTED', 'PARTIAL', 'UNWRITTEN')
        then coalesce(rejected_at, clock_timestamp()) end
    where business_id = p_business and id = v_each.id;
  end loop;
end $$;

-- Writes the plans of steps, and returns the ids of the added files. p_plan has:
-- partners: the cursors, the next control numbers and the due files of partners; without due files, these stay unchanged.
-- released: the ids of the reservations that end.
-- words: the words of orders, each order once; usual: the orders whose words are deleted, because they are the default words.
-- files: the files to add, each with the first part of its sets. p_texts and p_answers have the texts and the answers of
-- these files, in the same order.
create or replace function dockline.edi_write(p_business bigint, p_plan json, p_texts text[], p_answers text[])
returns json
language plpgsql as $$
declare
  v_each record;
  v_ids bigint[] := array(select nextval('dockline.edi_file_id') from generate_series(1, cardinality(p_texts)));
begin
  for v_each in select * from json_to_recordset(p_plan->'partners') as p(key bigint, "cursorId" bigint,
    "nextInterchange" int,
      "nextGroup" int, due json) loop
    update dockline.edi_partner set cursor_id = v_each."cursorId", next_interchange = v_each."nextInterchange",
      next_group = v_each."nextGroup",
      due = case when v_each.due is null then due else array(select json_array_elements_text(v_each.due)::bigint) end
    where business_id = p_business and epoch = v_each.key;
  end loop;
  for v_each in select json_array_elements_text(p_plan->'released')::bigint as id loop
    delete from dockline.edi_arrival where business_id = p_business and id = v_each.id;
  end loop;
  if json_array_length(p_plan->'usual') > 0 then
    delete from dockline.edi_word w using json_to_recordset(p_plan->'usual') as g(key bigint, "order" text)
    where w.business_id = p_business and w.epoch = g.key and w.order_key = g."order";
  end if;
  if json_array_length(p_plan->'words') > 0 then
    insert into dockline.edi_word (business_id, epoch, order_key, words, kept_at)
    select p_business, g.key, g."order", g.words, g.at
    from json_to_recordset(p_plan->'words') as g(key bigint, "order" text, words text, at timestamptz) order by g.key,
      g."order"
    on conflict (business_id, epoch, order_key) do update set words = excluded.words, kept_at = excluded.kept_at;
  end if;
  insert into dockline.edi_file (business_id, id, facility_id, partner, epoch, usage, direction, control, outcome, at,
    kinds, set_count,
    rejected_count, first_group, last_group, shipment_id, groups, fingerprint, faults, text_size, text, answer, place, rejected_at)
  select p_business, v_ids[f.n], p.facility_id, p.slug, p.epoch, p.usage, f.direction, f.control, f.outcome, f.at,
    f.kinds, f.set_count,
    f.rejected_count, f.first_group, f.last_group,
    case when f.direction = 'OUT' then nullif(f.sets->0->>'shipmentId', '')::bigint end, f.groups, f.fingerprint,
      f.faults, length(p_texts[f.n]), p_texts[f.n], p_answers[f.n], dockline.list_place(f.at, v_ids[f.n]),
      case when f.outcome in ('REJECTED', 'PARTIAL', 'UNWRITTEN') then f.at end
  from rows from (json_to_recordset(p_plan->'files') as (key bigint, direction text, control text, outcome text,
    at timestamptz,
      kinds text[], "setCount" int, "rejectedCount" int, "firstGroup" int, "lastGroup" int, groups json,
        fingerprint text, sets json, faults json))
    with ordinality as f(key, direction, control, outcome, at, kinds, set_count, rejected_count, first_group, last_group,
      groups, fingerprint, sets,
      faults, n)
  join dockline.edi_partner p on p.business_id = p_business and p.epoch = f.key
  order by f.n;
  insert into dockline.edi_set (business_id, file_id, part, sets)
  select p_business, v_ids[f.n], 0, f.sets
  from rows from (json_to_recordset(p_plan->'files') as (sets json)) with ordinality as f(sets, n)
  where json_array_length(f.sets) > 0;
  perform dockline.edi_shipments_add(p_business, v_ids[f.n], f.sets)
  from rows from (json_to_recordset(p_plan->'files') as (sets json)) with ordinality as f(sets, n)
  where json_array_length(f.sets) > 0;
  return array_to_json(v_ids);
end $$;

-- Appends interchanges to the outbox of webhook endpoints, in this order. This may lock the log of the business until the
-- end of the transaction.
create or replace function dockline.edi_post(p_business bigint, p_files bigint[]) returns void
language plpgsql as $$
declare
  v_id bigint;
begin
  foreach v_id in array p_files loop
    perform dockline.outbox_append(p_business, e.facility_id, 'EDI_INTERCHANGE', coalesce(e.shipment_id, 0), '/api/edi',
      'application/edi-x12',
      e.text, null, e.at)
    from dockline.edi_file e where e.business_id = p_business and e.id = v_id;
  end loop;
end $$;

-- A page of files, newest first, as entries. A filter that is null selects all files. p_partner is the slug of a partner:
-- only files of its present owner match. With p_shipment, the other filters have no effect. p_scopes: see
-- facilities_within. p_after is the place (list_place) of the last file of the page before.
create or replace function dockline.edi_file_page(
  p_scopes json, p_partner text, p_direction text, p_outcome text, p_shipment bigint, p_after bigint, p_limit int
) returns json
language plpgsql stable as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_directions text[] := case when p_direction is null then array['IN', 'OUT'] else array[p_direction] end;
  v_outcomes text[] := case when p_outcome is null then array['ACCEPTED', 'NOTED', 'PARTIAL', 'REJECTED', 'WAITING',
    'UNWRITTEN'] else array[p_outcome] end;
  v_ids json[];
  v_id json;
  v_page json[] := '{}';
begin
  if p_shipment is not null then
    v_ids := array(select json_build_array(t.business_id, t.file_id) from unnest(v_facilities) as f cross join lateral (
        select l.* from dockline.edi_file_shipment l
        where l.shipment_id = p_shipment and l.facility_id = f and l.place > p_after
        order by l.shipment_id, l.facility_id, l.place limit p_limit) as t
      order by t.place limit p_limit);
  elsif p_partner is null then
    with head as (
      select k.*, (select t.place from dockline.edi_file t
        where t.facility_id = k.facility and t.direction = k.direction
          and (t.outcome, t.place) > (k.outcome, p_after) and t.outcome <= k.outcome
        order by t.facility_id, t.direction, t.outcome, t.place limit 1) as first
      from (select f, null::bigint, d, o from unnest(v_facilities) as f, unnest(v_directions) as d,
        unnest(v_outcomes) as o)
        as k(facility, epoch, direction, outcome) order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array(
      select json_build_array(t.business_id, t.id) from head k cross join lateral (
        select t.* from dockline.edi_file t
        where t.facility_id = k.facility and t.direction = k.direction and (t.outcome, t.place) >= (k.outcome, k.first)
          and (t.outcome, t.place) <= (k.outcome, (select last from bound))
        order by t.facility_id, t.direction, t.outcome, t.place limit p_limit) as t
      where k.first is not null order by t.place limit p_limit) into v_ids;
  else
    with head as (
      select k.*, (select t.place from dockline.edi_file t
        where t.facility_id = k.facility and t.epoch = k.epoch and t.direction = k.direction
          and (t.outcome, t.place) > (k.outcome, p_after) and t.outcome <= k.outcome
        order by t.facility_id, t.epoch, t.direction, t.outcome, t.place limit 1) as first
      from (select p.facility_id, p.epoch, d, o from unnest(v_facilities) as f join dockline.facility g on g.id = f
          join dockline.edi_partner p on p.business_id = g.business_id and p.slug = p_partner
            and p.slug collate "C" = p_partner and p.facility_id = g.id, unnest(v_directions) as d,
              unnest(v_outcomes) as o)
        as k(facility, epoch, direction, outcome) order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array(
      select json_build_array(t.business_id, t.id) from head k cross join lateral (
        select t.* from dockline.edi_file t
        where t.facility_id = k.facility and t.epoch = k.epoch and t.direction = k.direction
          and (t.outcome, t.place) >= (k.outcome, k.first)
          and (t.outcome, t.place) <= (k.outcome, (select last from bound))
        order by t.facility_id, t.epoch, t.direction, t.outcome, t.place limit p_limit) as t
      where k.first is not null order by t.place limit p_limit) into v_ids;
  end if;
  foreach v_id in array v_ids loop
    v_page := v_page || (select b.body from dockline.edi_file_entry b
      where b.business_id = (v_id->>0)::bigint and b.id = (v_id->>1)::bigint);
  end loop;
  return array_to_json(v_page);
end $$;

-- The interchanges to be sent with ids higher than p_after: {"files": [[entry, characters of its text]]}. At most p_limit;
-- the list ends with the first one, other than the first of all, that exceeds p_text characters in all. {"expired": the
-- newest dropped id} if some of them were dropped; {"ahead": the newest id} if no file of the business has an id as high as
-- p_after. p_facility and p_partner may be null.
create or replace function dockline.edi_outbox(
  p_business bigint, p_facility text, p_partner text, p_after bigint, p_limit int, p_text bigint
) returns json
language plpgsql stable as $$
declare
  v_dropped bigint;
  v_newest bigint;
  v_facility bigint;
  v_epoch bigint;
  v_ids bigint[];
  v_id bigint;
  v_held bigint := 0;
  v_size bigint;
  v_files json[] := '{}';
begin
  if p_facility is not null then
    select coalesce(max(f.id), 0) into v_facility from dockline.facility f
    where f.business_id = p_business and f.slug = p_facility;
  end if;
  if p_partner is not null then
    -- The partner that has the slug now; earlier partners may have had it.
    v_epoch := coalesce((select p.epoch from dockline.edi_partner p where p.business_id = p_business
      and p.slug = p_partner
      and p.slug collate "C" = p_partner and (v_facility is null or p.facility_id = v_facility)
      order by p.business_id, p.slug collate "C" limit 1), 0);
  end if;
  v_dropped := case
    when v_epoch is not null then (select d.dropped_id from dockline.edi_dropped d where d.business_id = p_business
      and d.epoch = v_epoch)
    when v_facility is not null then (select d.dropped_id from dockline.edi_dropped d where d.facility_id = v_facility
      order by d.facility_id desc, d.dropped_id desc limit 1)
    else (select d.dropped_id from dockline.edi_dropped d where d.business_id = p_business
      order by d.business_id desc, d.dropped_id desc limit 1) end;
  if p_after > 0 and p_after < v_dropped then return json_build_object('expired', v_dropped); end if;
  if p_after > 0 then
    v_newest := greatest(0, (select d.dropped_id from dockline.edi_dropped d where d.business_id = p_business
      order by d.business_id desc, d.dropped_id desc limit 1),
      (select t.id from dockline.edi_file t where t.business_id = p_business order by t.business_id desc,
        t.id desc limit 1));
    if p_after > v_newest then return json_build_object('ahead', v_newest); end if;
  end if;
  if v_epoch is not null then
    v_ids := array(select t.id from dockline.edi_file t where t.business_id = p_business and t.epoch = v_epoch
      and t.id > p_after
      and t.direction = 'OUT' and t.text_size > 0 order by t.business_id, t.epoch, t.id limit p_limit);
  elsif v_facility is not null then
    v_ids := array(select t.id from dockline.edi_file t where t.facility_id = v_facility and t.id > p_after
      and t.direction = 'OUT' and t.text_size > 0
      order by t.facility_id, t.id limit p_limit);
  else
    v_ids := array(select t.id from dockline.edi_file t where t.business_id = p_business and t.id > p_after
      and t.direction = 'OUT' and t.text_size > 0
      order by t.business_id, t.id limit p_limit);
  end if;
  foreach v_id in array v_ids loop
    v_size := (select t.text_size from dockline.edi_file t where t.business_id = p_business and t.id = v_id);
    v_held := v_held + v_size;
    v_files := v_files || (select json_build_array(b.body, v_size) from dockline.edi_file_entry b
      where b.business_id = p_business and b.id = v_id);
    -- The last entry is not on the page; it shows that more entries follow.
    exit when v_held > p_text and cardinality(v_files) > 1;
  end loop;
  return json_build_object('files', array_to_json(v_files));
end $$;

-- The businesses with files or abandoned reservations older than a time.
create or replace function dockline.edi_expired(p_cutoff timestamptz) returns setof bigint
language plpgsql stable as $$
begin
  return query select l.business_id from dockline.edi_log l where (select e.at from dockline.edi_file e
    where e.business_id = l.business_id order by e.business_id, e.id limit 1) < p_cutoff
    or (select min(a.until) from dockline.edi_arrival a where a.business_id = l.business_id) < p_cutoff;
end $$;

-- Drops at most p_limit files older than a time, and all abandoned reservations and words of orders older than that.
-- Returns the number of files, and stores the newest dropped interchange of each partner (edi_dropped).
create or replace function dockline.edi_drop(p_business bigint, p_cutoff timestamptz, p_limit int) returns int
language plpgsql as $$
declare
  v_last bigint;
  v_count int;
begin
  perform dockline.edi_lock(p_business);
  select max(old.id) into v_last from (select e.id, e.at from dockline.edi_file e where e.business_id = p_business
    order by e.business_id, e.id limit p_limit) as old where old.at < p_cutoff;
  insert into dockline.edi_dropped (business_id, epoch, facility_id, dropped_id)
  select p_business, t.epoch, t.facility_id, max(t.id) from dockline.edi_file t
  where t.business_id = p_business and t.id <= v_last and t.direction = 'OUT' and t.text_size > 0 group by t.epoch,
    t.facility_id
  on conflict (business_id, epoch) do update set dropped_id = excluded.dropped_id;
  delete from dockline.edi_set where business_id = p_business and file_id <= v_last;
  delete from dockline.edi_file_shipment where business_id = p_business and file_id <= v_last;
  delete from dockline.edi_file where business_id = p_business and id <= v_last;
  get diagnostics v_count = row_count;
  delete from dockline.edi_arrival where business_id = p_business and until < p_cutoff;
  delete from dockline.edi_word where business_id = p_business and kept_at < p_cutoff;
  return v_count;
end $$;

-- The business of a file; null if there is no file. Requests name files only by their ids.
create or replace function dockline.edi_file_business(p_id bigint) returns bigint
language plpgsql stable as $$
begin
  return (select t.business_id from dockline.edi_file t where t.id = p_id);
end $$;
