/**
 * The types of shipments and pallets: what core's views show, and what is read only when it is selected (D13.2, D13.4, D13.5,
 * D13.12).
 */
import { Discrepancy } from "@dockline/core/Discrepancies"
import { ExceptionView } from "@dockline/core/ExceptionView"
import { PalletView } from "@dockline/core/PalletView"
import { ShipmentItemView, ShipmentView } from "@dockline/core/View"
import { GraphQLNonNull } from "graphql"
import type { GraphQLObjectType } from "graphql"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"
import { connectionType } from "./SchemaConnections.ts"
import { makeFields } from "./SchemaLists.ts"
import type { OutputTypes } from "./SchemaTypes.ts"

const connection = (...given: Parameters<typeof connectionType>) =>
  new GraphQLNonNull(connectionType(...given))

/** The type of pallets, and that of their pages. */
export const palletType = (types: OutputTypes) => {
  const node = types.object(PalletView)
  const order = "id order on a shipment, newest first otherwise"
  return { node, connection: connection(node, "Pallet", "pallets", order) }
}

/** The type of pages of exceptions. */
export const exceptionConnection = (types: OutputTypes) =>
  connection(
    types.object(ExceptionView),
    "Exception",
    "exceptions",
    "id order on a shipment, newest first otherwise"
  )

/** The types of the pages that a shipment has. */
interface Connections {
  readonly pallets: GraphQLNonNull<GraphQLObjectType>
  readonly exceptions: GraphQLNonNull<GraphQLObjectType>
}

/** Makes the type of shipments. Fields that are made later of core's views get it too. */
export const shipmentType = (
  services: SchemaServices,
  types: OutputTypes,
  { exceptions, pallets }: Connections
): GraphQLObjectType => {
  const { list } = makeFields(services, types)
  return types.object(ShipmentView, {
    items: list("items", connection(types.object(ShipmentItemView), "Item", "items")),
    pallets: list("shipmentPallets", pallets),
    discrepancies: list(
      "discrepancies",
      connection(types.object(Discrepancy), "Discrepancy", "discrepancies", "the order of items and pallets")
    ),
    exceptions: list("shipmentExceptions", exceptions)
  })
}
