/**
 * The REST interface as data: paths, parameters, bodies, answers. The server, the OpenAPI document and clients derive
 * from it (WIRE.md; D5, D10, D12.3).
 *
 * Guarantee: importing it loads only declarations of this folder and of core, and nothing that a server runs.
 */
import { Discrepancy } from "@dockline/core/Discrepancies"
import * as DocumentInput from "@dockline/core/DocumentInput"
import { documentOutcomes, DocumentRecordView } from "@dockline/core/DocumentRecord"
import {
  DocumentNotFound,
  InvalidParameter,
  PalletNotFound,
  ShipmentNotFound,
  StorageUnavailable,
  Unauthenticated
} from "@dockline/core/Errors"
import { documentReadErrors, intakeErrors } from "@dockline/core/internal/document/DocumentErrors"
import { messageListErrors } from "@dockline/core/internal/messages/MessageErrors"
import {
  departRefusals,
  linkErrors,
  palletErrors,
  stepErrors
} from "@dockline/core/internal/movement/MovementErrors"
import { placeErrors } from "@dockline/core/internal/places/Authorize"
import * as Field from "@dockline/core/internal/values/Field"
import { MessageView } from "@dockline/core/MessageView"
import { IntakeResult } from "@dockline/core/Outcome"
import { PalletAnswer } from "@dockline/core/Pallet"
import * as PalletEventInput from "@dockline/core/PalletEventInput"
import { PalletView } from "@dockline/core/PalletView"
import { BodyAlreadyRead, MetricsForbidden, PayloadTooLarge, Stopping } from "@dockline/core/RequestErrors"
import * as StepInput from "@dockline/core/StepInput"
import { LocatedOrderView, ShipmentView } from "@dockline/core/View"
import { messageTypes, shipmentOrders, shipmentStatuses } from "@dockline/core/Vocabulary"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { problems, repeatable, secured, written } from "./ApiErrors.ts"
import { about, page, pageQuery, text, timedPageQuery, writeHeaders } from "./ApiSchemas.ts"
import { Authorization } from "./Authorization.ts"
import { Exceptions } from "./ExceptionApi.ts"
import { Audit, Businesses, Clients, Facilities, MessageLogs, People } from "./OperatorApi.ts"
import { Keys, Tokens } from "./TokenApi.ts"
import { Deliveries, WebhookEndpoints } from "./WebhookApi.ts"

const status = Schema.Literals(["ok"]).annotate({ description: "Always ok; else the answer is a problem" })

const Health = Schema.Struct({ status }).annotate({ identifier: "Health" })

const Ready = Schema.Struct({
  status,
  warnings: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "What operators are to look at, such as a replication of the database that can lose data"
    })
  )
}).annotate({ identifier: "Ready" })

const slugQuery = {
  business: Schema.optionalKey(Field.text("Business slug")),
  facility: Schema.optionalKey(Field.text("Facility slug"))
}

/** The group of documents that are read by these rules. */
export const documentsOf = (rules: DocumentInput.DocumentRules) =>
  HttpApiGroup.make("documents").add(
    HttpApiEndpoint.post("submitDocument", "/v1/documents", {
      headers: {
        ...writeHeaders,
        prefer: Schema.optionalKey(
          text(
            "`return=minimal` for the short answer; `dry-run` to write nothing, as with dryRun. Both: `return=minimal, dry-run`."
          )
        )
      },
      query: { dryRun: Schema.optionalKey(Schema.Boolean) },
      payload: DocumentInput.schema(rules),
      success: [IntakeResult, IntakeResult.pipe(HttpApiSchema.status(201))],
      error: problems(
        ...documentReadErrors,
        InvalidParameter,
        PayloadTooLarge,
        BodyAlreadyRead,
        ...intakeErrors,
        ...repeatable,
        ...secured
      )
    }).annotateMerge(OpenApi.annotations({
      summary: "Submit a document",
      description:
        "Creates or updates a shipment, its orders and their items in one call, all of it or nothing. 201 when something was created, else 200."
    })),
    HttpApiEndpoint.get("listDocuments", "/v1/documents", {
      query: {
        ...slugQuery,
        shipmentNumber: Schema.optionalKey(Field.text("Only documents of the shipment of this number.")),
        orderNumber: Schema.optionalKey(Field.text("Only documents with the order of this number.")),
        correlationId: Schema.optionalKey(
          Field.text("Only documents whose request had this correlation id.")
        ),
        outcome: Schema.optionalKey(
          Schema.Literals([...documentOutcomes, ""]).annotate({
            description: "Only documents of this outcome."
          })
        ),
        from: Schema.optionalKey(Field.dateTime("Only documents that came then or later.")),
        to: Schema.optionalKey(Field.dateTime("Only documents that came earlier.")),
        ...pageQuery
      },
      success: page(DocumentRecordView, "DocumentPage"),
      error: problems(InvalidParameter, ...placeErrors, ...secured)
    }).annotateMerge(about(
      "List the record of documents",
      "Which client sent which document when, and what it changed, newest first. Documents that could not be read, dry runs, and \
those at places that their client may not see are not recorded, and the body of a document never."
    )),
    HttpApiEndpoint.get("getDocument", "/v1/documents/:id", {
      params: { id: text("The document's id in the record") },
      success: DocumentRecordView,
      error: problems(InvalidParameter, DocumentNotFound, ...secured)
    }).annotateMerge(about("Read what is recorded of a document"))
  )
    .middleware(Authorization)
    .annotateMerge(OpenApi.annotations({
      title: "Documents",
      description:
        "Create and update shipments, orders and items by sending documents, in JSON or XML, and read the record of documents"
    }))

class Documents extends documentsOf(DocumentInput.defaultRules) {}

const shipmentId = { id: text("The shipment's id") }

class Pallets extends HttpApiGroup.make("pallets")
  .add(
    HttpApiEndpoint.post("recordPalletEvent", "/v1/pallet-events", {
      headers: writeHeaders,
      payload: PalletEventInput.schema,
      success: [PalletAnswer, PalletAnswer.pipe(HttpApiSchema.status(201))],
      error: problems(...palletErrors, ...written)
    }).annotateMerge(OpenApi.annotations({
      summary: "Record a pallet event",
      description:
        "A tower or lift camera has seen a pallet cross a dock. The event is matched to a shipment, and the \
customer gets a pallet message. 201 when it is recorded now; 200 with the same answer, and no second message, when the \
facility has recorded the same event before."
    })),
    HttpApiEndpoint.get("listShipmentPallets", "/v1/shipments/:id/pallets", {
      params: shipmentId,
      query: pageQuery,
      success: page(PalletView, "PalletPage"),
      error: problems(InvalidParameter, ShipmentNotFound, ...secured)
    }).annotateMerge(about("List the pallets of a shipment", "Its pallets with their events, in id order.")),
    HttpApiEndpoint.get("getPallet", "/v1/shipments/:id/pallets/:palletId", {
      params: { ...shipmentId, palletId: text("The pallet's id") },
      success: PalletView,
      error: problems(InvalidParameter, ShipmentNotFound, PalletNotFound, ...secured)
    }).annotateMerge(about("Read a pallet")),
    HttpApiEndpoint.get("listPallets", "/v1/pallets", {
      query: { ...slugQuery, lpn: Field.requiredText("The license plate of the pallets."), ...pageQuery },
      success: page(PalletView, "PalletPage"),
      error: problems(InvalidParameter, ...placeErrors, ...secured)
    }).annotateMerge(
      about("Find pallets", "The pallets with an LPN on all shipments that the client may see, newest first.")
    )
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Pallets",
    description:
      "Report pallets that cross a dock, as towers and lift cameras do, and read what became of them"
  }))
{}

const stepOptions = {
  params: shipmentId,
  headers: writeHeaders,
  success: ShipmentView
}

class Shipments extends HttpApiGroup.make("shipments")
  .add(
    HttpApiEndpoint.get("getShipment", "/v1/shipments/:id", {
      params: shipmentId,
      success: ShipmentView,
      error: problems(InvalidParameter, ShipmentNotFound, ...secured)
    }).annotateMerge(about("Read a shipment")),
    HttpApiEndpoint.get("listDiscrepancies", "/v1/shipments/:id/discrepancies", {
      params: shipmentId,
      query: pageQuery,
      success: page(Discrepancy, "DiscrepancyPage"),
      error: problems(InvalidParameter, ShipmentNotFound, ...secured)
    }).annotateMerge(about(
      "List the discrepancies of a shipment",
      "Where what has passed differs from what was expected: first what is short, then what is wrong with each pallet. Until the \
shipment departs they are provisional; from then on they stay as they were."
    )),
    HttpApiEndpoint.get("listShipments", "/v1/shipments", {
      query: {
        ...slugQuery,
        shipmentNumber: Schema.optionalKey(Field.text("Only the shipment of this number.")),
        status: Schema.optionalKey(
          Schema.Literals([...shipmentStatuses, ""]).annotate({
            description: "Only shipments of this status."
          })
        ),
        discrepancies: Schema.optionalKey(Schema.Boolean),
        carrier: Schema.optionalKey(Field.text("Only shipments of this carrier.")),
        trailerNumber: Schema.optionalKey(
          Field.text("Only shipments with this trailer; it goes without carrier.")
        ),
        lpn: Schema.optionalKey(
          Field.text("Only shipments with an item of this LPN; it goes with business and facility alone.")
        ),
        from: Schema.optionalKey(Field.dateTime("Only shipments whose time is then or later.")),
        to: Schema.optionalKey(Field.dateTime("Only shipments whose time is earlier.")),
        order: Schema.optionalKey(
          Schema.Literals([...shipmentOrders, ""]).annotate({
            description:
              "By id, or by time from the earliest or the latest on. LATEST when absent with carrier, trailerNumber, from or to, else ID."
          })
        ),
        ...timedPageQuery
      },
      success: page(ShipmentView, "ShipmentPage"),
      error: problems(InvalidParameter, ...placeErrors, ...secured)
    }).annotateMerge(about(
      "List shipments",
      "The shipments that the client may see, in id order unless another is asked for. The time of a shipment is when it \
departed, else when it arrived, else when it is expected."
    )),
    HttpApiEndpoint.get("listOrders", "/v1/orders", {
      query: {
        ...slugQuery,
        orderNumber: Schema.optionalKey(Field.text("Only orders of this number.")),
        ...pageQuery
      },
      success: page(LocatedOrderView, "OrderPage"),
      error: problems(InvalidParameter, ...placeErrors, ...secured)
    }).annotateMerge(about("List orders", "The orders that the client may see, in id order.")),
    HttpApiEndpoint.post("arriveShipment", "/v1/shipments/:id/arrive", {
      ...stepOptions,
      payload: StepInput.arriveSchema,
      error: problems(...stepErrors, ...written)
    }).annotateMerge(OpenApi.annotations({
      summary: "A shipment arrives",
      description: "The shipment is ARRIVED, at the dock given if any. Repeating it changes nothing."
    })),
    HttpApiEndpoint.post("departShipment", "/v1/shipments/:id/depart", {
      ...stepOptions,
      payload: StepInput.departSchema,
      error: problems(...departRefusals, ...written)
    }).annotateMerge(OpenApi.annotations({
      summary: "A shipment departs",
      description: "The shipment is DEPARTED and final, its orders are COMPLETED, and the customer gets the \
shipment-completion message, once. Repeating it changes nothing."
    })),
    HttpApiEndpoint.post("linkShipments", "/v1/shipments/:id/link", {
      ...stepOptions,
      payload: StepInput.linkSchema,
      error: problems(...linkErrors, ...written)
    }).annotateMerge(OpenApi.annotations({
      summary: "Link two shipments",
      description:
        "The two shipments belong together: no order moves away from either. Repeating it changes nothing."
    })),
    HttpApiEndpoint.post("cancelShipment", "/v1/shipments/:id/cancel", {
      ...stepOptions,
      payload: StepInput.cancelSchema,
      error: problems(...departRefusals, ...written)
    }).annotateMerge(OpenApi.annotations({
      summary: "Cancel a shipment",
      description:
        "A SCHEDULED shipment without links, such as one whose orders have all moved to another, is CANCELLED and \
final, and its orders too. The permission documents:write suffices. Repeating it changes nothing."
    }))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Shipments and orders",
    description:
      "Read shipments and orders as they are now, and move shipments on: arrive, depart, link, cancel"
  }))
{}

class Messages extends HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.get("listMessages", "/v1/messages", {
      query: {
        business: Field.slug("Business slug"),
        facility: Schema.optionalKey(
          Field.text("Facility slug; without it, the client needs permission for the whole business.")
        ),
        messageType: Schema.optionalKey(
          Schema.Literals([...messageTypes, ""]).annotate({ description: "Only messages of this type." })
        ),
        since: Schema.optionalKey(Field.dateTime("Only messages sent then or later.")),
        afterId: Schema.optionalKey(
          Schema.Int.check(
            Schema.isGreaterThanOrEqualTo(0, { message: "must be the id of a message, or 0" })
          )
        ),
        limit: pageQuery.limit
      },
      success: page(MessageView, "MessagePage"),
      error: problems(InvalidParameter, ...messageListErrors, ...secured)
    }).annotateMerge(about(
      "List messages",
      "The messages to the customer, ascending by id, as webhooks and GraphQL carry them. To stay current, store the last id \
and ask for what follows it."
    ))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Messages",
    description: "Read what customers are told: pallet messages and shipment completions"
  }))
{}

class Operation extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", { success: Health, error: problems() }).annotateMerge(
      about("Is the process up")
    ),
    HttpApiEndpoint.get("readyz", "/readyz", {
      success: Ready,
      error: problems(Stopping, StorageUnavailable)
    }).annotateMerge(about("Can requests be served: the database answers and is migrated")),
    HttpApiEndpoint.get("metrics", "/metrics", {
      success: Schema.String.pipe(HttpApiSchema.asText()),
      error: problems(Unauthenticated, MetricsForbidden)
    }).annotateMerge(OpenApi.annotations({
      summary: "Read the metrics",
      description:
        "The measurements of this instance in the text format of Prometheus. With `METRICS_TOKEN` set, \
send it as bearer token; without it only the machine itself may read them, and only of a server for that machine alone."
    }))
  )
  .annotateMerge(OpenApi.annotations({
    title: "Health",
    description: "Probes for load balancers and orchestrators"
  }))
{}

const annotations = OpenApi.annotations({
  title: "Dockline",
  version: "1",
  description: "Logistics tracking: document intake, pallet messages, shipment completion, webhooks.",
  license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }
})

/** A refusal names every bad parameter of a request, and a misspelt parameter is refused. */
const queryParseOptions = { errors: "all", onExcessProperty: "error" } as const

/** The REST interface. */
export class Api extends HttpApi.make("dockline")
  .add(Tokens, Documents, Shipments, Pallets, Exceptions, Messages)
  .add(Businesses, Facilities, Clients, People, WebhookEndpoints, Deliveries, MessageLogs, Audit)
  .add(Keys, Operation)
  .annotateMerge(annotations)
  .annotate(HttpApi.QueryParseOptions, queryParseOptions)
{}

/** The REST interface without tokens and their keys, for a service with its own authentication. */
export class ApiWithoutTokens extends HttpApi.make("dockline")
  .add(Documents, Shipments, Pallets, Exceptions, Messages)
  .add(Businesses, Facilities, Clients, People, WebhookEndpoints, Deliveries, MessageLogs, Audit)
  .add(Operation)
  .annotateMerge(annotations)
  .annotate(HttpApi.QueryParseOptions, queryParseOptions)
{}
