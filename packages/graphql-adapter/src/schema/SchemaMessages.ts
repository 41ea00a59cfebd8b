/**
 * Messages in the schema: their record, and reading their history (D8.1, D8.2).
 *
 * Guarantee: an answer holds no more text of messages than `answerTextLimit`, over all its fields and aliases; what
 * would exceed it is an error, never a silent cut.
 */
import { TooManyMessages } from "@dockline/core/Errors"
import { shownSentAt } from "@dockline/core/Message"
import type { Message } from "@dockline/core/Message"
import type { MessageQuery } from "@dockline/core/MessageQuery"
import type { HistoryRequest } from "@dockline/core/Messages"
import type { Timestamp } from "@dockline/core/Timestamp"
import { messageTypes } from "@dockline/core/Vocabulary"
import type { MessageType } from "@dockline/core/Vocabulary"
import {
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
  Kind
} from "graphql"
import type {
  GraphQLFieldConfig,
  GraphQLInputFieldConfigMap,
  GraphQLResolveInfo,
  GraphQLScalarType,
  SelectionSetNode
} from "graphql"
import { ofCatalogue } from "../engine/GraphqlErrors.ts"
import type { GraphqlContext } from "../engine/Run.ts"
import { allowanceOf } from "../engine/SchemaAllowance.ts"
import type { Allowance } from "../engine/SchemaAllowance.ts"
import { refusalOf, textFaults } from "./Arguments.ts"
import { DateTime, Json, MessageId } from "./Scalars.ts"
import type { SchemaServices } from "./SchemaServices.ts"

const messageTypeDescriptions: Readonly<Record<MessageType, string>> = {
  PALLET_EVENT: "A pallet was loaded or unloaded at a dock",
  SHIPMENT_COMPLETE: "A shipment has departed"
}

/** The types of messages. */
export const MessageTypeEnum = new GraphQLEnumType({
  name: "MessageType",
  description: "What a message is about.",
  values: Object.fromEntries(
    messageTypes.map((type) => [type, { value: type, description: messageTypeDescriptions[type] }])
  )
})

/** A field of a message: always there, and known without asking anybody. */
interface MessageField {
  readonly type: GraphQLNonNull<GraphQLScalarType | GraphQLEnumType>
  readonly description: string
  readonly resolve: (message: Message) => unknown
}

/** The fields of a message of the log. */
export const messageFields: Readonly<Record<string, MessageField>> = {
  id: {
    type: new GraphQLNonNull(MessageId),
    description: "Its id; clients store it so as to process no message twice, and to read on after it",
    resolve: (message) => message.id
  },
  businessSlug: {
    type: new GraphQLNonNull(GraphQLString),
    description: "Slug of the business",
    resolve: (message) => message.business
  },
  facilitySlug: {
    type: new GraphQLNonNull(GraphQLString),
    description: "Slug of the facility",
    resolve: (message) => message.facility
  },
  messageType: {
    type: new GraphQLNonNull(MessageTypeEnum),
    description: "What it is about",
    resolve: (message) => message.type
  },
  message: {
    type: new GraphQLNonNull(Json),
    description: "The payload: the JSON object that the webhook would carry",
    resolve: (message) => message.payload
  },
  sentAt: {
    type: new GraphQLNonNull(DateTime),
    description: "When it was sent, in UTC with an offset; never decreases as ids grow",
    resolve: (message) => shownSentAt(message.sentAt)
  }
}

/** One message, as history and the subscription give it: its source is a {@link Message} of the log. */
export const PushMessage = new GraphQLObjectType<Message, GraphqlContext>({
  name: "PushMessage",
  description: "A message to the customer, with the same content as the webhook's.",
  fields: messageFields
})

const defaultTypes: ReadonlyArray<MessageType> = ["PALLET_EVENT"]

/** What narrows messages, alike in history and subscription. */
export const filterFields: GraphQLInputFieldConfigMap = {
  businessSlug: { type: new GraphQLNonNull(GraphQLString), description: "Slug of the business" },
  facilitySlug: {
    type: GraphQLString,
    description:
      "Slug of a facility; without it, all facilities: the client needs permission for the whole business"
  },
  messageTypes: {
    type: new GraphQLList(new GraphQLNonNull(MessageTypeEnum)),
    description: "Which types of messages",
    default: { value: defaultTypes }
  }
}

/** The value of {@link filterFields}. */
export interface MessageFilter {
  readonly businessSlug: string
  readonly facilitySlug?: string | null
  readonly messageTypes?: ReadonlyArray<MessageType> | null
}

/** Which messages a filter asks for; the filter is the argument `name`. Throws what is wrong with it. */
export const queryOf = (filter: MessageFilter, name: string): MessageQuery => {
  const { businessSlug, facilitySlug } = filter
  // An explicit null asks for the default, as leaving it out does.
  const types = new Set(filter.messageTypes ?? defaultTypes)
  const refusal = refusalOf([
    ...textFaults({ [`${name}.businessSlug`]: businessSlug, [`${name}.facilitySlug`]: facilitySlug }),
    ...(types.size > 0 ? [] : [{ path: `${name}.messageTypes`, detail: "must name at least one type" }])
  ])
  if (refusal !== undefined) throw ofCatalogue(refusal)
  return { business: businessSlug, facility: facilitySlug ?? undefined, types: Array.from(types) }
}

/** The value of `PushMessageFilter`. */
export interface HistoryInput extends MessageFilter {
  readonly since: Timestamp
  readonly afterId?: number | null
  readonly limit?: number | null
}

const PushMessageFilter = new GraphQLInputObjectType({
  name: "PushMessageFilter",
  description: "Which messages of the past.",
  fields: {
    ...filterFields,
    since: {
      type: new GraphQLNonNull(DateTime),
      description: "Messages sent then or later"
    },
    afterId: {
      type: MessageId,
      description: "Messages with higher ids only: the id of the last message of the page before"
    },
    limit: {
      type: GraphQLInt,
      description:
        "The most messages of the answer; without it all of them, or an error when they are too many"
    }
  }
})

/** Reads the messages that the arguments of `pushMessages` ask for, whose payload is to be shown `copies` times. */
export type ReadMessages = (
  args: { readonly input?: HistoryInput },
  context: GraphqlContext,
  copies: number
) => Promise<ReadonlyArray<Message>>

/** Makes the reading of messages. */
export const makeReadMessages = ({ messages, run, config }: SchemaServices): ReadMessages => {
  const limit = config.answerTextLimit

  const read = async (
    request: HistoryRequest,
    context: GraphqlContext,
    allowance: Allowance,
    copies: number
  ) => {
    if (allowance.taken >= limit) throw tooMuchText
    const found = await run(messages.history(request, context.session.principal), context)
    for (const { size } of found) allowance.taken += size * Math.max(1, copies)
    if (allowance.taken > limit) throw tooMuchText
    return found
  }

  return async ({ input }, context, copies) => {
    const { since, afterId, limit, ...filter } = input!
    const request = {
      ...queryOf(filter, "input"),
      since,
      afterId: afterId ?? undefined,
      limit: limit ?? undefined
    }
    const allowance = allowanceOf(context)
    return allowance.inTurn(() => read(request, context, allowance, copies))
  }
}

/** The query `pushMessages`. */
export const pushMessages = (services: SchemaServices): GraphQLFieldConfig<unknown, GraphqlContext> => {
  const read = makeReadMessages(services)
  return {
    type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(PushMessage))),
    description: "The messages since a time, ascending by id.",
    args: {
      input: { type: new GraphQLNonNull(PushMessageFilter), description: "Which messages" }
    },
    resolve: (_source, args, context, info) => read(args, context, payloadsOf(info))
  }
}

/** How often the payload of each message is asked for, under whatever aliases. */
const payloadsOf = ({ fieldNodes, fragments }: GraphQLResolveInfo): number => {
  const count = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + (selection.name.value === "message" ? 1 : 0)
      const { selectionSet } = selection.kind === Kind.INLINE_FRAGMENT
        ? selection
        : fragments[selection.name.value]!
      return sum + count(selectionSet)
    }, 0)
  return fieldNodes.reduce((sum, { selectionSet }) => sum + count(selectionSet!), 0)
}

const tooMuchText = ofCatalogue(new TooManyMessages({}))
