/** The interface for parts of Kargo's schema (ADR 31). */
import type { GraphQLFieldResolver } from "@dockline/graphql-adapter/schema/Graphql"
import type { GraphqlContext } from "@dockline/graphql-adapter/schema/Schema"
import type { Mutations } from "./KargoMutations.ts"
import type { Reading } from "./KargoReads.ts"

/** The resolvers of fields, by their types and their names. */
export type Resolvers = Readonly<
  Record<string, Readonly<Record<string, GraphQLFieldResolver<never, GraphqlContext, never>>>>
>

/** The part that a capability adds to Kargo's schema. */
export interface SchemaPart {
  /** The name of the capability. */
  readonly name: string
  /** Its types and its extensions of other types, in the GraphQL schema language. */
  readonly sdl: string
  /** Makes the resolvers of its fields, with `reading` for queries and `mutationOf` for mutations. */
  readonly resolvers: (reading: Reading, mutationOf: Mutations) => Resolvers
}
