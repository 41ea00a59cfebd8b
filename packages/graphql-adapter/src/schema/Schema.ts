/**
 * The schema: a function from core's services, usable with any GraphQL server.
 *
 * ```ts
 * const schema = makeSchema({ intake, shipments, pallets, exceptions, messages, log, directory, documentReader })
 * const schema = makeSchema(yield* gatherServices()) // the same from where an effect runs
 * // the context value of each operation, a new object: { session, correlationId }
 * ```
 */
import { GraphQLObjectType, GraphQLSchema } from "graphql"
import { makeServices } from "../resolvers/SchemaServices.ts"
import type { GivenServices } from "../resolvers/SchemaServices.ts"
import { pushMessage, pushMessages } from "./SchemaMessages.ts"
import { mutations } from "./SchemaMutations.ts"
import { outputNotes } from "./SchemaNotes.ts"
import { reads } from "./SchemaReads.ts"
import { outputTypes } from "./SchemaTypes.ts"

/**
 * Makes the schema. Its resolvers expect a `GraphqlContext` as the context value, a new one for each operation: what
 * an operation has taken of the limits of its answer is counted by it.
 */
export const makeSchema = (given: GivenServices): GraphQLSchema => {
  const services = makeServices(given)
  const types = outputTypes(outputNotes(services.rules))
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
