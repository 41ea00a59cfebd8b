import { byIndex, sql } from "../../Plans.ts"

/** Whether a shipment is a partner's own: a set that was taken has named it, or a file that was left behind. */
export const ediIsOwn = sql`
create or replace function dockline.edi_is_own(p_business bigint, p_partner text, p_number_key text, p_now timestamptz) returns boolean
language plpgsql stable ${byIndex} as $$
begin
  perform from dockline.edi_claim c where c.business_id = p_business and c.partner = p_partner and c.number_key = p_number_key;
  if found then return true; end if;
  perform from dockline.edi_arrival a where a.business_id = p_business and a.partner = p_partner and a.until <= p_now
    and p_number_key = any (a.number_keys);
  return found;
end $$`

/** Makes shipments a partner's own, for departures after a message. */
export const ediOwn = sql`
create or replace function dockline.edi_own(p_business bigint, p_partner text, p_keys text[], p_after bigint, p_now timestamptz) returns void
language plpgsql ${byIndex} as $$
begin
  insert into dockline.edi_claim as c (business_id, partner, number_key, named_after, claimed_at)
  select p_business, p_partner, key, p_after, p_now from (select distinct unnest(p_keys) as key) as given order by key
  on conflict (business_id, partner, number_key) do update
    set named_after = greatest(c.named_after, excluded.named_after), claimed_at = excluded.claimed_at
    where c.named_after < excluded.named_after or c.claimed_at < excluded.claimed_at - interval '1 day';
end $$`

/** Notes that a partner was told of a shipment up to a message: it is the partner's own only by what named it later. */
export const ediTold = sql`
create or replace function dockline.edi_told(p_business bigint, p_partner text, p_number_key text, p_message bigint, p_now timestamptz) returns void
language plpgsql ${byIndex} as $$
begin
  delete from dockline.edi_claim where business_id = p_business and partner = p_partner and number_key = p_number_key
    and named_after < p_message;
  update dockline.edi_arrival set number_keys = array_remove(number_keys, p_number_key)
  where business_id = p_business and partner = p_partner and until <= p_now and named_after < p_message
    and p_number_key = any (number_keys);
end $$`

/** Reserves the control number of an interchange: null if the partner is gone, [tag] or ["Reserved", id] or ["Known", file]. */
export const ediReserveOne = sql`
create or replace function dockline.edi_reserve_one(
  p_business bigint, p_partner text, p_control text, p_fingerprint text, p_keys text[], p_now timestamptz, p_until timestamptz
) returns json
language plpgsql ${byIndex} as $$
declare
  v_epoch bigint;
  v_usage text;
  v_id bigint := nextval('dockline.edi_reservation_id');
  v_after bigint := coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0);
  v_held bigint;
  v_fingerprint text;
  v_until timestamptz;
  v_named_after bigint;
  v_keys text[];
  v_known json;
begin
  select p.epoch, p.usage into v_epoch, v_usage from dockline.edi_partner p where p.business_id = p_business and p.slug = p_partner;
  if not found then return null; end if;
  loop
    insert into dockline.edi_arrival (business_id, id, partner, epoch, usage, control, fingerprint, until, named_after, number_keys)
    values (p_business, v_id, p_partner, v_epoch, v_usage, p_control, p_fingerprint, p_until, v_after, p_keys)
    on conflict (business_id, epoch, usage, control) do nothing;
    exit when found;
    select a.id, a.fingerprint, a.until, a.named_after, a.number_keys into v_held, v_fingerprint, v_until, v_named_after, v_keys
    from dockline.edi_arrival a where a.business_id = p_business and a.epoch = v_epoch and a.usage = v_usage and a.control = p_control;
    -- Who held it may have ended meanwhile.
    continue when not found;
    if v_until > p_now then
      return json_build_array(case when v_fingerprint = p_fingerprint then 'Running' else 'Reused' end);
    end if;
    delete from dockline.edi_arrival where business_id = p_business and id = v_held and until <= p_now;
    if found and v_fingerprint <> p_fingerprint then
      perform dockline.edi_own(p_business, p_partner, v_keys, v_named_after, p_now);
    end if;
  end loop;
  -- What was stored before the reservation is seen only now.
  v_known := dockline.edi_known(p_business, p_partner, p_control);
  if v_known is null then return json_build_array('Reserved', v_id); end if;
  delete from dockline.edi_arrival where business_id = p_business and id = v_id;
  return json_build_array('Known', v_known);
end $$`

/**
 * Reserves the control numbers of interchanges, as edi_reserve_one does; p_arrivals are [{partner, control, fingerprint, keys, now,
 * until}]. It does not wait for the disk: the documents that follow do, and what was written before them is on the disk then.
 */
export const ediReserve = sql`
create or replace function dockline.edi_reserve(p_business bigint, p_arrivals json) returns json
language plpgsql ${byIndex} as $$
declare
  v_found json[] := array_fill(null::json, array[json_array_length(p_arrivals)]);
  v_each record;
begin
  perform set_config('synchronous_commit', 'off', true);
  -- In one order, so that two that reserve the same numbers do not wait for each other.
  for v_each in select * from rows from (json_to_recordset(p_arrivals) as (partner text, control text, fingerprint text, keys text[],
      now timestamptz, until timestamptz)) with ordinality as a(partner, control, fingerprint, keys, now, until, n)
    order by a.partner, a.control, a.n loop
    v_found[v_each.n] := dockline.edi_reserve_one(p_business, v_each.partner, v_each.control, v_each.fingerprint, v_each.keys, v_each.now,
      v_each.until);
  end loop;
  return array_to_json(v_found);
end $$`

/** Reserves for longer, and makes the shipments of sets that were taken the partner's own; false if the reservation is lost. */
export const ediRenew = sql`
create or replace function dockline.edi_renew(
  p_business bigint, p_partner text, p_id bigint, p_taken text[], p_now timestamptz, p_until timestamptz
) returns boolean
language plpgsql ${byIndex} as $$
declare
  v_after bigint;
begin
  if p_taken <> '{}' then perform dockline.edi_lock(p_business); end if;
  update dockline.edi_arrival set until = p_until where business_id = p_business and id = p_id returning named_after into v_after;
  if not found then return false; end if;
  perform dockline.edi_own(p_business, p_partner, p_taken, v_after, p_now);
  return true;
end $$`

/** Ends a reservation, if it is held, and makes the shipments of sets that were taken the partner's own. */
export const ediRelease = sql`
create or replace function dockline.edi_release(p_business bigint, p_partner text, p_id bigint, p_taken text[], p_now timestamptz) returns void
language plpgsql ${byIndex} as $$
declare
  v_after bigint;
begin
  if p_taken <> '{}' then perform dockline.edi_lock(p_business); end if;
  delete from dockline.edi_arrival where business_id = p_business and id = p_id returning named_after into v_after;
  if found then perform dockline.edi_own(p_business, p_partner, p_taken, v_after, p_now); end if;
end $$`

/** Drops claims, up to p_limit of them, and abandoned reservations of before a time. */
export const ediDropClaims = sql`
create or replace function dockline.edi_drop_claims(p_business bigint, p_cutoff timestamptz, p_limit int) returns void
language plpgsql ${byIndex} as $$
begin
  delete from dockline.edi_claim c using (select old.partner, old.number_key from dockline.edi_claim old
    where old.business_id = p_business and old.claimed_at < p_cutoff order by old.business_id, old.claimed_at limit p_limit) as gone
  where c.business_id = p_business and c.partner = gone.partner and c.number_key = gone.number_key;
  delete from dockline.edi_arrival where business_id = p_business and until < p_cutoff;
end $$`

/**
 * Records an interchange that was refused as a whole, unless the same is on record or the partner is gone. Its epoch is 0, which no
 * partner has, and its fingerprint stands for its usage: no partner's control number is taken by it.
 */
export const ediRefuse = sql`
create or replace function dockline.edi_refuse(
  p_business bigint, p_partner text, p_control text, p_fingerprint text, p_fault text, p_text text, p_now timestamptz
) returns void
language plpgsql ${byIndex} as $$
declare
  v_facility bigint;
begin
  perform from dockline.edi_file e where e.business_id = p_business and e.epoch = 0 and e.usage = p_fingerprint
    and e.control = p_control and e.direction = 'IN';
  if found then return; end if;
  perform dockline.edi_lock(p_business);
  select p.facility_id into v_facility from dockline.edi_partner p where p.business_id = p_business and p.slug = p_partner;
  if not found then return; end if;
  insert into dockline.edi_file (business_id, id, facility_id, partner, epoch, usage, direction, control, outcome, at, kinds, set_count,
    rejected_count, sets, faults, text_size, text, answer)
  values (p_business, nextval('dockline.edi_file_id'), v_facility, p_partner, 0, p_fingerprint, 'IN', p_control, 'REJECTED', p_now, '{}', 0,
    0, '[]', json_build_array(p_fault), length(p_text), p_text, '')
  on conflict do nothing;
end $$`
