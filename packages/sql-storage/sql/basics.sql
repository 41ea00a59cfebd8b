-- Helpers of other functions.
--
-- PostgreSQL inlines a function of one SQL expression into the statement that calls it, so that an index of the expression serves it.

-- A time as text in UTC, with milliseconds.
create or replace function dockline.rfc3339(timestamptz) returns text
stable parallel safe
return to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Whether the rows of a business are stored where the function runs. In a cluster, each shard has a different one
-- (`cluster/ClusterDefinitions.ts`).
create or replace function dockline.is_here(p_business bigint) returns boolean
language sql immutable as 'select true';

-- The first id from p_id on that a sequence may have: in a cluster, each part has every 1024th.
create or replace function dockline.id_beyond(p_sequence regclass, p_id bigint) returns bigint
language sql stable as $$
  select p_id + ((s.seqstart - p_id) % s.seqincrement + s.seqincrement) % s.seqincrement
  from pg_sequence s where s.seqrelid = p_sequence
$$;

-- The number of the oldest schema whose version may still run on this one. A version that removes or changes something that earlier
-- versions use raises it to the first schema whose version no longer uses it.
create or replace function dockline.oldest_served() returns int
language sql immutable as 'select 1';

-- A hash of an LPN that sorts LPNs with the same ending together: an index finds an LPN by its whole text, and by its ending, which is 6
-- characters in lower case (core's `ShipmentItem.ts`). A hash is needed because an LPN of up to 4 KiB does not fit into a B-tree row.
create or replace function dockline.lpn_hash(p_lpn text) returns bigint
language sql immutable parallel safe as $$
  select (hashtextextended((lower(right(p_lpn, 6) collate "C")), 0) & 2147483647) * 4294967296
    + (hashtextextended(p_lpn, 0) & 4294967295)
$$;

-- The LPN of a pallet for comparison (D22): its index key contains it, unless the key is a hash of a long LPN (BusinessRows.ts). For an
-- item it is coalesce(lpn_key, lpn), because core writes the key only if it differs from the LPN.
create or replace function dockline.pallet_lpn(p_key text, p_lpn text) returns text
language sql immutable parallel safe as $$
  select case when p_key like '=%' then substr(p_key, 2) else p_lpn end
$$;

-- The place of a row in a newest-first list, by time and then by id, as one number: the lower, the newer (also in BusinessRows.ts). Ids
-- alone do not order rows of different businesses, because each shard of a cluster counts its own ids. The place is written with the row,
-- because the expression of a generated column would be read and planned in every statement.
create or replace function dockline.list_place(p_time timestamptz, p_id bigint) returns bigint
language sql immutable parallel safe as $$
  select -((least(greatest(floor(extract(epoch from (p_time - timestamptz '1970-01-01 00:00:00+00')) * 1000), 2),
    4398046511102)::bigint - 2199023255552) * 4194304 + p_id % 4194304)
$$;
