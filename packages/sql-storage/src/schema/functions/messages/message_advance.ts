/**
 * Moves the next id of messages, and the newest id of each log, to p_beyond if they are below: {"newestId"}, or {"tooFar":
 * newest id} if it is more than p_limit away. If the ids of messages move, those of all other entities move by p_others.
 * Appends wait meanwhile. All leases of endpoints end, as their holders may know of messages of a lost database.
 */
export default `create or replace function dockline.message_advance(p_beyond bigint, p_limit bigint, p_others bigint) returns json
language plpgsql as $$
declare
  v_newest bigint;
  v_other record;
begin
  lock table dockline.message_log in exclusive mode;
  select case when is_called then last_value else 0 end into v_newest from dockline.message_id;
  if p_beyond - v_newest > p_limit then return json_build_object('tooFar', v_newest); end if;
  if p_beyond > v_newest then
    perform setval('dockline.message_id', p_beyond);
    v_newest := p_beyond;
    for v_other in select format('%I.%I', schemaname, sequencename)::regclass as name, last_value as last
      from pg_sequences
      where schemaname = 'dockline' and sequencename <> 'message_id' and data_type = 'bigint'::regtype
    loop
      perform setval(v_other.name, coalesce(v_other.last, 0) + p_others);
    end loop;
  end if;
  insert into dockline.message_log as l (business_id, last_id)
  select b.id, p_beyond from dockline.business b order by b.id
  on conflict (business_id) do update set last_id = excluded.last_id where l.last_id < excluded.last_id;
  update dockline.webhook_endpoint e set epoch = e.epoch + 1
  where e.id in (select o.id from dockline.webhook_endpoint o order by o.id for no key update);
  return json_build_object('newestId', v_newest);
end $$`
