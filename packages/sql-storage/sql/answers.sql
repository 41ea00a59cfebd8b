-- Kept answers of requests with an idempotency key (D12).

-- Fails if another transaction has used the key meanwhile.
create or replace function dockline.key_is_free(p_is_free boolean) returns boolean
language plpgsql immutable as $$
begin
  if not p_is_free then raise exception 'The key was taken meanwhile' using errcode = 'serialization_failure'; end if;
  return true;
end $$;

-- The time up to which kept answers have expired. p_now is the time of the program's own clock, if it has one. Without it, the same rule
-- holds as for retention: the clock of the database or of the instance (p_here) counts, whichever is behind, and after a jump of the
-- database's clock, the time before the jump (retention_time). It is computed only for keys that were used before.
create or replace function dockline.answers_since(p_here timestamptz, p_now timestamptz) returns timestamptz
language plpgsql stable as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_trusted timestamptz;
begin
  if p_now is null then
    select trusted_at into v_trusted from dockline.retention_clock where id = 1;
    if v_now > v_trusted + interval '1 day' then v_now := v_trusted; end if;
  end if;
  return least(p_here, v_now) - 86400000 * interval '1 millisecond';
end $$;

-- The kept answers of keys (answers_since): the position of the key, from 1, the fingerprint of its request, and the answer.
create or replace function dockline.answers_kept(p_clients text[], p_keys text[], p_here timestamptz, p_now timestamptz)
returns table (place int, fingerprint text, answer text)
language plpgsql stable as $$
begin
  return query select request.n::int, kept.fingerprint, kept.answer
  from unnest(p_clients, p_keys) with ordinality as request(client_id, key, n)
  join dockline.idempotent_answer kept on kept.client_id = request.client_id and kept.key = request.key
  where kept.kept_at > dockline.answers_since(p_here, p_now);
end $$;

-- Keeps answers, by the clock of the database or at p_now, and replaces expired ones (answers_since).
create or replace function dockline.answers_keep(
  p_clients text[], p_keys text[], p_fingerprints text[], p_answers text[], p_here timestamptz, p_now timestamptz
) returns void
language plpgsql as $$
begin
  insert into dockline.idempotent_answer as kept (client_id, key, fingerprint, answer, kept_at)
  select given.client_id, given.key, given.fingerprint, given.answer, coalesce(p_now, clock_timestamp())
  from unnest(p_clients, p_keys, p_fingerprints, p_answers) as given(client_id, key, fingerprint, answer)
  on conflict (client_id, key) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,
    kept_at = excluded.kept_at where dockline.key_is_free(kept.kept_at <= dockline.answers_since(p_here, p_now));
end $$;
