/**
 * The view of a message in a list (D13.3), equal to `PushMessage` of GraphQL, and the operation that lists messages.
 */
import { Schema } from "effect"
import { open } from "../access/OpenWords.ts"
import * as Operation from "../access/Operation.ts"
import { placeErrors } from "../places/Authorize.ts"
import { CursorAhead, HistoryExpired } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { shownText, shownWhole } from "../values/Field.ts"
import * as ViewField from "../values/ViewField.ts"
import { messageTypes } from "../values/Vocabulary.ts"
import type { MessageType } from "../values/Vocabulary.ts"
import { payloadOf, shownSentAt } from "./Message.ts"
import type { Message } from "./Message.ts"

/** A message as clients see it. */
export const MessageView = Schema.Struct({
  id: shownWhole("Its id; clients store it so that they process no message twice"),
  businessSlug: shownText("Slug of the business"),
  facilitySlug: shownText("Slug of the facility"),
  messageType: open(
    "messageTypes",
    messageTypes as ReadonlyArray<MessageType>,
    (types) => ViewField.word(types, "What it is about")
  ),
  message: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "The payload: the JSON object that the webhook carries"
  }),
  sentAt: shownText("When it was sent, RFC 3339 in UTC with an offset; never decreases as ids grow")
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

const messageListErrors = [...placeErrors, HistoryExpired, CursorAhead] as const

/** Lists the messages of a business (D13.3). */
export const listMessages = Operation.list("listMessages", {
  rest: "GET /v1/messages",
  params: {},
  filters: {
    business: Field.slug("Business slug"),
    facility: Schema.optionalKey(
      Field.text("Facility slug; without it, the client needs permission for the whole business.")
    ),
    messageType: open<MessageType, Schema.optionalKey<ReturnType<typeof Operation.word<MessageType>>>>(
      "messageTypes",
      messageTypes,
      (types) => Schema.optionalKey(Operation.word("MessageType", types, "Only messages of this type."))
    ),
    since: Schema.optionalKey(Field.dateTime("Only messages sent at this time or later."))
  },
  cursor: "message",
  row: MessageView,
  page: "MessagePage",
  columns: [
    ...Operation.columns("id", "businessSlug", "facilitySlug", "messageType", "sentAt"),
    ["message", ({ message }) => JSON.stringify(message)]
  ],
  errors: messageListErrors,
  summary: "List messages",
  description:
    "The messages to the customer, ascending by id, as webhooks and GraphQL carry them. To stay current, store the last id \
and ask for what follows it."
})
