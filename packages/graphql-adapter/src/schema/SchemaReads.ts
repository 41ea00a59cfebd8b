/**
 * The reads of the schema: businesses, facilities, shipments, orders (D8.4). Each calls the operation that REST calls.
 */
import { canRead, canReadSome } from "@dockline/core/Access"
import { BusinessNotFound, FacilityNotFound, Forbidden } from "@dockline/core/Errors"
import { BusinessView, FacilityView } from "@dockline/core/internal/operator/OperatorView"
import { Effect } from "effect"
import { GraphQLString } from "graphql"
import type { GraphQLFieldConfigMap } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { listOf, refusalOf, text, textFaults } from "./SchemaConnections.ts"
import { makeFields } from "./SchemaLists.ts"
import type { OutputTypes } from "./SchemaTypes.ts"

const described = Effect.fnUntraced(function*(
  { directory }: SchemaServices,
  business: string,
  texts: Readonly<Record<string, string>>
) {
  const refusal = refusalOf(textFaults(texts))
  if (refusal !== undefined) return yield* refusal
  return (yield* directory.describe(business)) ?? (yield* new BusinessNotFound({ business }))
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
      resolve: (_source, { slug }: { readonly slug: string }, context) =>
        services.run(
          Effect.gen(function*() {
            const { principal } = context.session
            const entry = yield* described(services, slug, { slug })
            if (!canReadSome(principal, slug)) {
              return yield* new Forbidden({ permission: "read", business: slug, facility: "*" })
            }
            const facilities = entry.facilities.filter((facility) => canRead(principal, slug, facility.slug))
            return { ...entry, facilities }
          }),
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
      resolve: (_source, { business, slug }: { readonly business: string; readonly slug: string }, context) =>
        services.run(
          Effect.gen(function*() {
            const { facilities } = yield* described(services, business, { business, slug })
            const facility = facilities.find((facility) => facility.slug === slug)
            if (facility === undefined) return yield* new FacilityNotFound({ business, facility: slug })
            if (canRead(context.session.principal, business, slug)) return facility
            return yield* new Forbidden({ permission: "read", business, facility: slug })
          }),
          context
        )
    },
    ...makeFields(services, types)
  }
}
