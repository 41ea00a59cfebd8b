/** Messages as the functions of the log take and return them. */
import type { Message, MessageDraft, MessagePayload } from "@dockline/core/messages/Message"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { WebhookType } from "@dockline/core/values/Vocabulary"

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
export interface MessageRow<out Type extends WebhookType = WebhookType> {
  readonly id: number
  readonly facility: string
  readonly type: Type
  readonly shipment_id: number
  /** In milliseconds since 1970. */
  readonly sent_at: number
  readonly payload: string | null
  readonly trace: string | null
}

/** The messages of rows, up to the row without a payload. */
export const toMessages = <Type extends WebhookType>(
  business: string,
  rows: ReadonlyArray<MessageRow<Type>>
): ReadonlyArray<Message<Type>> => {
  const messages: Array<Message<Type>> = []
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

/** A message of a business as text (messageText in LogScans.ts). */
export type MessageBody = readonly [
  id: number,
  facility: string,
  type: WebhookType,
  shipmentId: number,
  sentAtMillis: number,
  size: number,
  payload: MessagePayload,
  trace?: string
]

export const toMessage = (
  business: string,
  [id, facility, type, shipmentId, sentAtMillis, _size, payload, trace]: MessageBody
): Message<WebhookType> => ({
  id,
  business,
  facility,
  type,
  shipmentId,
  sentAt: Timestamp.fromMillis(sentAtMillis),
  json: JSON.stringify(payload),
  ...(trace === undefined ? {} : { trace })
})
