/**
 * Fields that read something within the limits of their operation (D8.8).
 */
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import type { Effect } from "effect"
import type { GraphQLResolveInfo } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { makeReadWithin } from "../resolvers/SchemaAllowance.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"

type Resolve<Source, Args> = (
  source: Source,
  args: Args,
  context: GraphqlContext,
  info: GraphQLResolveInfo
) => unknown

type Read<Source, Args, A> = (
  source: Source,
  args: Args,
  context: GraphqlContext
) => Effect.Effect<A, CatalogueError>

/** Makes the making of such fields. */
export const makeReadFields = (services: SchemaServices) => {
  const readWithin = makeReadWithin(services)
  return {
    /** A field that reads a list of entities. */
    list:
      <Source, Args, A>(read: Read<Source, Args, ReadonlyArray<A>>): Resolve<Source, Args> =>
      (source, args, context, info) =>
        readWithin({ source, args, context, info }, read(source, args, context), (found) => found, "list"),

    /** A field that reads one entity, or a value. */
    entity:
      <Source, Args, A>(read: Read<Source, Args, A>): Resolve<Source, Args> =>
      (source, args, context, info) =>
        readWithin({ source, args, context, info }, read(source, args, context), (found) => [found], "entity")
  }
}

/** See {@link makeReadFields}. */
export type ReadFields = ReturnType<typeof makeReadFields>
