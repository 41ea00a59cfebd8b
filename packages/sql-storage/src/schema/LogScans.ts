/** How SQL functions find messages in the log, and entries in outboxes, and how they write them. */
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { sql } from "./Plans.ts"

/** SQL expressions for the messages that a reader gets; the facility may be null. */
interface Reader {
  readonly business: string
  readonly facility: string
  readonly types: string
}

const endpoint: Reader = {
  business: "v_endpoint.business_id",
  facility: "v_endpoint.facility_id",
  types: "v_endpoint.message_types"
}

/** Which messages of a log are read, as SQL expressions. */
interface Range {
  readonly columns: string
  /** The id before the first one. */
  readonly after: string
  /** The last id. */
  readonly to?: string
  /** A further condition. */
  readonly also?: string
  readonly limit: string
}

const ofContract = `array['${messageTypes.join("', '")}']`

/** The endpoint `v_endpoint` may get entries of outboxes: it names a type that the contract does not have, as few do. */
const mayGetEntries = `not v_endpoint.message_types <@ ${ofContract}`

/**
 * Sets `v_entry_id` to the newest id of the outboxes of which `v_endpoint` gets the entries, or to 0, and moves `v_dropped`, the id up to
 * which the log was dropped, up to that of these outboxes.
 */
export const readOutboxes = `v_entry_id := 0;
  if ${mayGetEntries} then
    select coalesce(max(o.last_id), 0), greatest(v_dropped, max(o.dropped_id)) into v_entry_id, v_dropped
    from dockline.outbox o where o.business_id = v_endpoint.business_id and o.type = any (v_endpoint.message_types);
  end if;`

/** The variables that {@link readOutboxes} sets. */
export const outboxVariables = `v_entry_id bigint;
  v_dropped bigint;`

/** The message, or the entry, with an id; entries are looked for only where a type says that it may be one. */
export const messageOf = (business: string, id: string, type?: string): string =>
  `select ${messageColumns} from dockline.message m where m.business_id = ${business} and m.id = ${id}
          union all
          select ${messageColumns} from dockline.outbox_entry m
          where ${
    type === undefined ? "" : `${type} <> all (${ofContract}) and `
  }m.business_id = ${business} and m.id = ${id}`

const atFacilityOf = ({ facility }: Reader) => ` and m.facility_id = ${facility}`

/** The query of a range of those that a reader gets of some types: those of each are a stream of an index. */
const ofSome =
  ({ business, types }: Reader, place: string, source = "dockline.message m") =>
  ({ after, also = "true", columns, limit, to }: Range): string =>
    `select m.* from unnest(${types}) as k(type) cross join lateral (
            select ${columns} from ${source}
            where m.business_id = ${business}${place} and (m.type, m.id) > (k.type, ${after})
              and ${to === undefined ? "m.type <= k.type" : `(m.type, m.id) <= (k.type, ${to})`} and ${also}
            order by m.type, m.id limit ${limit}) as m
          order by m.id limit ${limit}`

const ofEntries = (reader: Reader, place: string) => ofSome(reader, place, "dockline.outbox_entry m")

/**
 * A statement in four variants: for a business or a facility, and for all types of messages or some. `messages` is the query of a
 * range in id order, which reads no message that the reader does not get: those of each type are a stream of an index, as in
 * Streams.ts, and are merged. A reader of all messages of the contract passes those that capabilities add, which are rare, unless it
 * gets them too: `@>` keeps that condition from choosing the index. Where `withEntries` holds, two more variants merge the entries of
 * outboxes too.
 */
export const byTypes = (
  statement: (messages: (range: Range) => string) => string,
  { reader = endpoint, withEntries }: { readonly reader?: Reader; readonly withEntries?: string } = {}
): string => {
  const { business, facility, types } = reader
  const ofAll = (place: string) => ({ after, also = "true", columns, limit, to }: Range): string =>
    `select ${columns} from dockline.message m
          where m.business_id = ${business}${place} and m.id > ${after}${
      to === undefined ? "" : ` and m.id <= ${to}`
    }
            and ${also} and ${types} @> array[m.type] order by m.id limit ${limit}`
  const ofBoth = (place: string) => (range: Range): string =>
    `select m.* from ((${ofSome(reader, place)(range)})
          union all (${ofEntries(reader, place)(range)})) as m order by m.id limit ${range.limit}`
  const variants = (of: (place: string) => (range: Range) => string) =>
    `if ${facility} is null then
      ${statement(of(""))};
    else
      ${statement(of(atFacilityOf(reader)))};
    end if`
  return `
  if ${
    withEntries === undefined ? "" : `${withEntries} then
    ${variants(ofBoth)};
  elsif `
  }${types} @> ${ofContract} then
    ${variants(ofAll)};
  else
    ${variants((place) => ofSome(reader, place))};
  end if`
}

/** The message has no recorded delivery to the endpoint. */
export const notRecorded = `(select d.message_id from dockline.webhook_delivery d
        where d.business_id = v_endpoint.business_id and d.endpoint_id = v_endpoint.id and d.message_id = m.id) is null`

/** The message is up to the cursor of the endpoint, or has a recorded delivery to it. */
export const isTaken = `(m.id <= v_endpoint.cursor_id or not (${notRecorded}))`

/** The columns of a message that {@link messageText} and {@link messageRow} need. */
export const messageColumns = "m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace"

/** The columns of a result with messages; `head` is that of the first row, which has no message. */
export const messageTable =
  "head text, id float8, facility text, type text, shipment_id float8, sent_at float8, payload text, trace text"

/** A row of {@link messageTable}, of which `payload` is the payload: sent_at is in milliseconds since 1970. */
export const messageRow = (row: string, payload = `${row}.payload`): string =>
  `null::text, ${row}.id::float8, ${row}.facility, ${row}.type, ${row}.shipment_id::float8,
        date_part('epoch', ${row}.sent_at) * 1000, ${payload}::text, ${row}.trace`

/**
 * A message as text: [id, facility slug, type, shipment id, sent_at in milliseconds since 1970, size, payload, trace?]; the payload of an
 * entry of an outbox is [path, media type, text]. Text
 * takes less than half of the time of json functions, and leaves the payload as it was written.
 */
export const messageText = (row: string): string =>
  `format('[%s,%s,"%s",%s,%s,%s,%s%s]', ${row}.id, to_json(${row}.facility), ${row}.type, ${row}.shipment_id,
        (extract(epoch from ${row}.sent_at) * 1000)::bigint, ${row}.size, ${row}.payload,
        coalesce(',' || to_json(${row}.trace), ''))`

/**
 * p_drafts: an array of [business slug, facility slug, type, shipment id, payload, trace or null]. `append` appends the messages of
 * `v_business` to its log, and `order` is that of the businesses.
 */
export const appendNamed = (
  { append, lock = "", order, settings = "" }: {
    readonly settings?: string
    readonly lock?: string
    readonly order: string
    readonly append: string
  }
): string =>
  sql`
create or replace function dockline.message_append_named(p_drafts json, p_now timestamptz) returns json
language plpgsql ${settings} as $$
declare
  v_unknown json;
  v_business record;
  v_ids json;
  v_appended jsonb := '[]';
begin
  select json_build_array(draft->>0, case when b.id is not null then draft->>1 end) into v_unknown
  from json_array_elements(p_drafts) with ordinality as d(draft, n)
  left join dockline.business b on b.slug = draft->>0
  left join dockline.facility f on f.business_id = b.id and f.slug = draft->>1
  where f.id is null order by n limit 1;
  if v_unknown is not null then return json_build_object('unknown', v_unknown); end if;
  ${lock}
  for v_business in
    select b.id, json_agg(json_build_array(f.id, draft->>2, draft->>3, draft->>4, draft->>5)
        order by n) as drafts,
      array_agg(n order by n) as positions
    from json_array_elements(p_drafts) with ordinality as d(draft, n)
    join dockline.business b on b.slug = draft->>0
    join dockline.facility f on f.business_id = b.id and f.slug = draft->>1
    group by b.id order by ${order}
  loop
    ${append}
    v_appended := v_appended || (
      select jsonb_agg(jsonb_build_array(v_business.positions[k], id->0, id->1))
      from json_array_elements(v_ids) with ordinality as i(id, k));
  end loop;
  return json_build_object('appended', v_appended);
end $$`

/**
 * Lets appends to the outboxes of p_business, which look whether an endpoint asks for their type, and changes of what its endpoints ask for
 * wait for each other, until the transaction ends: whatever is committed after such a change is due to the endpoint. It is locked before
 * the log and before endpoints.
 */
export const lockOfOutboxes = {
  append: `perform pg_advisory_xact_lock_shared(hashtextextended('dockline.outboxes:' || p_business, 0));`,
  ask: (types: string): string =>
    `if not ${types} <@ ${ofContract} then
    perform pg_advisory_xact_lock(hashtextextended('dockline.outboxes:' || p_business, 0));
  end if;`
}

/** Locks the log of p_business until the transaction ends, and reads the time of its last message as v_sent_at. */
export const lockOfLog =
  `select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  if not found then
    insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
    select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  end if;`

/** Ends an append to the log that {@link lockOfLog} has locked: `v_last` is the newest id, or null if nothing was appended. */
export const moveLog = `update dockline.message_log set last_id = v_last, last_sent_at = v_sent_at
  where business_id = p_business and last_id < v_last;
  if not found and v_last is not null then
    raise exception 'The ids of messages have gone down; run dockline message advance';
  end if;`
