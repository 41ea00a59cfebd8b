/**
 * The operations that this client calls, by the names of their methods.
 *
 * Guarantee: only types are imported, so no code of the service becomes part of a program that uses the client. The compiler
 * rejects a route that differs from its declaration, and a declared operation without a route.
 */
import type * as Operation from "@dockline/core/access/Operation"
import type { Operations } from "@dockline/core/operations/Operations"
import type { Page } from "@dockline/core/values/Page"

/** Kind, method and path of each operation. */
export const routes = {
  submit: "upload POST /v1/documents",
  documents: "list GET /v1/documents",
  document: "read GET /v1/documents/:id",
  shipment: "read GET /v1/shipments/:id",
  shipments: "list GET /v1/shipments",
  orders: "list GET /v1/orders",
  items: "list GET /v1/shipments/:id/items",
  discrepancies: "list GET /v1/shipments/:id/discrepancies",
  shipmentPallets: "list GET /v1/shipments/:id/pallets",
  pallet: "read GET /v1/shipments/:id/pallets/:palletId",
  dockBoard: "read GET /v1/dock-boards/:business/:facility",
  pallets: "list GET /v1/pallets",
  search: "list GET /v1/search",
  messages: "list GET /v1/messages",
  recordPallet: "write POST /v1/pallet-events",
  arrive: "write POST /v1/shipments/:id/arrive",
  depart: "write POST /v1/shipments/:id/depart",
  checkIn: "write POST /v1/shipments/:id/check-in",
  link: "write POST /v1/shipments/:id/link",
  cancel: "write POST /v1/shipments/:id/cancel"
} as const satisfies {
  readonly [Name in keyof Operations]: `${Operations[Name]["kind"]} ${Operations[Name]["rest"]}`
}

/** The name of an operation. */
export type Name = keyof Operations

/** The REST answer of an operation. */
export type AnswerOf<Op> = Op extends Operation.AnyWrite ? Operation.RestView<Op>["Type"]
  : Op extends Operation.AnyList ? Page<Op["row"]["Type"]>
  : Op extends { readonly view: { readonly Type: infer Answer } } ? Answer
  : never
