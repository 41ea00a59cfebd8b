/**
 * The reads of the schema: businesses, facilities, shipments, orders (D8.4). Each calls the operation that REST calls.
 */
import { canRead } from "@dockline/core/Access"
import { BusinessView, FacilityView } from "@dockline/core/internal/operator/OperatorView"
import { refusalAt } from "@dockline/core/internal/places/Authorize"
import type { PlaceSlugs } from "@dockline/core/internal/places/Authorize"
import { Effect } from "effect"
import { GraphQLString } from "graphql"
import type { GraphQLFieldConfigMap } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { listOf, refusalOf, text, textFaults } from "./SchemaConnections.ts"
import { makeFields } from "./SchemaLists.ts"
import type { OutputTypes } from "./SchemaTypes.ts"

/** What there is at a place that the client may read; `texts` are the arguments that name it. */
const described = Effect.fnUntraced(function*(
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

export const reads = (
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
  return {
    business: {
      type: Business,
      description: "A business and what the client may see of it.",
      args: { slug: { type: text, description: "Its slug" } },
      resolve: (_source, args: { readonly slug: string }, context) =>
        services.run(
          Effect.map(described(services, context, { business: args.slug }, args), ({ business }) => business),
          context
        )
    },
    facility: {
      type: Facility,
      description: "A facility of a business.",
      args: {
        business: { type: text, description: "Slug of the business" },
        slug: { type: text, description: "Its slug" }
      },
      resolve: (_source, args: { readonly business: string; readonly slug: string }, context) =>
        services.run(
          Effect.map(
            described(services, context, { business: args.business, facility: args.slug }, args),
            ({ facility }) => facility
          ),
          context
        )
    },
    ...makeFields(services, types)
  }
}
