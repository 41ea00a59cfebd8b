/**
 * The range of a replay: [business slug, first id, last id, count up to p_limit + 1]; null without the endpoint. A range is
 * of ids or of times; the other parameters are null.
 */
import { byKind, isTaken } from "../../LogScans.ts"
import { byIndex } from "../../Plans.ts"

export default `create or replace function dockline.webhook_replay_range(
  p_business bigint, p_endpoint bigint, p_first bigint, p_last bigint, p_from timestamptz, p_to timestamptz, p_limit int
) returns json language plpgsql stable ${byIndex} as $$
declare
  v_endpoint dockline.webhook_endpoint;
  v_first bigint := p_first;
  v_last bigint := p_last;
  v_count bigint;
begin
  select * into v_endpoint from dockline.webhook_endpoint where business_id = p_business and id = p_endpoint;
  if v_endpoint.id is null then return null; end if;
  if p_from is not null then
    select m.id into v_first from dockline.message m
    where m.business_id = p_business and m.sent_at >= p_from order by m.sent_at, m.id limit 1;
    select m.id into v_last from dockline.message m
    where m.business_id = p_business and m.sent_at <= p_to
    order by m.sent_at desc, m.id desc limit 1;
  end if;
  if v_first is null then v_last := 0; end if;
  v_first := coalesce(v_first, 1);
  v_last := least(coalesce(v_last, 0), greatest(v_endpoint.cursor_id, (select d.message_id
    from dockline.webhook_delivery d where d.business_id = p_business and d.endpoint_id = p_endpoint order by d.message_id desc limit 1)));
  ${
  byKind((scan) =>
    `select count(*) into v_count from (select from dockline.message m
      where ${scan} and m.id >= v_first and m.id <= v_last and ${isTaken}
      order by m.id limit p_limit + 1) as named`
  )
};
  return json_build_array((select slug from dockline.business where id = p_business),
    v_first, v_last, v_count);
end $$`
