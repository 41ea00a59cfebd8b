/**
 * What clients see of a message in a list (D13.3), as GraphQL's `PushMessage` shows it.
 */
import { Schema } from "effect"
import { messageTypes } from "../values/Vocabulary.ts"
import { payloadOf, shownSentAt } from "./Message.ts"
import type { Message } from "./Message.ts"

const text = (description: string) => Schema.String.annotate({ description })

/** A message as clients see it. */
export const MessageView = Schema.Struct({
  id: Schema.Int.annotate({ description: "Its id; clients store it so that they process no message twice" }),
  businessSlug: text("Slug of the business"),
  facilitySlug: text("Slug of the facility"),
  messageType: Schema.Literals(messageTypes).annotate({ description: "What it is about" }),
  message: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "The payload: the JSON object that the webhook carries"
  }),
  sentAt: text("When it was sent, RFC 3339 in UTC with an offset; never decreases as ids grow")
}).annotate({ identifier: "Message" })

/** A message as clients see it. */
export type MessageView = typeof MessageView.Type

/** Shows a message. */
export const messageView = (message: Message): MessageView => ({
  id: message.id,
  businessSlug: message.business,
  facilitySlug: message.facility,
  messageType: message.type,
  message: payloadOf(message),
  sentAt: shownSentAt(message.sentAt)
})
