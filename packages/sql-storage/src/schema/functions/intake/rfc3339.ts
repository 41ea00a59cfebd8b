/** A time as text in UTC, with milliseconds. */
export default `create or replace function dockline.rfc3339(timestamptz) returns text stable parallel safe
return to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
