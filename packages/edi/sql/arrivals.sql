-- Received interchanges: the control number of each is reserved while the interchange is processed (D18.3).

-- Reserves the control number of an interchange: ["Reserved", id], or another tag of `EdiReservation` as [tag]; null if the
-- partner is gone.
create or replace function dockline.edi_reserve_one(
  p_business bigint, p_epoch bigint, p_control text, p_fingerprint text, p_now timestamptz, p_lease int
) returns json
language plpgsql as $$
declare
  v_usage text;
  v_id bigint := nextval('dockline.edi_key');
  v_held bigint;
  v_fingerprint text;
  v_until timestamptz;
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  select p.usage into v_usage from dockline.edi_partner p where p.business_id = p_business and p.epoch = p_epoch;
  if not found then return null; end if;
  loop
    insert into dockline.edi_arrival (business_id, id, epoch, usage, control, fingerprint, until)
    values (p_business, v_id, p_epoch, v_usage, p_control, p_fingerprint, v_now + p_lease * interval '1 millisecond')
    on conflict (business_id, epoch, usage, control) do nothing;
    exit when found;
    select a.id, a.fingerprint, a.until into v_held, v_fingerprint, v_until
    from dockline.edi_arrival a where a.business_id = p_business and a.epoch = p_epoch and a.usage = v_usage
      and a.control = p_control;
    -- The other reservation may have ended meanwhile.
    continue when not found;
    if v_until > v_now then
      return json_build_array(case when v_fingerprint = p_fingerprint then 'Running' else 'Reused' end);
    end if;
    delete from dockline.edi_arrival where business_id = p_business and id = v_held and until <= v_now;
  end loop;
  -- Only a new statement sees a file that was stored while this one waited for the reservation.
  perform from dockline.edi_file e where e.business_id = p_business and e.epoch = p_epoch and e.usage = v_usage
    and e.control = p_control and e.direction = 'IN';
  if not found then return json_build_array('Reserved', v_id); end if;
  delete from dockline.edi_arrival where business_id = p_business and id = v_id;
  return json_build_array('Known');
end $$;

-- Reserves the control numbers of interchanges for p_lease milliseconds, and returns the result of edi_reserve_one for each.
-- p_arrivals are [{key, control, fingerprint, now}]; now is null for the clock of the database. The commit does not wait for
-- the disk, because the documents of the interchanges are written later and wait for it, and then the reservations are on
-- the disk too.
create or replace function dockline.edi_reserve(p_business bigint, p_arrivals json, p_lease int) returns json
language plpgsql as $$
declare
  v_found json[] := array_fill(null::json, array[json_array_length(p_arrivals)]);
  v_each record;
begin
  perform set_config('synchronous_commit', 'off', true);
  -- In a fixed order, so that two transactions that reserve the same numbers cannot deadlock.
  for v_each in select * from rows from (json_to_recordset(p_arrivals) as (key bigint, control text, fingerprint text,
      now timestamptz)) with ordinality as a(key, control, fingerprint, now, n)
    order by a.key, a.control, a.n loop
    v_found[v_each.n] := dockline.edi_reserve_one(p_business, v_each.key, v_each.control, v_each.fingerprint, v_each.now,
      p_lease);
  end loop;
  return array_to_json(v_found);
end $$;

-- Extends a reservation; false if it no longer exists.
create or replace function dockline.edi_renew(p_business bigint, p_id bigint, p_now timestamptz, p_lease int)
returns boolean
language plpgsql as $$
begin
  update dockline.edi_arrival set until = coalesce(p_now,
    clock_timestamp()) + p_lease * interval '1 millisecond' where business_id = p_business and id = p_id;
  return found;
end $$;

-- Ends a reservation, if it exists.
create or replace function dockline.edi_release(p_business bigint, p_id bigint) returns void
language plpgsql as $$
begin
  delete from dockline.edi_arrival where business_id = p_business and id = p_id;
end $$;

-- Records an interchange that was refused as a whole, unless it is already on record or the partner is gone. Returns whether
-- it was recorded. Its fingerprint is stored as its usage, so that it uses up no control number.
create or replace function dockline.edi_refuse(
  p_business bigint, p_epoch bigint, p_control text, p_fingerprint text, p_fault text, p_text text, p_now timestamptz
) returns boolean
language plpgsql as $$
declare
  v_partner record;
  v_id bigint;
  v_at timestamptz;
begin
  perform from dockline.edi_file e where e.business_id = p_business and e.epoch = p_epoch and e.usage = p_fingerprint
    and e.control = p_control and e.direction = 'IN';
  if found then return false; end if;
  perform dockline.edi_lock(p_business);
  select p.facility_id, p.slug into v_partner from dockline.edi_partner p where p.business_id = p_business
    and p.epoch = p_epoch;
  if not found then return false; end if;
  v_id := nextval('dockline.edi_file_id');
  v_at := coalesce(p_now, date_trunc('milliseconds', clock_timestamp()));
  insert into dockline.edi_file (business_id, id, facility_id, partner, epoch, usage, direction, control, outcome, at,
    kinds, set_count,
    rejected_count, groups, faults, text_size, text, answer, place, rejected_at)
  values (p_business, v_id, v_partner.facility_id, v_partner.slug, p_epoch, p_fingerprint, 'IN', p_control, 'REJECTED',
    v_at, '{}', 0,
    0, '[]', json_build_array(p_fault), length(p_text), p_text, '', dockline.list_place(v_at, v_id), v_at)
  on conflict do nothing;
  return found;
end $$;

-- The stored words of orders of a partner: [{key: the order, words}].
create or replace function dockline.edi_words(p_business bigint, p_epoch bigint, p_keys text[]) returns json
language plpgsql stable as $$
begin
  return (select coalesce(json_agg(json_build_object('key', w.order_key, 'words', w.words)),
    '[]') from dockline.edi_word w
    where w.business_id = p_business and w.epoch = p_epoch and w.order_key = any (p_keys));
end $$;
