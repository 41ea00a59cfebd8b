import { ediDirections, ediOutcomes } from "@dockline/core/EdiFile"
import { interchangeField } from "@dockline/core/internal/webhooks/DeliveryBody"
import type { WebhookType } from "@dockline/core/Vocabulary"
import { byIndex, inOrder, sql } from "../../Plans.ts"
import { merged } from "../../Streams.ts"

const interchange: WebhookType = "EDI_INTERCHANGE"

/** What lists show of files, as core's `EdiFileEntry`. */
export const ediFileEntry = sql`
create or replace view dockline.edi_file_entry as
select e.business_id, e.id, json_build_object(
  'id', e.id, 'direction', e.direction, 'partner', e.partner, 'control', e.control, 'outcome', e.outcome,
  'at', dockline.rfc3339(e.at), 'kinds', e.kinds, 'setCount', e.set_count, 'rejectedCount', e.rejected_count,
  'location', json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = e.business_id),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f where f.id = e.facility_id))
) as body
from dockline.edi_file e`

/** A file with its sets and texts: [entry, sets, faults, text, answer]; null if there is none. */
export const ediFileShown = sql`
create or replace function dockline.edi_file_shown(p_business bigint, p_id bigint) returns json
language plpgsql stable ${byIndex} as $$
begin
  return (select json_build_array(
      (select b.body from dockline.edi_file_entry b where b.business_id = p_business and b.id = p_id),
      e.sets, e.faults, e.text, e.answer)
    from dockline.edi_file e where e.business_id = p_business and e.id = p_id);
end $$`

/** The business of a file, null if there is no such file: clients name a file by its id only. */
export const ediFileBusiness = sql`
create or replace function dockline.edi_file_business(p_file bigint) returns bigint
language plpgsql stable ${byIndex} as $$
begin
  return (select e.business_id from dockline.edi_file e where e.id = p_file);
end $$`

/** The file that came from a partner with a control number; null if none did. */
export const ediKnown = sql`
create or replace function dockline.edi_known(p_business bigint, p_partner text, p_control text) returns json
language plpgsql stable ${byIndex} as $$
begin
  return dockline.edi_file_shown(p_business, (select e.id from dockline.edi_partner p join dockline.edi_file e
    on e.business_id = p_business and e.epoch = p.epoch and e.usage = p.usage and e.control = p_control and e.direction = 'IN'
    where p.business_id = p_business and p.slug = p_partner));
end $$`

/** Begins a step of the exchange with a partner, which locks the exchange of the business; null if the partner is gone. */
export const ediBegin = sql`
create or replace function dockline.edi_begin(
  p_business bigint, p_partner text, p_control text, p_groups int[], p_number_key text, p_shipments bigint[],
  p_reservation bigint, p_now timestamptz
) returns json
language plpgsql ${byIndex} as $$
declare
  v_epoch bigint;
  v_usage text;
  v_sent bigint[];
begin
  perform dockline.edi_lock(p_business);
  select p.epoch, p.usage into v_epoch, v_usage from dockline.edi_partner p where p.business_id = p_business and p.slug = p_partner;
  if not found then return null; end if;
  v_sent := array(select distinct found.id from unnest(p_groups) as given cross join lateral (
    select e.id, e.first_group from dockline.edi_file e where e.business_id = p_business
      and e.epoch = v_epoch and e.usage = v_usage and e.last_group >= given and e.last_group is not null
    order by e.business_id, e.epoch, e.usage, e.last_group, e.id desc limit 1) as found where found.first_group <= given);
  return json_build_object(
    'partner', dockline.edi_partner_shown(p_business, p_partner),
    'known', dockline.edi_known(p_business, p_partner, p_control),
    'sent', (select coalesce(json_agg(json_build_object('id', e.id, 'outcome', e.outcome, 'sets', e.sets)), '[]')
      from unnest(v_sent) as s(id) join dockline.edi_file e on e.business_id = p_business and e.id = s.id),
    'isReserved', (select true from dockline.edi_arrival a where a.business_id = p_business and a.id = p_reservation) is not null,
    'isOwn', dockline.edi_is_own(p_business, p_partner, p_number_key, p_now),
    'ownIds', (select coalesce(json_agg(s.id), '[]') from unnest(p_shipments) as given
      join dockline.shipment s on s.business_id = p_business and s.id = given
      where dockline.edi_is_own(p_business, p_partner, s.number_key, p_now)));
end $$`

/**
 * Appends an interchange to the log, if an endpoint of the business asks for interchanges, enabled or not: it is due with the commit of
 * its file. From then on the log is locked.
 */
export const ediDeliver = sql`
create or replace function dockline.edi_deliver(
  p_business bigint, p_facility bigint, p_shipment bigint, p_text text, p_now timestamptz
) returns void
language plpgsql ${byIndex} as $$
begin
  if (select e.id from dockline.webhook_endpoint e
      where e.business_id = p_business and '${interchange}' = any (e.message_types) limit 1) is not null then
    perform dockline.message_append(p_business, json_build_array(json_build_array(p_facility, '${interchange}', p_shipment,
      json_build_object('${interchangeField}', p_text)::text, null)), p_now);
  end if;
end $$`

/**
 * Ends a step: writes its plan, and returns the file that it adds, or null. p_text and p_answer are the texts of the file, p_owns the
 * shipments that its sets have written.
 */
export const ediWrite = sql`
create or replace function dockline.edi_write(
  p_business bigint, p_partner text, p_plan json, p_text text, p_answer text, p_number_key text, p_reservation bigint,
  p_owns text[], p_now timestamptz
) returns json
language plpgsql ${byIndex} as $$
declare
  v_file json := p_plan->'file';
  v_mark json;
  v_facility bigint;
  v_epoch bigint;
  v_usage text;
  v_id bigint;
begin
  update dockline.edi_partner set cursor_id = (p_plan->>'cursorId')::bigint,
    next_interchange = (p_plan->>'nextInterchange')::int, next_group = (p_plan->>'nextGroup')::int
  where business_id = p_business and slug = p_partner returning facility_id, epoch, usage
    into v_facility, v_epoch, v_usage;
  for v_mark in select json_array_elements(p_plan->'marked') loop
    update dockline.edi_file set outcome = v_mark->>'outcome', sets = v_mark->'sets',
      rejected_count = (v_mark->>'rejectedCount')::int
    where business_id = p_business and id = (v_mark->>'id')::bigint;
  end loop;
  if p_number_key is not null then
    perform dockline.edi_told(p_business, p_partner, p_number_key, (p_plan->>'cursorId')::bigint, p_now);
  end if;
  if p_reservation is not null then
    perform dockline.edi_release(p_business, p_partner, p_reservation, p_owns, p_now);
  end if;
  if json_typeof(v_file) = 'null' then return null; end if;
  v_id := nextval('dockline.edi_file_id');
  insert into dockline.edi_file (business_id, id, facility_id, partner, epoch, usage, direction, control, outcome, at, kinds, set_count,
    rejected_count, first_group, last_group, sets, faults, text_size, text, answer)
  values (p_business, v_id, v_facility, p_partner, v_epoch, v_usage, v_file->>'direction', v_file->>'control', v_file->>'outcome', p_now,
    array(select json_array_elements_text(v_file->'kinds')), (v_file->>'setCount')::int, (v_file->>'rejectedCount')::int,
    (v_file->>'firstGroup')::int, (v_file->>'lastGroup')::int, v_file->'sets', v_file->'faults', length(p_text), p_text, p_answer);
  if v_file->>'direction' = 'OUT' and p_text <> '' then
    perform dockline.edi_deliver(p_business, v_facility,
      coalesce(nullif(v_file->'sets'->0->>'shipmentId', '')::bigint, 0), p_text, p_now);
  end if;
  return (select b.body from dockline.edi_file_entry b where b.business_id = p_business and b.id = v_id);
end $$`

const directions = `case when p_direction is null then array['${
  ediDirections.join("', '")
}'] else array[p_direction] end`

const outcomes = `case when p_outcome is null then array['${
  ediOutcomes.join("', '")
}'] else array[p_outcome] end`

const page = (key: ReadonlyArray<readonly [string, string]>) =>
  merged({
    table: "edi_file",
    key: [...key, ["t.direction", "k.direction"], ["t.outcome", "k.outcome"]],
    values:
      `(select f, d, o from unnest(v_facilities) as f, unnest(v_directions) as d, unnest(v_outcomes) as o)
            as k(facility, direction, outcome)`,
    id: "-t.id",
    largest: "0",
    take: "json_build_array(t.business_id, t.id)"
  })

/**
 * A page of files, newest first; null stands for all. p_scopes: see facilities_within. p_after is minus the id of the last file of the
 * page before.
 */
export const ediFilePage = sql`
create or replace function dockline.edi_file_page(
  p_scopes json, p_partner text, p_direction text, p_outcome text, p_after bigint, p_limit int
) returns json
language plpgsql stable ${inOrder} as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_directions text[] := ${directions};
  v_outcomes text[] := ${outcomes};
  v_ids json[];
  v_id json;
  v_page json[] := '{}';
begin
  if p_partner is null then
    ${page([["t.facility_id", "k.facility"]])};
  else
    ${page([["t.facility_id", "k.facility"], ["t.partner", "p_partner"]])};
  end if;
  foreach v_id in array v_ids loop
    v_page := v_page || (select b.body from dockline.edi_file_entry b
      where b.business_id = (v_id->>0)::bigint and b.id = (v_id->>1)::bigint);
  end loop;
  return array_to_json(v_page);
end $$`

const outgoing = "t.direction = 'OUT' and t.text_size > 0"

/**
 * Interchanges that are to be sent after an id: {"expired": dropped id}, or {"files": [[entry, text]]}, at most p_limit and p_text
 * characters, but one at least. p_facility and p_partner may be null.
 */
export const ediOutbox = sql`
create or replace function dockline.edi_outbox(
  p_business bigint, p_facility text, p_partner text, p_after bigint, p_limit int, p_text bigint
) returns json
language plpgsql stable ${inOrder} as $$
declare
  v_dropped bigint;
  v_facility bigint;
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
  v_dropped := (select max(d.dropped_id) from dockline.edi_dropped d where d.business_id = p_business
    and (p_partner is null or d.partner = p_partner) and (v_facility is null or d.facility_id = v_facility));
  if p_after > 0 and p_after < v_dropped then return json_build_object('expired', v_dropped); end if;
  if p_partner is not null then
    v_ids := array(select t.id from dockline.edi_file t where t.partner = p_partner and t.business_id = p_business
      and t.id > p_after and ${outgoing} and (v_facility is null or t.facility_id = v_facility)
      order by t.partner, t.business_id, t.id limit p_limit);
  elsif v_facility is not null then
    v_ids := array(select t.id from dockline.edi_file t where t.facility_id = v_facility and t.id > p_after and ${outgoing}
      order by t.facility_id, t.id limit p_limit);
  else
    v_ids := array(select t.id from dockline.edi_file t where t.business_id = p_business and t.id > p_after and ${outgoing}
      order by t.business_id, t.id limit p_limit);
  end if;
  foreach v_id in array v_ids loop
    v_size := (select t.text_size from dockline.edi_file t where t.business_id = p_business and t.id = v_id);
    v_held := v_held + v_size;
    v_files := v_files || (select json_build_array(b.body, t.text) from dockline.edi_file_entry b, dockline.edi_file t
      where b.business_id = p_business and b.id = v_id and t.business_id = p_business and t.id = v_id);
    -- The last of them is not on the page, and tells that more follows.
    exit when v_held > p_text and cardinality(v_files) > 1;
  end loop;
  return json_build_object('files', array_to_json(v_files));
end $$`

/** The businesses with files, claims or abandoned reservations of before a time. */
export const ediExpired = sql`
create or replace function dockline.edi_expired(p_cutoff timestamptz) returns setof bigint
language plpgsql stable ${byIndex} as $$
begin
  return query select l.business_id from dockline.edi_log l where (select e.at from dockline.edi_file e
    where e.business_id = l.business_id order by e.business_id, e.id limit 1) < p_cutoff
    or (select c.claimed_at from dockline.edi_claim c where c.business_id = l.business_id
      order by c.business_id, c.claimed_at limit 1) < p_cutoff
    or (select min(a.until) from dockline.edi_arrival a where a.business_id = l.business_id) < p_cutoff;
end $$`

/**
 * Drops the oldest files of before a time, up to p_limit of them, and claims and abandoned reservations: the number of files. It notes
 * the newest of the files that were to be sent.
 */
export const ediDrop = sql`
create or replace function dockline.edi_drop(p_business bigint, p_cutoff timestamptz, p_limit int) returns int
language plpgsql ${byIndex} as $$
declare
  v_last bigint;
  v_count int;
begin
  perform dockline.edi_lock(p_business);
  select max(old.id) into v_last from (select e.id, e.at from dockline.edi_file e where e.business_id = p_business
    order by e.business_id, e.id limit p_limit) as old where old.at < p_cutoff;
  insert into dockline.edi_dropped (business_id, partner, facility_id, dropped_id)
  select p_business, t.partner, t.facility_id, max(t.id) from dockline.edi_file t
  where t.business_id = p_business and t.id <= v_last and ${outgoing} group by t.partner, t.facility_id
  on conflict (business_id, partner, facility_id) do update set dropped_id = excluded.dropped_id;
  delete from dockline.edi_file where business_id = p_business and id <= v_last;
  get diagnostics v_count = row_count;
  perform dockline.edi_drop_claims(p_business, p_cutoff, 50 * p_limit);
  return v_count;
end $$`
