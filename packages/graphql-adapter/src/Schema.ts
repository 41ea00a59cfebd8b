/**
 * The schema: a function from core's services, usable with any GraphQL server.
 *
 * ```ts
 * const schema = makeSchema(services)
 * // the context value of each operation: { session, correlationId }
 * ```
 */
import { GraphQLObjectType, GraphQLSchema } from "graphql"
import { pushMessages } from "./SchemaMessages.ts"
import { mutations } from "./SchemaMutations.ts"
import { outputNotes } from "./SchemaNotes.ts"
import { reads } from "./SchemaReads.ts"
import type { SchemaServices } from "./SchemaServices.ts"
import { pushMessage } from "./SchemaSubscription.ts"
import { OutputTypes } from "./SchemaTypes.ts"

/** Makes the schema. Its resolvers expect a `GraphqlContext` as the context value. */
export const makeSchema = (services: SchemaServices): GraphQLSchema => {
  const types = new OutputTypes(outputNotes)
  return new GraphQLSchema({
    description: "Shipments, orders and pallets at the docks, and the messages about them.",
    query: new GraphQLObjectType({
      name: "Query",
      description: "What can be read.",
      fields: { pushMessages: pushMessages(services), ...reads(services, types) }
    }),
    mutation: new GraphQLObjectType({
      name: "Mutation",
      description: "What can be done. Each mutation is all or nothing.",
      fields: mutations(services, types)
    }),
    subscription: new GraphQLObjectType({
      name: "Subscription",
      description: "What can be followed.",
      fields: { pushMessage: pushMessage(services) }
    })
  })
}
