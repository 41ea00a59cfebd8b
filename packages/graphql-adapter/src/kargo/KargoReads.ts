/**
 * The queries of Kargo's schema, and what is read of that which they show (D17.1).
 */
import { everything, readScopes } from "@dockline/core/Access"
import { namePage } from "@dockline/core/Page"
import { Effect } from "effect"
import type { GraphQLResolveInfo } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { makeLists } from "./KargoLists.ts"
import { makeBusinessReads, makeFacilityReads } from "./PlaceReads.ts"
import { makeHistory } from "./PushMessages.ts"
import { makeReadFields } from "./ReadFields.ts"
import { makeShipmentReads } from "./ShipmentReads.ts"
import { shipmentOf } from "./ShipmentShown.ts"

/** Makes the resolvers of types, by field. What has none is a property of what is shown. */
export const makeReads = (services: SchemaServices) => {
  const { directory, shipments } = services
  const lists = makeLists(services)
  const fields = makeReadFields(services)
  const { entity, list } = fields
  const history = makeHistory(services)

  const businesses = ({ session: { principal } }: GraphqlContext) => {
    const named = readScopes(principal).map(({ business }) => business)
    const scope = named.includes(everything) ? everything : Array.from(new Set(named))
    return (after: string) => directory.list(scope, namePage({ after }))
  }

  return {
    Query: {
      ping: () => true,
      businesses: list((_source: unknown, _args: unknown, context) =>
        lists.all(businesses(context), context)
      ),
      shipment: entity((_source: unknown, { id }: { readonly id: number }, { session: { principal } }) =>
        Effect.map(shipments.get(String(id), principal), shipmentOf)
      ),
      pushMessages: (source: unknown, args: never, context: GraphqlContext, info: GraphQLResolveInfo) =>
        history({ source, args, context, info }),
      kargoAgent: () => null
    },
    Business: makeBusinessReads(services, fields),
    Facility: makeFacilityReads(services, lists, fields),
    ...makeShipmentReads(lists, fields)
  }
}
