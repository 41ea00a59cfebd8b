/**
 * The types of shipments and pallets: what core's views show, and what is read only when it is selected (D13.2).
 */
import { PalletView } from "@dockline/core/PalletView"
import { ShipmentView } from "@dockline/core/View"
import { Effect } from "effect"
import { GraphQLNonNull } from "graphql"
import type { GraphQLObjectType } from "graphql"
import { makeReadWithin } from "../resolvers/SchemaAllowance.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { connectionOf, connectionType, listQuery, pageArgs } from "./SchemaConnections.ts"
import type { PageArgs } from "./SchemaConnections.ts"
import type { OutputTypes } from "./SchemaTypes.ts"

/** The type of pallets, and that of their pages. */
export const palletType = (types: OutputTypes) => {
  const node = types.object(PalletView)
  const order = "id order on a shipment, newest first otherwise"
  return { node, connection: new GraphQLNonNull(connectionType(node, "Pallet", "pallets", order)) }
}

/** Makes the type of shipments. Fields that are made later of core's views get it too. */
export const shipmentType = (
  services: SchemaServices,
  types: OutputTypes,
  { connection }: ReturnType<typeof palletType>
): GraphQLObjectType => {
  const { pallets } = services
  const readWithin = makeReadWithin(services)
  return types.object(ShipmentView, {
    pallets: {
      type: connection,
      description: "Its pallets, in id order; none of a shipment that a dry run would create",
      args: pageArgs,
      resolve: (shipment, args: PageArgs, context, info) => {
        const { id } = shipment as ShipmentView
        const read = Effect.flatMap(
          listQuery(args),
          (page) =>
            id === 0
              ? Effect.succeed({ items: [], next: null })
              : pallets.ofShipment(String(id), page, context.session.principal)
        )
        return readWithin(
          Effect.map(read, connectionOf),
          ({ nodes }) => nodes,
          "connection",
          context,
          info
        )
      }
    }
  })
}
