-- What other functions are made of.
--
-- A function of one expression in SQL becomes a part of the statement that has it, so that an index of the expression
-- serves it.

-- A time as text in UTC, with milliseconds.
create or replace function dockline.rfc3339(timestamptz) returns text
stable parallel safe
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

-- A hash of an LPN, in whose order LPNs with the same ending stand together: an index finds an LPN by all of it, and by
-- its end, of 6 characters with small letters (core's `ShipmentItem.ts`). The hash stands for a text of up to 4 KiB, which fits no B-tree row.
create or replace function dockline.lpn_hash(p_lpn text) returns bigint
language sql immutable parallel safe as $$
  select (hashtextextended((lower(right(p_lpn, 6) collate "C")), 0) & 2147483647) * 4294967296
    + (hashtextextended(p_lpn, 0) & 4294967295)
$$;

-- The LPN of a pallet as LPNs are compared (D22): its index key has it, unless that is a hash of a long one (Keys.ts).
-- That of an item is coalesce(lpn_key, lpn): core writes the key only where it is not the LPN itself.
create or replace function dockline.pallet_lpn(p_key text, p_lpn text) returns text
language sql immutable parallel safe as $$
  select case when p_key like '=%' then substr(p_key, 2) else p_lpn end
$$;

-- The place of a row in a list with the newest first, by time and then by id, as one number: the lower, the newer, as
-- ListArguments.ts has it too. Each shard of a cluster counts ids for itself, so that they do not tell which of two rows
-- of different businesses is newer. Rows are written with it: the expression of a generated column would be read and
-- planned in every statement.
create or replace function dockline.list_place(p_time timestamptz, p_id bigint) returns bigint
language sql immutable parallel safe as $$
  select -((least(greatest(floor(extract(epoch from (p_time - timestamptz '1970-01-01 00:00:00+00')) * 1000), 2),
    4398046511102)::bigint - 2199023255552) * 4194304 + p_id % 4194304)
$$;
