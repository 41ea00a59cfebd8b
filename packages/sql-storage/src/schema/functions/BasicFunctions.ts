import { sql } from "../Plans.ts"

/** A time as text in UTC, with milliseconds. */
export const rfc3339 = sql`
create or replace function dockline.rfc3339(timestamptz) returns text stable parallel safe
return to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * The number of the oldest schema whose version may still run on this one. A version that takes away or changes what earlier
 * versions use (that contracts) raises it to the first schema whose version does without.
 */
export const oldestServed = sql`
create or replace function dockline.oldest_served() returns int
language sql immutable as 'select 1'`
