-- EDI partners (D18.2).

-- Partners as `EdiPartner` (EdiPartner.ts).
create or replace view dockline.edi_partner_body as
select p.business_id, p.slug, json_build_object(
  'slug', p.slug, 'key', p.epoch::text, 'business', (select b.slug from dockline.business b where b.id = p.business_id),
  'facility', (select f.slug from dockline.facility f where f.id = p.facility_id), 'name', p.name,
  'theirs', json_build_object('qualifier', p.their_qualifier, 'id', p.their_id, 'group', p.their_group),
  'ours', json_build_object('qualifier', p.our_qualifier, 'id', p.our_id, 'group', p.our_group),
  'release', p.release, 'usage', p.usage, 'takes', p.takes, 'tells', p.tells, 'tellsOf', p.tells_of,
  'units', p.units, 'newPurposes', p.new_purposes,
  'nextInterchange', p.next_interchange, 'nextGroup', p.next_group, 'cursorId', p.cursor_id, 'due', p.due,
  'createdAt', dockline.rfc3339(p.created_at)
) as body
from dockline.edi_partner p;

create or replace function dockline.edi_partner_shown(p_business bigint, p_slug text) returns json
language plpgsql stable as $$
begin
  -- Compares with both collations, so that either index of the business finds the row at once.
  return (select b.body from dockline.edi_partner_body b where b.business_id = p_business and b.slug = p_slug
    and b.slug collate "C" = p_slug);
end $$;

-- Locks the exchange of a business until the end of the transaction.
create or replace function dockline.edi_lock(p_business bigint) returns void
language plpgsql as $$
begin
  perform from dockline.edi_log where business_id = p_business for no key update;
  if not found then
    insert into dockline.edi_log (business_id) values (p_business) on conflict do nothing;
    perform from dockline.edi_log where business_id = p_business for no key update;
  end if;
end $$;

-- Creates a partner: {"partner"}; {"unknown": the kind of place that does not exist}; {"taken"} if another partner has its
-- slug or its ids in envelopes; {"full"} if the business has p_limit partners. The partner is told about messages that are
-- appended after its creation.
create or replace function dockline.edi_partner_create(p_business bigint, p_draft json, p_limit int, p_now timestamptz)
returns json
language plpgsql as $$
declare
  v_slug text := p_draft->>'slug';
  v_facility bigint;
begin
  perform from dockline.business where id = p_business;
  if not found then return json_build_object('unknown', 'business'); end if;
  select f.id into v_facility from dockline.facility f where f.business_id = p_business and f.slug = p_draft->>'facility';
  if not found then return json_build_object('unknown', 'facility'); end if;
  perform dockline.edi_lock(p_business);
  perform from dockline.edi_partner where business_id = p_business and slug = v_slug;
  if found then return json_build_object('taken', true); end if;
  perform from dockline.edi_partner p where p.business_id = p_business
    and p.their_id = p_draft->'theirs'->>'id' and p.our_id = p_draft->'ours'->>'id'
    and p.their_qualifier = p_draft->'theirs'->>'qualifier' and p.our_qualifier = p_draft->'ours'->>'qualifier';
  if found then return json_build_object('taken', true); end if;
  if (select count(*) from dockline.edi_partner where business_id = p_business) >= p_limit then
    return json_build_object('full', true);
  end if;
  insert into dockline.edi_partner (business_id, slug, facility_id, name, their_qualifier, their_id, their_group,
    our_qualifier,
    our_id, our_group, release, usage, takes, tells, tells_of, units, new_purposes, next_interchange, next_group,
      cursor_id, created_at, epoch)
  values (p_business, v_slug, v_facility, p_draft->>'name', p_draft->'theirs'->>'qualifier', p_draft->'theirs'->>'id',
    p_draft->'theirs'->>'group', p_draft->'ours'->>'qualifier', p_draft->'ours'->>'id', p_draft->'ours'->>'group',
    p_draft->>'release', p_draft->>'usage', array(select json_array_elements_text(p_draft->'takes')),
    array(select json_array_elements_text(p_draft->'tells')), p_draft->>'tellsOf', coalesce(p_draft->'units', '[]'),
    array(select json_array_elements_text(p_draft->'newPurposes')), (p_draft->>'nextInterchange')::int,
    (p_draft->>'nextGroup')::int,
    coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0), p_now,
    nextval('dockline.edi_key'));
  return json_build_object('partner', dockline.edi_partner_shown(p_business, v_slug));
end $$;

create or replace function dockline.edi_partner_page(p_business bigint, p_after text, p_limit int) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(dockline.edi_partner_shown(p_business, named.slug)), '[]') from (
    select p.slug from dockline.edi_partner p where p.business_id = p_business and p.slug collate "C" > p_after
    order by p.slug collate "C" limit p_limit) as named);
end $$;

-- Changes a partner: {"partner"}; {"other"} if its settings differ from p_before, or it was removed; {"missing"} if it was
-- removed and p_change is empty; {"taken"} if another partner has its ids in envelopes. A partner that got no sets before the
-- change is told only about messages that are appended after it.
create or replace function dockline.edi_partner_update(p_business bigint, p_slug text, p_before json, p_change json)
returns json
language plpgsql as $$
declare
  v_present json;
  v_last bigint := coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0);
begin
  perform dockline.edi_lock(p_business);
  v_present := dockline.edi_partner_shown(p_business, p_slug);
  if exists (select from json_each(p_change) as c
    where (p_before->c.key)::jsonb is distinct from (v_present->c.key)::jsonb)
    then return json_build_object('other', true); end if;
  perform from dockline.edi_partner p where p.business_id = p_business and p.slug <> p_slug
    and p.their_id = p_change->'theirs'->>'id' and p.our_id = p_change->'ours'->>'id'
    and p.their_qualifier = p_change->'theirs'->>'qualifier' and p.our_qualifier = p_change->'ours'->>'qualifier';
  if found then return json_build_object('taken', true); end if;
  update dockline.edi_partner set cursor_id = case when tells = '{}'
    and json_array_length(p_change->'tells') > 0 then v_last
      else cursor_id end,
    name = p_change->>'name', their_qualifier = p_change->'theirs'->>'qualifier',
    their_id = p_change->'theirs'->>'id', their_group = p_change->'theirs'->>'group',
    our_qualifier = p_change->'ours'->>'qualifier', our_id = p_change->'ours'->>'id',
      our_group = p_change->'ours'->>'group',
    release = p_change->>'release', usage = p_change->>'usage',
    takes = array(select json_array_elements_text(p_change->'takes')),
    tells = array(select json_array_elements_text(p_change->'tells')), tells_of = p_change->>'tellsOf',
    units = p_change->'units', new_purposes = array(select json_array_elements_text(p_change->'newPurposes'))
  where business_id = p_business and slug = p_slug;
  if not found then return json_build_object('missing', true); end if;
  return json_build_object('partner', dockline.edi_partner_shown(p_business, p_slug));
end $$;

create or replace function dockline.edi_partner_remove(p_business bigint, p_slug text) returns boolean
language plpgsql as $$
declare
  v_epoch bigint;
begin
  perform dockline.edi_lock(p_business);
  delete from dockline.edi_partner where business_id = p_business and slug = p_slug returning epoch into v_epoch;
  if not found then return false; end if;
  delete from dockline.edi_arrival where business_id = p_business and epoch = v_epoch;
  delete from dockline.edi_word where business_id = p_business and epoch = v_epoch;
  return true;
end $$;

-- The partners whose settings have the sender and the receiver of an interchange, at most p_limit, each with the time zone of
-- its facility, and with isKnown: whether it has sent a file with the control number before. Only partners of p_businesses;
-- of all businesses if that is null.
create or replace function dockline.edi_between(
  p_businesses text[], p_sender_qualifier text, p_sender text, p_receiver_qualifier text, p_receiver text,
  p_control text, p_limit int
) returns json
language plpgsql stable as $$
begin
  if p_businesses is null then
    return (select coalesce(json_agg(json_build_object(
        'partner', (select b.body from dockline.edi_partner_body b where b.business_id = found.business_id
          and b.slug = found.slug),
        'timeZone', (select f.time_zone from dockline.facility f where f.id = found.facility_id),
        'isKnown', (select e.id from dockline.edi_file e where e.business_id = found.business_id and e.epoch = found.epoch
          and e.usage = found.usage and e.control = p_control and e.direction = 'IN') is not null)), '[]')
    from (select p.business_id, p.slug, p.facility_id, p.epoch, p.usage from dockline.edi_partner p
      where p.their_id = p_sender and p.our_id = p_receiver
        and p.their_qualifier = p_sender_qualifier and p.our_qualifier = p_receiver_qualifier limit p_limit) as found);
  end if;
  return (select coalesce(json_agg(json_build_object(
        'partner', (select b.body from dockline.edi_partner_body b where b.business_id = found.business_id
          and b.slug = found.slug),
        'timeZone', (select f.time_zone from dockline.facility f where f.id = found.facility_id),
        'isKnown', (select e.id from dockline.edi_file e where e.business_id = found.business_id and e.epoch = found.epoch
          and e.usage = found.usage and e.control = p_control and e.direction = 'IN') is not null)), '[]')
    from (
    select p.* from (select distinct unnest(p_businesses) as slug) as named
    join dockline.business b on b.slug = named.slug
    cross join lateral (select p.business_id, p.slug, p.facility_id, p.epoch, p.usage from dockline.edi_partner p
      where p.business_id = b.id and p.their_id = p_sender and p.our_id = p_receiver
        and p.their_qualifier = p_sender_qualifier and p.our_qualifier = p_receiver_qualifier) as p
    where dockline.is_here(b.id) limit p_limit) as found);
end $$;

-- Partners whose facility has messages about departures or late pallets after their cursors, and partners with files to be
-- sent again, at most p_limit. They are in the order of businesses and epochs, after the business p_after and the epoch
-- p_key. Partners that get no sets are left out.
create or replace function dockline.edi_behind(p_after bigint, p_key bigint, p_limit int) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_object('business', b.slug, 'partner', p.slug, 'key', p.epoch::text,
    'facility', f.slug,
      'cursorId', p.cursor_id, 'due', p.due, 'businessId', p.business_id::text) order by p.business_id, p.epoch), '[]')
    from (select t.* from dockline.edi_partner t left join dockline.message_log l on l.business_id = t.business_id
      where (t.business_id, t.epoch) > (p_after, p_key) and t.tells <> '{}'
        and (t.due <> '{}' or l.last_id > t.cursor_id
          and ((select m.id from dockline.message m where m.facility_id = t.facility_id
          and m.type = 'SHIPMENT_COMPLETE' and m.id > t.cursor_id
          order by m.facility_id, m.type, m.id limit 1) is not null
        or (select m.id from dockline.message m where m.facility_id = t.facility_id
          and m.type = 'SHIPMENT_DISCREPANCIES' and m.id > t.cursor_id
          order by m.facility_id, m.type, m.id limit 1) is not null))
      order by t.business_id, t.epoch limit p_limit) as p
    join dockline.business b on b.id = p.business_id join dockline.facility f on f.id = p.facility_id);
end $$;
