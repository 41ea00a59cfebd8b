/**
 * The operations of the REST interface that this client calls, with the types that the interface declares for them.
 *
 * Guarantee: only types are imported, so nothing of the service is in a program that uses the client. The compiler refuses
 * a method or a path that is not the declared one.
 */
import type { Api } from "@dockline/http-adapter/Api"
import type { HttpApi, HttpApiClient, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

type Endpoints = typeof Api extends HttpApi.HttpApi<string, infer Groups> ? HttpApiGroup.Endpoints<Groups>
  : never

type Endpoint<Name extends Endpoints["identifier"]> = HttpApiEndpoint.WithIdentifier<Endpoints, Name>

/** Method and path of each operation. */
export const routes = {
  submitDocument: "POST /v1/documents",
  listDocuments: "GET /v1/documents",
  getDocument: "GET /v1/documents/:id",
  getShipment: "GET /v1/shipments/:id",
  listShipments: "GET /v1/shipments",
  listOrders: "GET /v1/orders",
  listItems: "GET /v1/shipments/:id/items",
  listDiscrepancies: "GET /v1/shipments/:id/discrepancies",
  listShipmentPallets: "GET /v1/shipments/:id/pallets",
  getPallet: "GET /v1/shipments/:id/pallets/:palletId",
  listPallets: "GET /v1/pallets",
  search: "GET /v1/search",
  listExceptions: "GET /v1/exceptions",
  listShipmentExceptions: "GET /v1/shipments/:id/exceptions",
  listMessages: "GET /v1/messages",
  recordPalletEvent: "POST /v1/pallet-events",
  arriveShipment: "POST /v1/shipments/:id/arrive",
  departShipment: "POST /v1/shipments/:id/depart",
  linkShipments: "POST /v1/shipments/:id/link",
  cancelShipment: "POST /v1/shipments/:id/cancel",
  reportException: "POST /v1/shipments/:id/exceptions",
  resolveException: "POST /v1/shipments/:id/exceptions/:exceptionId/resolve"
} as const satisfies {
  readonly [Name in Endpoints["identifier"]]?: `${Endpoint<Name>["method"]} ${Endpoint<Name>["path"]}`
}

/** The name of an operation, as the OpenAPI document has it. */
export type Operation = keyof typeof routes

/** The body of an operation. */
export type Payload<Name extends Operation> = Endpoint<Name>["~Payload"]["Type"]

/** The answer of an operation. */
export type Answer<Name extends Operation> = HttpApiClient.SuccessType<Endpoint<Name>["~Success"]>

type DeclaredQuery<Name extends Operation> = Endpoint<Name>["~Query"]["Type"]

/** The same fields, which `undefined` leaves out too; `after` as the `next` of a page has it. */
type Lenient<Fields> = {
  readonly [Name in keyof Fields]:
    | Fields[Name]
    | ({} extends Pick<Fields, Name> ? undefined : never)
    | (Name extends "after" ? string | null : never)
}

/** The filters of a list. `after` is the `next` of the page before; without it, or with `null`, the list begins anew. */
export type Query<Name extends Operation> = Lenient<DeclaredQuery<Name>>

type Part<Name extends string, Value> = [Value] extends [never] ? {} : { readonly [Key in Name]: Value }

/** What an operation is called with. */
export type Given<Name extends Operation> =
  & Part<"params", Endpoint<Name>["~Params"]["Type"]>
  & Part<"query", Query<Name>>
  & Part<"payload", Payload<Name>>
