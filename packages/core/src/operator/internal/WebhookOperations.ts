/**
 * The operations of operators on webhook endpoints and their deliveries, as values (D9, D11).
 */
import { Schema } from "effect"
import type { Redacted } from "effect"
import type { OpenWords } from "../../access/OpenWords.ts"
import * as Operation from "../../access/Operation.ts"
import { placeErrors } from "../../places/Authorize.ts"
import {
  BusinessNotFound,
  CursorAhead,
  Forbidden,
  HistoryExpired,
  InvalidParameter,
  InvalidRequest,
  StorageUnavailable
} from "../../values/Errors.ts"
import {
  DeliveryNotFound,
  MessageNotFound,
  SecretsKeyMissing,
  TooManyDeliveries,
  TooManyEntries,
  TooManyTests,
  WebhookEndpointNotFound
} from "../../values/OperatorErrors.ts"
import { PreconditionFailed } from "../../values/RequestErrors.ts"
import type { WebhookType } from "../../values/Vocabulary.ts"
import { deliveryStatuses } from "../../webhooks/Delivery.ts"
import type { AuthenticationScheme } from "../../webhooks/WebhookEndpoint.ts"
import * as WebhookInput from "../../webhooks/WebhookInput.ts"
import * as OperatorView from "../OperatorView.ts"
import * as OperatorInput from "./OperatorInput.ts"

export interface NewEndpoint extends OperatorView.EndpointView {
  readonly signingSecret: Redacted.Redacted
}

const endpoint = { endpointId: Operation.id("The endpoint's id") }
const endpointErrors = [WebhookEndpointNotFound, Forbidden, StorageUnavailable] as const

const delivery = { ...endpoint, deliveryId: Operation.id("The delivery's id") }

export const listWebhookEndpoints = Operation.list("listWebhookEndpoints", {
  rest: "GET /v1/operator/webhook-endpoints",
  params: {},
  filters: {},
  cursor: "name",
  row: OperatorView.EndpointView,
  page: "WebhookEndpointPage",
  columns: Operation.columns(
    "id",
    "business",
    "facility",
    "baseUrl",
    "messageTypes",
    "enabled",
    "disabledReason",
    "createdAt",
    "cursorId",
    "failingSince",
    "backlog"
  ),
  errors: [InvalidParameter, Forbidden],
  summary: "List webhook endpoints",
  description: "The endpoints of the businesses that the client operates, in id order.",
  presentation: {
    lead:
      "At these addresses customers receive messages as they happen. Endpoints that need attention come first.",
    empty: [
      "No endpoint receives webhooks yet",
      "Create an endpoint: Dockline then sends each message to the customer's server as it happens."
    ],
    fields: ["baseUrl", "enabled", "business", "backlog"]
  }
})

/** Creates a webhook endpoint. It receives some of the types in `words`, and authenticates at its customer by one of the schemes. */
export const createWebhookEndpoint = (
  schemes: ReadonlyArray<AuthenticationScheme>,
  words: OpenWords
) =>
  Operation.keylessWrite("createWebhookEndpoint", {
    rest: "POST /v1/operator/webhook-endpoints",
    params: {},
    body: WebhookInput.endpointSchema(schemes, words),
    read: WebhookInput.endpointReader(schemes, words),
    view: OperatorView.NewEndpointView,
    show: (endpoint: NewEndpoint) => OperatorView.unwrap(endpoint, "signingSecret"),
    creates: "id",
    stateOf: OperatorView.endpointState,
    errors: [InvalidRequest, ...placeErrors, TooManyEntries, SecretsKeyMissing, HistoryExpired, CursorAhead],
    summary: "Create a webhook endpoint",
    description:
      "Messages are delivered by POST to the base URL followed by the path of their type, such as /api/palletEvent. \
Only this answer shows its signing secret."
  })

export const getWebhookEndpoint = Operation.read("getWebhookEndpoint", {
  rest: "GET /v1/operator/webhook-endpoints/:endpointId",
  params: endpoint,
  view: OperatorView.EndpointView,
  stateOf: OperatorView.endpointState,
  errors: endpointErrors,
  summary: "Read a webhook endpoint",
  description: "Its settings, its progress, and why it is stuck, if it is.",
  presentation: {
    fields: [
      "business",
      "backlog",
      "failingSince",
      "messageTypes",
      "authentication",
      "headers",
      "ratePerSecond",
      "signatures",
      "payloadProfile",
      "signingSecrets",
      "login",
      "warnings"
    ]
  }
})

/** Changes a webhook endpoint. It receives some of the types in `words`, and authenticates at its customer by one of the schemes. */
export const updateWebhookEndpoint = (
  schemes: ReadonlyArray<AuthenticationScheme>,
  words: OpenWords
) =>
  Operation.keylessWrite("updateWebhookEndpoint", {
    rest: "PATCH /v1/operator/webhook-endpoints/:endpointId",
    params: endpoint,
    body: WebhookInput.endpointChangeSchema(schemes, words),
    read: WebhookInput.endpointPatchReader(schemes, words),
    view: OperatorView.EndpointView,
    stateOf: OperatorView.endpointState,
    errors: [...endpointErrors, SecretsKeyMissing, InvalidRequest, PreconditionFailed],
    summary: "Change a webhook endpoint",
    description:
      "Fields that are left out stay as they are. This includes passwords, unless an address changes (baseUrl, or the address of the \
login): then the request must contain them, because a stored password is sent to no other address. A disabled endpoint keeps its backlog, and \
delivers it in order once it is enabled; enabling it restarts the retries of pending deliveries."
  })

export const deleteWebhookEndpoint = Operation.keylessWrite("deleteWebhookEndpoint", {
  rest: "DELETE /v1/operator/webhook-endpoints/:endpointId",
  params: endpoint,
  view: Schema.Void,
  errors: endpointErrors,
  summary: "Delete a webhook endpoint",
  description: "With its record of deliveries. The messages stay in the log."
})

export const rotateSigningSecret = Operation.keylessWrite("rotateSigningSecret", {
  rest: "POST /v1/operator/webhook-endpoints/:endpointId/rotate-secret",
  params: endpoint,
  view: OperatorView.NewSigningSecretView,
  show: (secret: Pick<NewEndpoint, "signingSecret">) => OperatorView.unwrap(secret, "signingSecret"),
  errors: [...endpointErrors, SecretsKeyMissing],
  summary: "Replace the signing secret of a webhook endpoint",
  description: "Deliveries are signed with the old and the new secret for 24 hours."
})

/** Tests a webhook endpoint with a message of one of the types. */
export const testWebhookEndpoint = (types: ReadonlyArray<WebhookType>) =>
  Operation.keylessWrite("testWebhookEndpoint", {
    rest: "POST /v1/operator/webhook-endpoints/:endpointId/test",
    params: endpoint,
    body: OperatorInput.testSchema(types),
    read: OperatorInput.testReader(types),
    isBodyOptional: true,
    view: OperatorView.TestView,
    errors: [...endpointErrors, TooManyTests, InvalidRequest],
    summary: "Send a test message to a webhook endpoint",
    description:
      "Sends one message at once, signed like every message, whether the endpoint is enabled or not. The answer shows the \
request and the response. The message is in no log, is not retried, and changes nothing at the endpoint. Its webhook-id begins with \
test_, and its body has the field test: true and is about a shipment that does not exist; receivers verify it and answer 2xx.",
    presentation: { fields: ["isTaken", "durationMs", "remedy", "request", "answer"] }
  })

export const listDeliveries = Operation.list("listDeliveries", {
  rest: "GET /v1/operator/webhook-endpoints/:endpointId/deliveries",
  params: endpoint,
  filters: {
    status: Schema.optionalKey(
      Operation.word("DeliveryStatus", deliveryStatuses, "Only deliveries of this status.")
    )
  },
  cursor: "name",
  row: OperatorView.DeliveryView,
  page: "DeliveryPage",
  columns: [
    ...Operation.columns("id", "messageType", "shipmentId", "status"),
    ["attempts", ({ attempts }) => attempts.length],
    ["lastAttemptAt", ({ attempts }) => attempts.at(-1)?.at ?? ""],
    ["lastStatus", ({ attempts }) => attempts.at(-1)?.status ?? null],
    ["lastError", ({ attempts }) => attempts.at(-1)?.error ?? ""],
    ...Operation.columns("nextAttemptAt")
  ],
  errors: [InvalidParameter, ...endpointErrors],
  summary: "List the deliveries of a webhook endpoint",
  description: "With every attempt, the newest message first.",
  presentation: { fields: ["messageId messageType", "status", "shipmentId", "attempts nextAttemptAt"] }
})

export const getDelivery = Operation.read("getDelivery", {
  rest: "GET /v1/operator/webhook-endpoints/:endpointId/deliveries/:deliveryId",
  params: delivery,
  view: OperatorView.DeliveryDetailView,
  errors: [...endpointErrors, DeliveryNotFound],
  summary: "Read a delivery of a webhook endpoint",
  description: "With every attempt, and with the request of the attempts.",
  presentation: { fields: ["messageType", "shipmentId", "status", "nextAttemptAt", "request"] }
})

export const getMessage = Operation.read("getMessage", {
  rest: "GET /v1/operator/businesses/:slug/messages/:messageId",
  params: { slug: Operation.id("The business's slug"), messageId: Operation.id("The message's id") },
  view: OperatorView.MessageRecordView,
  errors: [BusinessNotFound, MessageNotFound, Forbidden, StorageUnavailable],
  summary: "Read a message and its deliveries",
  description:
    "For each endpoint of the business: whether it was delivered, waits or failed for good, and why an endpoint did not receive it.",
  presentation: { fields: ["business", "messageType", "shipmentId", "sentAt", "body"] }
})

export const replayDelivery = Operation.keylessWrite("replayDelivery", {
  rest: "POST /v1/operator/webhook-endpoints/:endpointId/deliveries/:deliveryId/replay",
  params: delivery,
  view: Schema.Void,
  isAdditive: true,
  isAccepted: true,
  errors: [...endpointErrors, DeliveryNotFound],
  summary: "Deliver a message again",
  description: "Whatever its status, under the same webhook-id."
})

export const replayDeliveries = Operation.keylessWrite("replayDeliveries", {
  rest: "POST /v1/operator/webhook-endpoints/:endpointId/replay",
  params: endpoint,
  body: OperatorInput.replaySchema,
  read: OperatorInput.readReplay,
  view: OperatorView.ReplayCount,
  isAccepted: true,
  errors: [...endpointErrors, TooManyDeliveries],
  summary: "Deliver a range of messages again",
  description: "By ids or by times, both ends included; at most 100,000 messages."
})
