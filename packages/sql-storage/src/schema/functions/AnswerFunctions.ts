import { byIndex, sql } from "../Plans.ts"

/** Fails where a key was taken by another transaction meanwhile. */
export const keyIsFree = sql`
create or replace function dockline.key_is_free(p_is_free boolean) returns boolean
language plpgsql immutable as $$
begin
  if not p_is_free then raise exception 'The key was taken meanwhile' using errcode = 'serialization_failure'; end if;
  return true;
end $$`

/** The kept answers of keys since a time: which of the keys, from 1, the fingerprint of its request, and the answer. */
export const answersKept = sql`
create or replace function dockline.answers_kept(p_clients text[], p_keys text[], p_since timestamptz)
returns table (place int, fingerprint text, answer text)
language plpgsql stable ${byIndex} as $$
begin
  return query select request.n::int, kept.fingerprint, kept.answer
  from unnest(p_clients, p_keys) with ordinality as request(client_id, key, n)
  join dockline.idempotent_answer kept on kept.client_id = request.client_id and kept.key = request.key
  where kept.kept_at > p_since;
end $$`

/** Keeps answers at p_now, in the place of those from before p_since. */
export const answersKeep = sql`
create or replace function dockline.answers_keep(
  p_clients text[], p_keys text[], p_fingerprints text[], p_answers text[], p_now timestamptz, p_since timestamptz
) returns void
language plpgsql as $$
begin
  insert into dockline.idempotent_answer as kept (client_id, key, fingerprint, answer, kept_at)
  select given.client_id, given.key, given.fingerprint, given.answer, p_now
  from unnest(p_clients, p_keys, p_fingerprints, p_answers) as given(client_id, key, fingerprint, answer)
  on conflict (client_id, key) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,
    kept_at = excluded.kept_at where dockline.key_is_free(kept.kept_at <= p_since);
end $$`
