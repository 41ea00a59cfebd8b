/**
 * The operator side of the REST interface as data, continued: webhook endpoints and their deliveries (D9, D11).
 */
import { deliveryStatuses } from "@dockline/core/Delivery"
import { createEndpointErrors, endpointErrors } from "@dockline/core/internal/operator/OperationErrors"
import * as OperatorInput from "@dockline/core/internal/operator/OperatorInput"
import * as OperatorView from "@dockline/core/internal/operator/OperatorView"
import * as WebhookInput from "@dockline/core/internal/webhooks/WebhookInput"
import {
  DeliveryNotFound,
  NotASandbox,
  SecretsKeyMissing,
  TooManyDeliveries,
  TooManyTests
} from "@dockline/core/OperatorErrors"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { given, operated, problems, sent } from "./ApiErrors.ts"
import { correlationHeader, page, text, textPageQuery } from "./ApiSchemas.ts"
import { Authorization } from "./Authorization.ts"

const endpoint = { endpointId: text("The endpoint's id") }

const delivery = { ...endpoint, deliveryId: text("The delivery's id") }

const headers = correlationHeader

export class WebhookEndpoints extends HttpApiGroup.make("webhookEndpoints")
  .add(
    HttpApiEndpoint.get("listWebhookEndpoints", "/v1/operator/webhook-endpoints", {
      query: textPageQuery,
      success: page(OperatorView.EndpointView, "WebhookEndpointPage"),
      error: problems(...operated)
    }).annotateMerge(OpenApi.annotations({
      summary: "List webhook endpoints",
      description: "Those of the businesses that the client operates, in id order."
    })),
    HttpApiEndpoint.post("createWebhookEndpoint", "/v1/operator/webhook-endpoints", {
      headers,
      payload: WebhookInput.endpointSchema(),
      success: OperatorView.NewEndpointView.pipe(HttpApiSchema.status(201)),
      error: problems(...createEndpointErrors, ...given)
    }).annotateMerge(OpenApi.annotations({
      summary: "Create a webhook endpoint",
      description:
        "Messages are delivered by POST to the base URL followed by /api/palletEvent or /api/shipmentComplete. \
The answer is the only one that shows its signing secret."
    })),
    HttpApiEndpoint.get("getWebhookEndpoint", "/v1/operator/webhook-endpoints/:endpointId", {
      params: endpoint,
      success: OperatorView.EndpointView,
      error: problems(...endpointErrors, ...operated)
    }).annotateMerge(OpenApi.annotations({
      summary: "Read a webhook endpoint",
      description: "How it is set up, how far it has got, and why it is not getting on where it is not."
    })),
    HttpApiEndpoint.patch("updateWebhookEndpoint", "/v1/operator/webhook-endpoints/:endpointId", {
      params: endpoint,
      headers,
      payload: WebhookInput.endpointChangeSchema(),
      success: OperatorView.EndpointView,
      error: problems(...endpointErrors, SecretsKeyMissing, ...given)
    }).annotateMerge(OpenApi.annotations({
      summary: "Change a webhook endpoint",
      description:
        "What is left out stays as it is; passwords too, unless an address changes (baseUrl, or the loginUrl of a \
token): then they are sent again, as a stored one goes to no other address. A disabled endpoint keeps its backlog, and \
delivers it in order once it is enabled; enabling it starts the retries of what is pending over."
    })),
    HttpApiEndpoint.delete("deleteWebhookEndpoint", "/v1/operator/webhook-endpoints/:endpointId", {
      params: endpoint,
      headers,
      success: HttpApiSchema.NoContent,
      error: problems(...endpointErrors, ...operated)
    }).annotateMerge(OpenApi.annotations({
      summary: "Delete a webhook endpoint",
      description: "With its record of deliveries. The messages stay in the log."
    })),
    HttpApiEndpoint.post(
      "rotateSigningSecret",
      "/v1/operator/webhook-endpoints/:endpointId/rotate-secret",
      {
        params: endpoint,
        headers,
        success: OperatorView.NewSigningSecretView,
        error: problems(...endpointErrors, SecretsKeyMissing, ...sent)
      }
    ).annotateMerge(OpenApi.annotations({
      summary: "Replace the signing secret of a webhook endpoint",
      description: "Deliveries are signed with the old and the new secret for 24 hours."
    })),
    HttpApiEndpoint.post("testWebhookEndpoint", "/v1/operator/webhook-endpoints/:endpointId/test", {
      params: endpoint,
      headers,
      payload: OperatorInput.testSchema,
      success: OperatorView.TestView,
      error: problems(...endpointErrors, NotASandbox, TooManyTests, ...given)
    }).annotateMerge(OpenApi.annotations({
      summary: "Send a test message to a webhook endpoint",
      description:
        "One message at once, signed as every message is, whether the endpoint is enabled or not; the answer says what was \
sent and what came back. It is in no log, is not repeated, and changes nothing at the endpoint. Its webhook-id begins with \
test_, and its body has the field test: true and is about a shipment that does not exist; receivers verify it and answer 2xx. \
In a sandbox it can be wrong on purpose, or come again."
    })),
    HttpApiEndpoint.post("certifyWebhookEndpoint", "/v1/operator/webhook-endpoints/:endpointId/certify", {
      params: endpoint,
      headers,
      success: OperatorView.CertificationView,
      error: problems(...endpointErrors, NotASandbox, TooManyTests, ...sent)
    }).annotateMerge(OpenApi.annotations({
      summary: "Check the receiver behind a webhook endpoint of a sandbox",
      description:
        "By test messages that are right, and others that are unsigned, wrongly signed, changed, old, repeated or out of order. \
What cannot be seen from outside is UNSEEN, and says where to look. It takes some seconds."
    }))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: webhook endpoints",
    description: "Where customers take messages, how the service signs in there, and how far each has got"
  }))
{}

export class Deliveries extends HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("listDeliveries", "/v1/operator/webhook-endpoints/:endpointId/deliveries", {
      params: endpoint,
      query: {
        status: Schema.optionalKey(
          Schema.Literals([...deliveryStatuses, ""]).annotate({
            description: "Only deliveries of this status."
          })
        ),
        ...textPageQuery
      },
      success: page(OperatorView.DeliveryView, "DeliveryPage"),
      error: problems(...endpointErrors, ...operated)
    }).annotateMerge(OpenApi.annotations({
      summary: "List the deliveries of a webhook endpoint",
      description: "With every attempt, the newest message first."
    })),
    HttpApiEndpoint.get("getDelivery", "/v1/operator/webhook-endpoints/:endpointId/deliveries/:deliveryId", {
      params: delivery,
      success: OperatorView.DeliveryDetailView,
      error: problems(...endpointErrors, DeliveryNotFound, ...operated)
    }).annotateMerge(OpenApi.annotations({
      summary: "Read a delivery of a webhook endpoint",
      description: "With every attempt, and with what the attempts send."
    })),
    HttpApiEndpoint.post(
      "replayDelivery",
      "/v1/operator/webhook-endpoints/:endpointId/deliveries/:deliveryId/replay",
      {
        params: delivery,
        headers,
        success: HttpApiSchema.Empty(202),
        error: problems(...endpointErrors, DeliveryNotFound, ...sent)
      }
    ).annotateMerge(OpenApi.annotations({
      summary: "Deliver a message again",
      description: "Whatever became of it before, under the same webhook-id."
    })),
    HttpApiEndpoint.post("replayDeliveries", "/v1/operator/webhook-endpoints/:endpointId/replay", {
      params: endpoint,
      headers,
      payload: OperatorInput.replaySchema,
      success: OperatorView.ReplayCount.pipe(HttpApiSchema.status(202)),
      error: problems(...endpointErrors, TooManyDeliveries, ...given)
    }).annotateMerge(OpenApi.annotations({
      summary: "Deliver a range of messages again",
      description: "By ids or by times, both ends included; at most 100,000 messages."
    }))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: deliveries",
    description: "What became of messages on their way to an endpoint, and sending them again"
  }))
{}
