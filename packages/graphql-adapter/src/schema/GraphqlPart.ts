/**
 * What a capability has of GraphQL beside what derives from its operations: a schema of its own, on a path of its own (ADR 31). The
 * engine, sockets, limits, sessions and metrics are those of the service's schema.
 *
 * Guarantee: what resolvers make of the functions here is within the limits of their operation (D8.8), counted, and traced; an error that
 * clients see is one of the catalogue.
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
import type { GraphQLSchema } from "graphql"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"

export { makeReadWithin } from "../resolvers/AnswerLimits.ts"
export type { FieldRequest } from "../resolvers/AnswerLimits.ts"
export type { GraphqlContext } from "../resolvers/Run.ts"
export type { SchemaServices } from "../resolvers/SchemaServices.ts"
export { follow } from "./MessageStream.ts"
export { Upload } from "./Scalars.ts"
export { refusalOf, textFaults } from "./SchemaLists.ts"
export { queryOf } from "./SchemaMessages.ts"
export { makeRun } from "./SchemaMutations.ts"

/** A schema of a capability. */
export interface GraphqlPart {
  /** The name of the capability. A service that leaves it out does not serve the schema. */
  readonly name: string
  /** The path of the schema, under the base URL. */
  readonly path: `/${string}`
  /** Makes the schema, at the first request for its path. */
  readonly schemaOf: (services: SchemaServices) => GraphQLSchema
}
