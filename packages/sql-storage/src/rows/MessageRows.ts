/** Messages as the functions of the log accept and return them. */
import type { Message, MessageDraft } from "@dockline/core/messages/Message"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { Deliverable } from "@dockline/core/webhooks/Delivery"
import { Record, Schema } from "effect"
import { whole } from "./RowFields.ts"

/** A message of a facility, with the trace of its request if the request was traced. */
export type DraftRow = ReturnType<typeof draftRow>

/** Makes the row of a message of the facility with this id. */
export const draftRow = (
  { payload, shipmentId, type }: MessageDraft,
  facilityId: number,
  trace: string | undefined
) => [facilityId, type, shipmentId, JSON.stringify(payload), trace] as const

/** Messages of one facility as the JSON that the statement carries. */
export const draftRows = (
  drafts: ReadonlyArray<MessageDraft>,
  facilityId: number,
  trace: string | undefined
): string => JSON.stringify(drafts.map((draft) => draftRow(draft, facilityId, trace)))

/**
 * A row with a message of a business; its time is in milliseconds since 1970. A row without a payload means that there are more messages.
 */
const MessageRow = Schema.Struct({
  id: whole,
  facility: Schema.String,
  type: Schema.String,
  shipment_id: whole,
  sent_at: Schema.Number,
  payload: Schema.NullOr(Schema.String),
  trace: Schema.NullOr(Schema.String)
})

type MessageRow = typeof MessageRow.Type

/**
 * A row of `message_read`. The first row is the head: the id up to which messages were dropped, or the newest id of the log. Messages
 * follow.
 */
export const MessageReadRow = Schema.Union([
  Schema.Struct({ ...MessageRow.fields, dropped_id: Schema.Null, last_id: Schema.Null }),
  Schema.Struct({
    ...Record.map(MessageRow.fields, () => Schema.Null),
    dropped_id: Schema.NullOr(whole),
    last_id: Schema.NullOr(whole)
  })
])

/** The messages of rows, up to the row without a payload. */
export const toMessages = (business: string, rows: ReadonlyArray<MessageRow>): ReadonlyArray<Message> => {
  const messages: Array<Message> = []
  for (const { id, facility, payload, sent_at, shipment_id, trace, type } of rows) {
    if (payload === null) break
    messages.push({
      id,
      business,
      facility,
      type,
      shipmentId: shipment_id,
      sentAt: Timestamp.fromMillis(Math.round(sent_at)),
      json: payload,
      ...(trace === null ? {} : { trace })
    })
  }
  return messages
}

const entryBody = Schema.Tuple([Schema.String, Schema.String, Schema.String])

/**
 * A message of a business, or an entry of an outbox (`message_text`): its id, facility, type, shipment, time in milliseconds, size, payload
 * (for an entry, its path, media type and text) and, if its request was traced, its trace.
 */
export const MessageBody = Schema.Tuple([
  whole,
  Schema.String,
  Schema.String,
  whole,
  Schema.Number,
  whole,
  Schema.Union([entryBody, Schema.Record(Schema.String, Schema.Unknown)]),
  Schema.optionalKey(Schema.String)
])

export type MessageBody = typeof MessageBody.Type

export const toMessage = (
  business: string,
  [id, facility, type, shipmentId, sentAtMillis, _size, payload, trace]: MessageBody
): Deliverable => {
  const head = {
    id,
    business,
    facility,
    type,
    shipmentId,
    sentAt: Timestamp.fromMillis(sentAtMillis),
    ...(trace === undefined ? {} : { trace })
  }
  if (!isEntry(payload)) return { ...head, json: JSON.stringify(payload) }
  const [path, mediaType, text] = payload
  return { ...head, path, mediaType, text }
}

const isEntry = (payload: MessageBody[6]): payload is typeof entryBody.Type => Array.isArray(payload)
