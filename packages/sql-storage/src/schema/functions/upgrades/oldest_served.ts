/**
 * The number of the oldest schema whose version may still run on this one. A version that takes away or changes what earlier
 * versions use (that contracts) raises it to the first schema whose version does without.
 */
export default `create or replace function dockline.oldest_served() returns int language sql immutable as 'select 1'`
