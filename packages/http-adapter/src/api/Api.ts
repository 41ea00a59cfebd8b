/**
 * The REST interface as data: paths, parameters, bodies, answers. The server, the OpenAPI document and clients derive
 * from it (WIRE.md; D5, D10, D12.3).
 *
 * It holds no implementation, so a client can import it without the server.
 */
import * as DocumentInput from "@dockline/core/DocumentInput"
import * as Field from "@dockline/core/Field"
import { IntakeResult } from "@dockline/core/Outcome"
import { PalletAnswer } from "@dockline/core/Pallet"
import * as PalletEventInput from "@dockline/core/PalletEventInput"
import * as StepInput from "@dockline/core/StepInput"
import { LocatedOrderView, ShipmentView } from "@dockline/core/View"
import { shipmentStatuses } from "@dockline/core/Vocabulary"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe } from "../openapi/OpenApiDocument.ts"
import { correlationHeader, page, pageQuery, problems } from "./ApiSchemas.ts"
import { Authorization } from "./Authorization.ts"
import { Businesses, Clients, Facilities, MessageLogs } from "./OperatorApi.ts"
import { Deliveries, WebhookEndpoints } from "./WebhookApi.ts"

/** The body of a refusal of the token endpoint (RFC 6749, section 5.2). */
export const TokenError = Schema.Struct({
  error: Schema.String.annotate({ description: "The code of RFC 6749, such as invalid_client" }),
  error_description: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "TokenError" })

const tokenErrors = (...statuses: ReadonlyArray<number>) =>
  statuses.map((status) => TokenError.pipe(HttpApiSchema.status(status)))

/** A request for an access token. */
export const TokenRequest = Schema.Struct({
  client_id: Schema.String,
  client_secret: Schema.String,
  audience: Schema.String.annotate({ description: "The GraphQL API address, {base_url}/public_graphql" }),
  grant_type: Schema.Literals(["client_credentials"])
}).annotate({ identifier: "TokenRequest" })

/** An access token. */
export const TokenResponse = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literals(["Bearer"]),
  expires_in: Schema.Int.annotate({ description: "Lifetime of the token, in seconds" }),
  scope: Schema.optionalKey(
    Schema.String.annotate({ description: "Empty, where a scope was asked for: there are none" })
  )
}).annotate({ identifier: "TokenResponse" })

/** What clients of OAuth look up before their first request (RFC 8414, section 2). */
const IssuerMetadata = Schema.Struct({
  issuer: Schema.String.annotate({ description: "`iss` of our tokens" }),
  token_endpoint: Schema.String.annotate({ description: "Where tokens are requested" }),
  jwks_uri: Schema.String.annotate({ description: "The public keys of our tokens" }),
  grant_types_supported: Schema.Array(Schema.Literals(["client_credentials"])),
  response_types_supported: Schema.Array(Schema.String).annotate({
    description: "None: nobody signs in here"
  }),
  token_endpoint_auth_methods_supported: Schema.Array(
    Schema.Literals(["client_secret_basic", "client_secret_post"])
  )
}).annotate({ identifier: "IssuerMetadata" })

const JsonWebKeySet = Schema.Struct({
  keys: Schema.Array(
    Schema.Struct({
      kty: Schema.String,
      kid: Schema.String,
      use: Schema.String,
      alg: Schema.String,
      n: Schema.String,
      e: Schema.String
    })
  )
}).annotate({ identifier: "JsonWebKeySet" })

const Health = Schema.Struct({ status: Schema.Literals(["ok"]) }).annotate({ identifier: "Health" })

const slugQuery = {
  business: Schema.optionalKey(Field.text("Business slug")),
  facility: Schema.optionalKey(Field.text("Facility slug"))
}

/** Headers of every request that writes. */
const writeHeaders = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description: "Repeat a request with the same key and body to get its first answer"
    })
  ),
  ...correlationHeader
}

const documents = (rules: DocumentInput.DocumentRules) =>
  HttpApiGroup.make("documents").add(
    HttpApiEndpoint.post("submitDocument", "/v1/documents", {
      headers: {
        "idempotency-key": writeHeaders["idempotency-key"],
        prefer: Schema.optionalKey(
          Schema.String.annotate({
            description: "return=minimal for a short answer; dry-run to write nothing"
          })
        ),
        ...correlationHeader
      },
      query: {
        dryRun: Schema.optionalKey(
          Schema.Boolean.annotate({ description: "Answer as if, and write nothing" })
        )
      },
      payload: DocumentInput.schema(rules),
      success: [IntakeResult, IntakeResult.pipe(HttpApiSchema.status(201))],
      error: problems(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503)
    }).annotateMerge(OpenApi.annotations({
      summary: "Submit a document",
      description:
        "Creates or updates a shipment, its orders and their items in one call, all of it or nothing. 201 when something was created, else 200."
    }))
  )
    .middleware(Authorization)
    .annotateMerge(OpenApi.annotations({ description: "Order documents, in JSON or XML" }))

class Documents extends documents(DocumentInput.defaultRules) {}

class Pallets extends HttpApiGroup.make("pallets")
  .add(
    HttpApiEndpoint.post("recordPalletEvent", "/v1/pallet-events", {
      headers: writeHeaders,
      payload: PalletEventInput.schema,
      success: [PalletAnswer, PalletAnswer.pipe(HttpApiSchema.status(201))],
      error: problems(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503)
    }).annotateMerge(OpenApi.annotations({
      summary: "Record a pallet event",
      description:
        "A tower or lift camera has seen a pallet cross a dock. The event is matched to a shipment, and the \
customer gets a pallet message. 201 when it is recorded now; 200 with the same answer, and no second message, when the \
facility has recorded the same event before."
    }))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ description: "Pallets crossing a dock" }))
{}

const shipmentId = { id: Schema.String.annotate({ description: "The shipment's id" }) }

const stepOptions = {
  params: shipmentId,
  headers: writeHeaders,
  success: ShipmentView,
  error: problems(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503)
}

class Shipments extends HttpApiGroup.make("shipments")
  .add(
    HttpApiEndpoint.get("getShipment", "/v1/shipments/:id", {
      params: shipmentId,
      success: ShipmentView,
      error: problems(400, 401, 404, 429, 500, 503)
    }).annotateMerge(OpenApi.annotations({ summary: "Read a shipment" })),
    HttpApiEndpoint.get("listShipments", "/v1/shipments", {
      query: {
        ...slugQuery,
        shipmentNumber: Schema.optionalKey(Field.text("Shipment number")),
        status: Schema.optionalKey(Schema.Literals([...shipmentStatuses, ""])),
        ...pageQuery
      },
      success: page(ShipmentView, "ShipmentPage"),
      error: problems(400, 401, 403, 404, 429, 500, 503)
    }).annotateMerge(OpenApi.annotations({
      summary: "List shipments",
      description: "The shipments that the client may see, in id order."
    })),
    HttpApiEndpoint.get("listOrders", "/v1/orders", {
      query: { ...slugQuery, orderNumber: Schema.optionalKey(Field.text("Order number")), ...pageQuery },
      success: page(LocatedOrderView, "OrderPage"),
      error: problems(400, 401, 403, 404, 429, 500, 503)
    }).annotateMerge(OpenApi.annotations({
      summary: "List orders",
      description: "The orders that the client may see, in id order."
    })),
    HttpApiEndpoint.post("arriveShipment", "/v1/shipments/:id/arrive", {
      ...stepOptions,
      payload: StepInput.arriveSchema
    }).annotateMerge(OpenApi.annotations({
      summary: "A shipment arrives",
      description: "The shipment is ARRIVED, at the dock given if any. Repeating it changes nothing."
    })),
    HttpApiEndpoint.post("departShipment", "/v1/shipments/:id/depart", {
      ...stepOptions,
      payload: StepInput.departSchema
    }).annotateMerge(OpenApi.annotations({
      summary: "A shipment departs",
      description: "The shipment is DEPARTED and final, its orders are COMPLETED, and the customer gets the \
shipment-completion message, once. Repeating it changes nothing."
    })),
    HttpApiEndpoint.post("linkShipments", "/v1/shipments/:id/link", {
      ...stepOptions,
      payload: StepInput.linkSchema
    }).annotateMerge(OpenApi.annotations({
      summary: "Link two shipments",
      description:
        "The two shipments belong together: no order moves away from either. Repeating it changes nothing."
    }))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ description: "Shipments and orders: as they are, and on their way" }))
{}

class Tokens extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.post("requestToken", "/oauth/token", {
      payload: [TokenRequest, TokenRequest.pipe(HttpApiSchema.asFormUrlEncoded())],
      success: TokenResponse,
      error: tokenErrors(400, 401, 413, 415, 429, 500, 503)
    }).annotateMerge(OpenApi.annotations({
      summary: "Request an access token",
      description: "Client credentials grant. Keep the token and use it until shortly before it expires."
    }))
  )
  .annotateMerge(OpenApi.annotations({ description: "Access tokens" }))
{}

const describeIssuer = <const Name extends string, const Path extends `/${string}`>(name: Name, path: Path) =>
  HttpApiEndpoint.get(name, path, { success: IssuerMetadata, error: problems(500, 503) }).annotateMerge(
    OpenApi.annotations({
      summary: "Find the token endpoint and the keys",
      description:
        "For OAuth clients that configure themselves. 404 where an external issuer issues the tokens."
    })
  )

class Keys extends HttpApiGroup.make("keys")
  .add(
    describeIssuer("describeAuthorizationServer", "/.well-known/oauth-authorization-server"),
    describeIssuer("describeOpenIdProvider", "/.well-known/openid-configuration"),
    HttpApiEndpoint.get("listKeys", "/.well-known/jwks.json", {
      success: JsonWebKeySet,
      error: problems(500, 503)
    }).annotateMerge(OpenApi.annotations({ summary: "Read the public keys of our tokens" }))
  )
  .annotateMerge(OpenApi.annotations({ description: "The keys that our tokens are signed with" }))
{}

class Operation extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", { success: Health, error: problems(500) }).annotateMerge(
      OpenApi.annotations({ summary: "Is the process up" })
    ),
    HttpApiEndpoint.get("readyz", "/readyz", { success: Health, error: problems(500, 503) }).annotateMerge(
      OpenApi.annotations({ summary: "Can requests be served: the database answers and is migrated" })
    ),
    HttpApiEndpoint.get("metrics", "/metrics", {
      success: Schema.String.pipe(HttpApiSchema.asText()),
      error: problems(401, 403, 500)
    }).annotateMerge(OpenApi.annotations({
      summary: "Read the metrics",
      description:
        "The measurements of this instance in the text format of Prometheus. With `METRICS_TOKEN` set, \
send it as bearer token; without it only the machine itself may read them, and only of a server for that machine alone."
    }))
  )
  .annotateMerge(OpenApi.annotations({ description: "Probes" }))
{}

const annotations = OpenApi.annotations({
  title: "Dockline",
  version: "1",
  description: "Logistics tracking: document intake, pallet messages, shipment completion, webhooks.",
  license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
  transform: describe
})

/** Every bad parameter of a request is named, not the first only, and a misspelt one is not lost in silence. */
const queryParseOptions = { errors: "all", onExcessProperty: "error" } as const

/** The REST interface. */
export class Api extends HttpApi.make("dockline")
  .add(Documents, Pallets, Shipments, Tokens)
  .add(Businesses, Facilities, Clients, WebhookEndpoints, Deliveries, MessageLogs)
  .add(Keys, Operation)
  .annotateMerge(annotations)
  .annotate(HttpApi.QueryParseOptions, queryParseOptions)
{}

/** The REST interface of a service that authenticates by means of its own: without tokens and their keys. */
export class ApiWithoutTokens extends HttpApi.make("dockline")
  .add(Documents, Pallets, Shipments)
  .add(Businesses, Facilities, Clients, WebhookEndpoints, Deliveries, MessageLogs)
  .add(Operation)
  .annotateMerge(annotations)
  .annotate(HttpApi.QueryParseOptions, queryParseOptions)
{}

/** The OpenAPI document of an interface whose documents are read against these rules. */
export const openApiOf = (
  rules: DocumentInput.DocumentRules,
  hasTokens: boolean
): OpenApi.OpenAPISpec =>
  // A group takes the place of the one of the same name.
  hasTokens
    ? OpenApi.fromApi(Api.add(documents(rules)))
    : OpenApi.fromApi(ApiWithoutTokens.add(documents(rules)))
