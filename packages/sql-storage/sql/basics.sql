-- A time as text in UTC, with milliseconds.
create or replace function dockline.rfc3339(timestamptz) returns text stable parallel safe
return to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Whether the rows of a business are where the function is; in a cluster, each shard has another
-- (`cluster/ClusterDefinitions.ts`).
create or replace function dockline.is_here(p_business bigint) returns boolean
language sql immutable as 'select true';

-- The first id from p_id on that a sequence may have: in a cluster, each part has every 1024th.
create or replace function dockline.id_beyond(p_sequence regclass, p_id bigint) returns bigint
language sql stable as $$
  select p_id + ((s.seqstart - p_id) % s.seqincrement + s.seqincrement) % s.seqincrement
  from pg_sequence s where s.seqrelid = p_sequence
$$;

-- The number of the oldest schema whose version may still run on this one. A version that takes away or changes what
-- earlier versions use (that contracts) raises it to the first schema whose version does without.
create or replace function dockline.oldest_served() returns int
language sql immutable as 'select 1';
