/**
 * The subscription of the schema: `pushMessage`, history after an id and then live (D8.3).
 */
import type { Message } from "@dockline/core/Message"
import { GraphQLInputObjectType, GraphQLNonNull } from "graphql"
import type { GraphQLFieldConfig } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { follow } from "./MessageStream.ts"
import { MessageId } from "./Scalars.ts"
import { filterFields, PushMessage, queryOf } from "./SchemaMessages.ts"
import type { MessageFilter } from "./SchemaMessages.ts"

export interface SubscriptionFilter extends MessageFilter {
  readonly afterId?: number | null
}

const PushMessageSubscriptionFilter = new GraphQLInputObjectType({
  name: "PushMessageSubscriptionFilter",
  description: "Which messages to follow.",
  fields: {
    ...filterFields,
    afterId: {
      type: MessageId,
      description:
        "Replays every message with a higher id first, without gap or repeat; without it, live only"
    }
  }
})

/** The subscription `pushMessage`. Its source events are {@link Message}s. */
export const pushMessage = (services: SchemaServices): GraphQLFieldConfig<Message, GraphqlContext> => ({
  type: new GraphQLNonNull(PushMessage),
  description:
    "Each message as it is published; with afterId, what was published since that message first. A " +
    "consumer that falls behind is disconnected (close code 4429, after which the common clients do not try again by " +
    "themselves): connect anew, and subscribe with afterId, the id of the last message processed.",
  args: {
    filter: { type: new GraphQLNonNull(PushMessageSubscriptionFilter), description: "Which messages" }
  },
  subscribe: (_source, args: { readonly filter?: SubscriptionFilter }, context) =>
    follow(services, queryOf(args.filter!, "filter"), args.filter!.afterId ?? undefined, context),
  resolve: (message) => message
})
