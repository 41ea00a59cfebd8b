/**
 * The types of shipments and pallets: what core's views show, and what is read only when it is selected (D13.2, D13.4, D13.5).
 */
import type { Principal } from "@dockline/core/Access"
import { Discrepancy } from "@dockline/core/Discrepancies"
import { ExceptionView } from "@dockline/core/ExceptionView"
import type { ListPage } from "@dockline/core/internal/places/ListQuery"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import type { Page } from "@dockline/core/Page"
import { PalletView } from "@dockline/core/PalletView"
import { ShipmentView } from "@dockline/core/View"
import { Effect } from "effect"
import { GraphQLNonNull } from "graphql"
import type { GraphQLObjectType, GraphQLResolveInfo } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"
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

/** The type of pages of exceptions. */
export const exceptionConnection = (types: OutputTypes) =>
  new GraphQLNonNull(
    connectionType(
      types.object(ExceptionView),
      "Exception",
      "exceptions",
      "id order on a shipment, newest first otherwise"
    )
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
  connections: Connections
): GraphQLObjectType => {
  const { exceptions, pallets, shipments } = services
  const readWithin = makeReadWithin(services)
  const none = Effect.succeed({ items: [], next: null })

  /** A field that reads a list of the shipment, unless a dry run would create it, which has the id 0. */
  const listed = <Node, E extends CatalogueError>(
    type: GraphQLNonNull<GraphQLObjectType>,
    description: string,
    list: (id: string, page: ListPage, principal: Principal) => Effect.Effect<Page<Node>, E>,
    cursorOf: (node: Node, index: number, after: number) => string | number
  ) => ({
    type,
    description,
    args: pageArgs,
    resolve: (
      shipment: unknown,
      args: PageArgs,
      context: GraphqlContext,
      info: GraphQLResolveInfo
    ) => {
      const { id } = shipment as ShipmentView
      const read = Effect.gen(function*() {
        const page = yield* listQuery(args)
        const found = yield* id === 0 ? none : list(String(id), page, context.session.principal)
        return connectionOf(found, (node, index) => cursorOf(node, index, page.after))
      })
      return readWithin({ source: shipment, args, context, info }, read, ({ nodes }) => nodes, "connection")
    }
  })

  return types.object(ShipmentView, {
    pallets: listed(
      connections.pallets,
      "Its pallets, in id order; none of a shipment that a dry run would create",
      pallets.ofShipment,
      ({ id }) => id
    ),
    discrepancies: listed(
      new GraphQLNonNull(
        connectionType(
          types.object(Discrepancy),
          "Discrepancy",
          "discrepancies",
          "the order of items and pallets"
        )
      ),
      "Where what has passed differs from what was expected; provisional until it departs",
      shipments.discrepancies,
      (_node, index, after) => after + index + 1
    ),
    exceptions: listed(
      connections.exceptions,
      "What people have reported to be wrong, resolved or not, in id order",
      exceptions.ofShipment,
      ({ id }) => id
    )
  })
}
