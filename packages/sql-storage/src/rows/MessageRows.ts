/**
 * Messages as the functions of the log return them.
 */
import type { Message, MessagePayload } from "@dockline/core/Message"
import * as Timestamp from "@dockline/core/Timestamp"
import type { MessageType } from "@dockline/core/Vocabulary"

/** A message of a business. */
export type MessageBody = readonly [
  id: number,
  facility: string,
  type: MessageType,
  shipmentId: number,
  sentAtMillis: number,
  size: number,
  payload: MessagePayload,
  trace?: string
]

/** The message of a body. */
export const toMessage = (
  business: string,
  [id, facility, type, shipmentId, sentAtMillis, size, payload, trace]: MessageBody
): Message => ({
  id,
  business,
  facility,
  type,
  shipmentId,
  sentAt: Timestamp.fromMillis(sentAtMillis),
  size,
  payload,
  ...(trace === undefined ? {} : { trace })
})
