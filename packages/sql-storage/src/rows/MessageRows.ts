/** Messages as the functions of the log take and return them. */
import type { Message, MessageDraft, MessagePayload } from "@dockline/core/messages/Message"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { MessageType } from "@dockline/core/values/Vocabulary"
import type { Deliverable } from "@dockline/core/webhooks/OutboxEntry"

/** A message of a facility, in the trace of its request if it was traced. */
export type DraftRow = ReturnType<typeof draftRow>

/** A message of the facility with this id. */
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

/** A row with a message of a business; without a payload, it says that there are more messages. */
export interface MessageRow {
  readonly id: number
  readonly facility: string
  readonly type: MessageType
  readonly shipment_id: number
  /** In milliseconds since 1970. */
  readonly sent_at: number
  readonly payload: string | null
  readonly trace: string | null
}

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

/** A message, or an entry of an outbox, of a business as text (`message_text`). */
export type MessageBody = readonly [
  id: number,
  facility: string,
  type: MessageType,
  shipmentId: number,
  sentAtMillis: number,
  size: number,
  payload: MessagePayload | readonly [path: string, mediaType: string, text: string],
  trace?: string
]

export const toMessage = (
  business: string,
  [id, facility, type, shipmentId, sentAtMillis, _size, payload, trace]: MessageBody
): Deliverable => {
  const sent = {
    id,
    business,
    facility,
    type,
    shipmentId,
    sentAt: Timestamp.fromMillis(sentAtMillis),
    ...(trace === undefined ? {} : { trace })
  }
  if (!isEntry(payload)) return { ...sent, json: JSON.stringify(payload) }
  const [path, mediaType, text] = payload
  return { ...sent, path, mediaType, text }
}

const isEntry = (payload: MessageBody[6]): payload is Extract<MessageBody[6], ReadonlyArray<string>> =>
  Array.isArray(payload)
