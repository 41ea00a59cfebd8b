/**
 * The measured part of our schema, as users of the peers would write it: SDL and resolvers. Reading history is our code
 * (`Messages.history` on our log), so that only GraphQL, HTTP and the token check differ.
 */
import type { Grant } from "@dockline/core/access/Access"
import { payloadOf, shownSentAt } from "@dockline/core/messages/Message"
import type { Message } from "@dockline/core/messages/Message"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { MessageType } from "@dockline/core/values/Vocabulary"
import type { Log } from "./Log.ts"

/** The schema in GraphQL's language. */
export const typeDefs = `
  scalar MessageId
  scalar DateTime
  scalar JSON
  enum MessageType { PALLET_EVENT SHIPMENT_COMPLETE }
  type PushMessage {
    id: MessageId!
    businessSlug: String!
    facilitySlug: String!
    messageType: MessageType!
    message: JSON!
    sentAt: DateTime!
  }
  input PushMessageFilter {
    businessSlug: String!
    facilitySlug: String
    messageTypes: [MessageType!] = [PALLET_EVENT]
    since: DateTime!
    afterId: MessageId
    limit: Int
  }
  input PushMessageSubscriptionFilter {
    businessSlug: String!
    facilitySlug: String
    messageTypes: [MessageType!] = [PALLET_EVENT]
    afterId: MessageId
  }
  type Query { pushMessages(input: PushMessageFilter!): [PushMessage!]! }
  type Subscription { pushMessage(filter: PushMessageSubscriptionFilter!): PushMessage! }
`

/** The client of a request. */
export interface PeerContext {
  readonly grants: ReadonlyArray<Grant>
}

interface HistoryInput {
  readonly businessSlug: string
  readonly facilitySlug?: string | null
  readonly messageTypes: ReadonlyArray<MessageType>
  readonly since: Timestamp.Timestamp
  readonly afterId?: number | null
  readonly limit?: number | null
}

const id = (value: unknown): number => {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value
  throw new TypeError("MessageId must be a whole number")
}

const timestamp = (value: unknown): Timestamp.Timestamp => {
  const parsed = typeof value === "string" ? Timestamp.parse(value) : undefined
  if (parsed !== undefined) return parsed
  throw new TypeError("DateTime must be a date and time as in RFC 3339")
}

const same = (value: unknown): unknown => value

const refuse = (): never => {
  throw new TypeError("send this as a variable")
}

/** The resolvers except that of the subscription. Scalars are plain functions, because the peers have different releases of `graphql`. */
export const resolversOf = (log: Log) => ({
  MessageId: { serialize: id, parseValue: id, parseLiteral: refuse },
  DateTime: { serialize: same, parseValue: timestamp, parseLiteral: refuse },
  JSON: { serialize: same, parseValue: refuse, parseLiteral: refuse },
  PushMessage: {
    businessSlug: (message: Message) => message.business,
    facilitySlug: (message: Message) => message.facility,
    messageType: (message: Message) => message.type,
    message: payloadOf,
    sentAt: (message: Message) => shownSentAt(message.sentAt)
  },
  Query: {
    pushMessages: (_source: unknown, { input }: { readonly input: HistoryInput }, context: PeerContext) =>
      log.history({
        business: input.businessSlug,
        facility: input.facilitySlug ?? undefined,
        types: input.messageTypes,
        since: input.since,
        afterId: input.afterId ?? undefined,
        limit: input.limit ?? undefined
      }, context.grants)
  }
})
