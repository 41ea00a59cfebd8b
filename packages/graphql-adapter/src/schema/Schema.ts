/**
 * The schema: a function from core's services, usable with any GraphQL server.
 *
 * ```ts
 * const schema = makeSchema(yield* gatherServices())
 * // the context value of each operation, a new object: { session, correlationId }
 * ```
 */
import { canRead } from "@dockline/core/access/Access"
import { BusinessView, FacilityView } from "@dockline/core/operator/OperatorView"
import { refusalAt } from "@dockline/core/places/Authorize"
import type { PlaceSlugs } from "@dockline/core/places/Authorize"
import { Effect } from "effect"
import { GraphQLObjectType, GraphQLSchema, GraphQLString } from "graphql"
import type { GraphQLFieldConfigMap } from "graphql"
import type { GraphqlContext, SchemaServices } from "../resolvers/Run.ts"
import { listOf, makeFields, refusalOf, text, textFaults } from "./SchemaLists.ts"
import { messageFields } from "./SchemaMessages.ts"
import { mutations } from "./SchemaMutations.ts"
import { outputNotes } from "./SchemaNotes.ts"
import { outputTypes } from "./SchemaTypes.ts"
import type { OutputTypes } from "./SchemaTypes.ts"

export { makeReadWithin } from "../resolvers/AnswerLimits.ts"
export type { FieldRequest } from "../resolvers/AnswerLimits.ts"
export type { GraphqlContext } from "../resolvers/Run.ts"
export type { SchemaServices } from "../resolvers/Run.ts"
export { refusalOf, textFaults } from "./SchemaLists.ts"
export { follow } from "./SchemaMessages.ts"
export { queryOf } from "./SchemaMessages.ts"
export { makeRun } from "./SchemaMutations.ts"
export { Upload } from "./SchemaTypes.ts"

/**
 * The GraphQL part of a capability beside its operations: its own schema on its own path (ADR 31). The engine, sockets, limits, sessions
 * and metrics are those of the service's schema.
 *
 * Guarantee: resolvers that use these functions stay within the limits of their operation (D8.8), and are counted and traced; errors that
 * clients see are those of the catalogue.
 *
 * ```ts
 * const weather: GraphqlPart = {
 *   name: "weather",
 *   path: "/weather/graphql",
 *   schemaOf: (services) => {
 *     const read = makeReadWithin(services)
 *     return new GraphQLSchema({ query: new GraphQLObjectType({ name: "Query", fields: { … } }) })
 *   }
 * }
 * GraphqlAdapter.layer(config, [weather])
 * ```
 */
export interface GraphqlPart {
  /** The name of the capability. A service that leaves it out does not serve the schema. */
  readonly name: string
  /** The path of the schema, under the base URL. */
  readonly path: `/${string}`
  /** Makes the schema, at the first request for its path. */
  readonly schemaOf: (services: SchemaServices) => GraphQLSchema
}

/** A business, and a facility of it if one is named, that the client may read; `texts` are the arguments that name them. */
const placeOf = Effect.fnUntraced(function*(
  { directory }: SchemaServices,
  { session: { principal } }: GraphqlContext,
  slugs: PlaceSlugs,
  texts: Readonly<Record<string, string>>
) {
  const invalid = refusalOf(textFaults(texts))
  if (invalid !== undefined) return yield* invalid
  const business = yield* directory.describe(slugs.business)
  const facility = business?.facilities.find(({ slug }) => slug === slugs.facility) ?? null
  const refusal = refusalAt({ business, facility }, principal, "read", slugs)
  if (refusal !== undefined) return yield* refusal
  const facilities = business?.facilities.filter(({ slug }) => canRead(principal, slugs.business, slug))
  return { business: { ...business, facilities }, facility }
})

/** The reads: businesses, facilities, shipments, orders (D8.4). Each calls the operation that REST calls. */
const reads = (
  services: SchemaServices,
  types: OutputTypes
): GraphQLFieldConfigMap<unknown, GraphqlContext> => {
  const Facility = types.object(FacilityView, {
    docks: { type: listOf(GraphQLString), description: "The slugs of its docks" }
  })
  const Business = types.object(BusinessView, {
    facilities: {
      type: listOf(Facility),
      description: "Its facilities that the client may see, in slug order"
    }
  })
  const show = (context: GraphqlContext, slugs: PlaceSlugs, texts: Readonly<Record<string, string>>) =>
    services.run(placeOf(services, context, slugs, texts), context)
  return {
    business: {
      type: Business,
      description: "A business, as far as the client may see it.",
      args: { slug: { type: text, description: "Its slug" } },
      resolve: async (_source, args: { readonly slug: string }, context) =>
        (await show(context, { business: args.slug }, args)).business
    },
    facility: {
      type: Facility,
      description: "A facility of a business.",
      args: {
        business: { type: text, description: "Slug of the business" },
        slug: { type: text, description: "Its slug" }
      },
      resolve: async (_source, args: { readonly business: string; readonly slug: string }, context) =>
        (await show(context, { business: args.business, facility: args.slug }, args)).facility
    },
    ...makeFields(services, types)
  }
}

/**
 * Makes the schema. Its resolvers expect a `GraphqlContext` as the context value, a new one for each operation, because it counts the use
 * of the limits of an answer.
 */
export const makeSchema = (services: SchemaServices): GraphQLSchema => {
  const { capabilities } = services.registry
  const { pushMessage, pushMessages } = messageFields(services)
  const types = outputTypes(outputNotes(services.rules, capabilities))
  return new GraphQLSchema({
    description: "Shipments, orders and pallets at the docks, and the messages about them.",
    query: new GraphQLObjectType({
      name: "Query",
      description: "What can be read.",
      fields: { pushMessages, ...reads(services, types) }
    }),
    mutation: new GraphQLObjectType({
      name: "Mutation",
      description: "The mutations, each of which is all or nothing.",
      fields: mutations(services, types)
    }),
    subscription: new GraphQLObjectType({
      name: "Subscription",
      description: "What can be followed.",
      fields: { pushMessage }
    })
  })
}
