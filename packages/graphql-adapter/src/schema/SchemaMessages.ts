/**
 * Messages in the schema (D8.1, D8.2, D8.3): `pushMessages` reads history, and `pushMessage` follows messages after an id, first history
 * and then live.
 *
 * Guarantee: an answer of `pushMessages` whose payloads have more than `answerTextLimit` characters is an error, and never cut. A payload
 * counts as often as the answer shows it, and once if it is not selected, because it is loaded. Other fields are not counted.
 */
import { kindsOf } from "@dockline/core/capability/DeclaredOperations"
import type { Follower, FollowError, ReplayPage } from "@dockline/core/messages/Follower"
import { shownSentAt } from "@dockline/core/messages/Message"
import type { Message, MessageQuery } from "@dockline/core/messages/Message"
import { MessageView } from "@dockline/core/messages/MessageView"
import { filledOrUndefined } from "@dockline/core/places/ListQuery"
import { TooManyMessages } from "@dockline/core/values/Errors"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { MessageType } from "@dockline/core/values/Vocabulary"
import { Effect, Exit, Record, Schedule, SchemaAST, Scope, Stream } from "effect"
import {
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString
} from "graphql"
import type { GraphQLEnumType, GraphQLFieldConfig, GraphQLInputFieldConfigMap } from "graphql"
import { allowanceOf, makeInTime, shapeOf } from "../resolvers/AnswerLimits.ts"
import { ofCatalogue } from "../resolvers/Run.ts"
import type { GraphqlContext, SchemaServices } from "../resolvers/Run.ts"
import { listOf, refusalOf, text, textFaults } from "./SchemaLists.ts"
import { DateTime, enumType, Json, MessageId } from "./SchemaTypes.ts"
import type { Leaf } from "./SchemaTypes.ts"

/** Runs the read of a page of history within limits, such as one on concurrent reads. */
export type PageRead = <A, E>(read: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** The pause before an unavailable storage is read again, in milliseconds. */
const retryMillis = 500

/** The size of a page of a replay: about the amount after which a socket is congested. */
const page: ReplayPage = { messages: 100, text: 256 * 1024 }

type StreamError = Exclude<FollowError, { _tag: "StorageUnavailable" }>

/**
 * The messages of a subscription, as an async iterable for one consumer. The adapter's own transports use the follower inside, which needs
 * no promise for each message.
 */
export class MessageStream implements AsyncIterable<Message> {
  readonly query: MessageQuery
  readonly follower: Follower
  readonly scope: Scope.Closeable

  /** Closing the stream closes the scope of the follower. */
  constructor(query: MessageQuery, follower: Follower, scope: Scope.Closeable) {
    this.query = query
    this.follower = follower
    this.scope = scope
  }

  /** The next messages, at least one. Waits for an unavailable storage; no message is lost meanwhile. */
  get next(): Effect.Effect<ReadonlyArray<Message>, StreamError> {
    return patiently(this.follower.next)
  }

  /**
   * The next page of history, possibly empty, while the follower is not live. If the storage is unavailable, it waits and tries again; it waits
   * outside of `read`, so that it holds no place in its limits.
   */
  replay(read: PageRead): Effect.Effect<ReadonlyArray<Message>, StreamError> {
    return patiently(read(this.follower.replay))
  }

  close(): void {
    Effect.runFork(Scope.close(this.scope, Exit.void))
  }

  /** Iterates until the subscription cannot continue; then throws a GraphQL error. */
  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return Stream.toAsyncIterable(
      Stream.fromIterableEffectRepeat(this.next).pipe(
        Stream.mapError(ofCatalogue),
        Stream.ensuring(Effect.sync(() => this.close()))
      )
    )[Symbol.asyncIterator]()
  }
}

const patiently = <A>(effect: Effect.Effect<A, FollowError>): Effect.Effect<A, StreamError> =>
  effect.pipe(
    Effect.retry({
      while: ({ _tag }) => _tag === "StorageUnavailable",
      schedule: Schedule.spaced(retryMillis)
    }),
    Effect.catchTag("StorageUnavailable", Effect.die)
  )

/** Follows the messages of a query for a client; rejects with a GraphQL error when the client may not read them. */
export const follow = async (
  services: SchemaServices,
  query: MessageQuery,
  afterId: number | undefined,
  context: GraphqlContext
): Promise<MessageStream> => {
  const { messages, log, config, run } = services
  const scope = Scope.makeUnsafe()
  const opening = messages.authorize(query, context.session.principal).pipe(
    Effect.andThen(log.follow(query, { afterId, buffer: config.subscriptionBuffer, page })),
    Effect.onError(() => Scope.close(scope, Exit.void)),
    Scope.provide(scope)
  )
  return new MessageStream(query, await run(opening, context), scope)
}

/** A field of a message: never null, and resolved synchronously, with the description that REST has. */
const leaf = (name: keyof MessageView, type: Leaf, resolve: (message: Message) => unknown) => ({
  type: new GraphQLNonNull(type),
  description: SchemaAST.resolveDescription(MessageView.fields[name].ast),
  resolve
})

/** The fields of a message; `types` is the enum of the types of messages. */
export const fieldsOfMessage = (
  types: GraphQLEnumType
): Readonly<Record<keyof MessageView, ReturnType<typeof leaf>>> => ({
  id: leaf("id", MessageId, ({ id }) => id),
  businessSlug: leaf("businessSlug", GraphQLString, ({ business }) => business),
  facilitySlug: leaf("facilitySlug", GraphQLString, ({ facility }) => facility),
  messageType: leaf("messageType", types, ({ type }) => type),
  message: leaf("message", Json, ({ json }) => JSON.parse(json)),
  sentAt: leaf("sentAt", DateTime, ({ sentAt }) => shownSentAt(sentAt))
})

export const messageName = "PushMessage"

const defaultTypes: ReadonlyArray<MessageType> = ["PALLET_EVENT"]

interface MessageFilter {
  readonly businessSlug: string
  readonly facilitySlug?: string | null
  readonly messageTypes?: ReadonlyArray<MessageType> | null
}

/** The query for the filter in the argument `name`. Throws the refusal of a bad filter. */
export const queryOf = (
  { businessSlug, facilitySlug }: Omit<MessageFilter, "messageTypes">,
  name: string,
  messageTypes?: ReadonlyArray<MessageType> | null
): MessageQuery => {
  // An absent argument or an explicit null means the default.
  const types = Array.from(new Set(messageTypes ?? defaultTypes))
  const refusal = refusalOf([
    ...textFaults({ [`${name}.businessSlug`]: businessSlug, [`${name}.facilitySlug`]: facilitySlug }),
    ...(types.length > 0 ? [] : [{ path: `${name}.messageTypes`, detail: "must name at least one type" }])
  ])
  if (refusal !== undefined) throw ofCatalogue(refusal)
  return { business: businessSlug, facility: filledOrUndefined(facilitySlug ?? undefined), types }
}

interface HistoryInput extends MessageFilter {
  readonly since: Timestamp
  readonly afterId?: number | null
  readonly limit?: number | null
}

/** Reads the messages of `pushMessages`; the answer shows each payload `copies` times, or not at all. */
export type ReadMessages = (
  args: { readonly input?: HistoryInput },
  context: GraphqlContext,
  copies: number
) => Promise<ReadonlyArray<Message>>

export const makeReadMessages = (services: SchemaServices): ReadMessages => {
  const { config: { answerTextLimit }, messages } = services
  const inTime = makeInTime(services)
  return async ({ input }, context, copies) => {
    // The schema requires the input.
    const { since, afterId, limit, messageTypes, ...filter } = input!
    const request = {
      ...queryOf(filter, "input", messageTypes),
      since,
      afterId: afterId ?? undefined,
      limit: limit ?? undefined
    }
    const allowance = allowanceOf(context)
    return allowance.load(
      undefined,
      JSON.stringify(["pushMessages", request]),
      () => {
        if (allowance.used >= answerTextLimit) throw tooMuchText
        return inTime(messages.history(request, context.session.principal), context, true)
      },
      (list) => {
        for (const { json } of list) allowance.used += json.length * Math.max(1, copies)
        if (allowance.used > answerTextLimit) throw tooMuchText
      }
    )
  }
}

const tooMuchText = ofCatalogue(new TooManyMessages({}))

interface SubscriptionArgs {
  readonly filter: MessageFilter & { readonly afterId?: number | null }
}

/**
 * The query `pushMessages`, and the subscription `pushMessage`, whose source events are {@link Message}s. Their enum `MessageType` has the
 * types of all capabilities of the service.
 */
export const messageRootFields = (services: SchemaServices): {
  readonly pushMessages: GraphQLFieldConfig<unknown, GraphqlContext>
  readonly pushMessage: GraphQLFieldConfig<Message, GraphqlContext, SubscriptionArgs>
} => {
  const types = enumType(
    "MessageType",
    "What a message is about.",
    Record.map(kindsOf(services.registry.capabilities), ({ about }) => about)
  )
  const PushMessage = new GraphQLObjectType<Message, GraphqlContext>({
    name: messageName,
    description: "A message to the customer, with the same content as the webhook's.",
    fields: fieldsOfMessage(types)
  })
  const filterOf = (name: string, description: string, fields: GraphQLInputFieldConfigMap) => ({
    type: new GraphQLNonNull(
      new GraphQLInputObjectType({
        name,
        description,
        fields: {
          businessSlug: { type: text, description: "Slug of the business" },
          facilitySlug: {
            type: GraphQLString,
            description:
              "Slug of a facility; without it, all facilities: the client needs permission for the whole business"
          },
          messageTypes: {
            type: new GraphQLList(new GraphQLNonNull(types)),
            description: "Which types of messages",
            default: { value: defaultTypes }
          },
          ...fields
        }
      })
    ),
    description: "Which messages"
  })
  const read = makeReadMessages(services)
  return {
    pushMessages: {
      type: listOf(PushMessage),
      description: "The messages since a time, ascending by id.",
      args: {
        input: filterOf("PushMessageFilter", "Which messages of the past.", {
          since: { type: new GraphQLNonNull(DateTime), description: "Messages sent at this time or later" },
          afterId: {
            type: MessageId,
            description: "Messages with higher ids only: the id of the last message of the page before"
          },
          limit: {
            type: GraphQLInt,
            description:
              "The most messages of the answer; without it all of them, or an error when they are too many"
          }
        })
      },
      resolve: (_source, args, context, info) =>
        read(args, context, shapeOf(info).filter(({ name }) => name === "message").length)
    },
    pushMessage: {
      type: new GraphQLNonNull(PushMessage),
      description:
        "Each message as it is published; with afterId, all messages since that one come first. A " +
        "consumer that falls behind is disconnected (close code 4429, after which common clients do not retry by " +
        "themselves): connect again, and subscribe with afterId, the id of the last processed message.",
      args: {
        filter: filterOf("PushMessageSubscriptionFilter", "Which messages to follow.", {
          afterId: {
            type: MessageId,
            description:
              "Replays every message with a higher id first, without gap or repeat; without it, live only"
          }
        })
      },
      subscribe: (_source, { filter }, context) =>
        follow(
          services,
          queryOf(filter, "filter", filter.messageTypes),
          filter.afterId ?? undefined,
          context
        ),
      resolve: (message) => message
    }
  }
}
