/**
 * The operation that lists messages, as a value (D13.3).
 */
import { Schema } from "effect"
import { open } from "../../access/OpenWords.ts"
import * as Operation from "../../access/Operation.ts"
import * as Field from "../../values/Field.ts"
import { messageTypes } from "../../values/Vocabulary.ts"
import type { MessageType } from "../../values/Vocabulary.ts"
import { MessageView } from "../MessageView.ts"
import { messageListErrors } from "./MessageErrors.ts"

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
