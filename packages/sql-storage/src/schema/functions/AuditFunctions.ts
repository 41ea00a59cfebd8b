import { sql } from "../Plans.ts"
import { withinStream } from "../Streams.ts"
import type { Column } from "../Streams.ts"

/** The entries with these values of columns, with which an index begins. */
const stream = (key: ReadonlyArray<Column>, within = "true") => {
  const [column, value] = key.slice(-1).map(([column, value]) => [`t.${column}, `, `${value}, `])[0] ??
    ["", ""]
  const order = key.map(([column]) => `t.${column} desc, `).join("")
  return `select t.* from dockline.audit_entry t
      where ${withinStream(key)}(${column}t.at, t.id) < (${value}p_at, p_id)
        and (${column}t.at, t.id) >= (${value}p_from, 0) and ${within}
      order by ${order}t.at desc, t.id desc limit p_limit`
}

/** A subject has few entries, so reading those of other clients too costs little. */
const ofClient = "(p_client is null or t.client_id = p_client)"

/** The streams of the businesses of the scope. */
const merged = (streamOfBusiness: string) =>
  `select e.* from (select distinct unnest(p_scope) as business) as k cross join lateral (${streamOfBusiness}) as e
      order by e.at desc, e.id desc limit p_limit`

/**
 * The newest audit entries before (p_at, p_id) and not before p_from: of the businesses of p_scope, or all if it is null. Each
 * branch reads an index from its end.
 */
export const auditPage = sql`
create or replace function dockline.audit_page(
  p_scope text[], p_client text, p_subject text, p_from timestamptz, p_at timestamptz, p_id bigint, p_limit int
) returns setof dockline.audit_entry
language plpgsql stable as $$
begin
  if p_scope is null then
    if p_subject is not null then
      return query ${stream([["subject", "p_subject"]], ofClient)};
    elsif p_client is not null then
      return query ${stream([["client_id", "p_client"]])};
    else
      return query ${stream([])};
    end if;
  elsif p_subject is not null then
    return query ${merged(stream([["business", "k.business"], ["subject", "p_subject"]], ofClient))};
  elsif p_client is not null then
    return query ${merged(stream([["business", "k.business"], ["client_id", "p_client"]]))};
  else
    return query ${merged(stream([["business", "k.business"]]))};
  end if;
end $$`
