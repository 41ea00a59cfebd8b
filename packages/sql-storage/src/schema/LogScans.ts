/** How SQL functions find messages in the log, and how they write them. */
import { messageTypes } from "@dockline/core/Vocabulary"

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

/**
 * A statement in four variants: for a business or a facility, and for all types of messages or some. `messages` is the query of a
 * range in id order, which reads no message that the reader does not get: those of each type are a stream of an index, as in
 * Streams.ts, and are merged.
 */
export const byTypes = (
  statement: (messages: (range: Range) => string) => string,
  { business, facility, types } = endpoint
): string => {
  const atFacility = ` and m.facility_id = ${facility}`
  const ofAll = (place: string) => ({ after, also = "true", columns, limit, to }: Range): string =>
    `select ${columns} from dockline.message m
          where m.business_id = ${business}${place} and m.id > ${after}${
      to === undefined ? "" : ` and m.id <= ${to}`
    }
            and ${also} order by m.id limit ${limit}`
  const ofSome = (place: string) => ({ after, also = "true", columns, limit, to }: Range): string =>
    `select m.* from unnest(${types}) as k(type) cross join lateral (
            select ${columns} from dockline.message m
            where m.business_id = ${business}${place} and (m.type, m.id) > (k.type, ${after})
              and ${to === undefined ? "m.type <= k.type" : `(m.type, m.id) <= (k.type, ${to})`} and ${also}
            order by m.type, m.id limit ${limit}) as m
          order by m.id limit ${limit}`
  const variants = (ofBusiness: (range: Range) => string, ofFacility: (range: Range) => string) =>
    `if ${facility} is null then
      ${statement(ofBusiness)};
    else
      ${statement(ofFacility)};
    end if`
  return `
  if ${types} @> array['${messageTypes.join("', '")}'] then
    ${variants(ofAll(""), ofAll(atFacility))};
  else
    ${variants(ofSome(""), ofSome(atFacility))};
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
 * A message as text: [id, facility slug, type, shipment id, sent_at in milliseconds since 1970, size, payload, trace?]. Text
 * takes less than half of the time of json functions, and leaves the payload as it was written.
 */
export const messageText = (row: string): string =>
  `format('[%s,%s,"%s",%s,%s,%s,%s%s]', ${row}.id, to_json(${row}.facility), ${row}.type, ${row}.shipment_id,
        (extract(epoch from ${row}.sent_at) * 1000)::bigint, ${row}.size, ${row}.payload,
        coalesce(',' || to_json(${row}.trace), ''))`
