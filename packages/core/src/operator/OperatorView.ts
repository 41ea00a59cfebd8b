/**
 * What operators see of businesses, clients, webhook endpoints and deliveries (D11).
 *
 * Guarantee: no view holds a secret or what is stored of one. A secret is shown once, by the `New…` view of what made
 * it.
 */
import { Schema } from "effect"
import { Grant } from "../access/Access.ts"
import type { Client } from "../access/ClientStore.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { messageTypes } from "../values/Vocabulary.ts"
import { deliveryStatuses } from "../webhooks/Delivery.ts"
import type { Delivery } from "../webhooks/Delivery.ts"
import type { ShownEndpoint } from "../webhooks/WebhookEndpoint.ts"

const described = (description: string) => Schema.String.annotate({ description })

const time = described("RFC 3339 in UTC")

/** A business as operators see it. */
export const BusinessView = Schema.Struct({ slug: Schema.String, name: Schema.String }).annotate({
  identifier: "Business"
})

/** A business as operators see it. */
export type BusinessView = typeof BusinessView.Type

/** A facility as operators see it. */
export const FacilityView = Schema.Struct({ slug: Schema.String, name: Schema.String }).annotate({
  identifier: "Facility"
})

/** A facility as operators see it. */
export type FacilityView = typeof FacilityView.Type

/** A dock as operators see it. */
export const DockView = Schema.Struct({ slug: Schema.String }).annotate({ identifier: "Dock" })

/** A dock as operators see it. */
export type DockView = typeof DockView.Type

/** One field of a field map (D6.4). */
export const MessageFieldView = Schema.Struct({
  name: described("The field's name in messages"),
  label: described("The label of the pallet that it is read from"),
  list: Schema.Boolean.annotate({
    description: "Whether all values of the label are sent, or the first only"
  })
}).annotate({ identifier: "MessageField" })

/** One field of a field map. */
export type MessageFieldView = typeof MessageFieldView.Type

const clientFields = {
  id: described("The client_id of its token requests"),
  name: Schema.String,
  enabled: Schema.Boolean.annotate({
    description: "A disabled client gets no token, and its tokens are invalid"
  }),
  grants: Schema.Array(Grant),
  secrets: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      createdAt: Schema.NullOr(time).annotate({ description: "null where it is not known" })
    }).annotate({ identifier: "ClientSecret" })
  ).annotate({ description: "The secrets that are valid, two at most; what they are is nowhere stored" })
}

/** An API client as operators see it. */
export const ClientView = Schema.Struct(clientFields).annotate({ identifier: "Client" })

/** An API client as operators see it. */
export type ClientView = typeof ClientView.Type

const clientSecret = described("The client_secret of its token requests. It is shown this once")

/** A client that was just made, with its secret. */
export const NewClientView = Schema.Struct({ ...clientFields, clientSecret }).annotate({
  identifier: "NewClient"
})

/** A client that was just made, with its secret. */
export type NewClientView = typeof NewClientView.Type

/** A secret of a client that was just made. */
export const NewSecretView = Schema.Struct({ secretId: Schema.String, clientSecret }).annotate({
  identifier: "NewClientSecret"
})

/** A secret of a client that was just made. */
export type NewSecretView = typeof NewSecretView.Type

const endpointFields = {
  id: Schema.String,
  business: described("Business slug"),
  facility: Schema.NullOr(Schema.String).annotate({ description: "Facility slug; null for all facilities" }),
  baseUrl: described("The path of the message type is appended to it"),
  messageTypes: Schema.Array(Schema.Literals(messageTypes)),
  authentication: Schema.StructWithRest(
    Schema.Struct({ type: described("The scheme, such as none, basic or token") }),
    [Schema.Record(Schema.String, Schema.String)]
  ).annotate({ description: "How the service signs in there; without what is secret about it" }),
  enabled: Schema.Boolean,
  disabledReason: Schema.Literals(["", "OPERATOR", "GONE", "FAILING"]).annotate({
    description: "Who disabled it: an operator, its answer 410, failing for 5 days; empty while it is enabled"
  }),
  createdAt: time,
  cursorId: Schema.Int.annotate({
    description: "Each message up to this id is delivered, dead, or pending in the list of deliveries"
  }),
  failingSince: Schema.NullOr(time).annotate({
    description: "Since when nothing was delivered, though it was tried"
  }),
  login: Schema.NullOr(
    Schema.Struct({
      failures: Schema.Int.annotate({ description: "How often it has failed in a row" }),
      retryAt: time,
      error: described("What went wrong last")
    }).annotate({ identifier: "LoginWait" })
  ).annotate({ description: "Set while deliveries wait for a login endpoint that fails" }),
  expiredUpTo: Schema.NullOr(Schema.Int).annotate({
    description: "Messages up to this id had been dropped by age before the endpoint could take them"
  }),
  backlog: Schema.Int.annotate({ description: "Messages that wait to be delivered; 1000 stands for more" }),
  signingSecrets: Schema.Array(
    Schema.Struct({
      validUntil: Schema.NullOr(time).annotate({ description: "null for the newest" })
    }).annotate({ identifier: "SigningSecret" })
  ).annotate({ description: "The secrets that deliveries are signed with now, the newest first" })
}

/** A webhook endpoint as operators see it. */
export const EndpointView = Schema.Struct(endpointFields).annotate({ identifier: "WebhookEndpoint" })

/** A webhook endpoint as operators see it. */
export type EndpointView = typeof EndpointView.Type

const signingSecret = described("The secret that deliveries are signed with. It is shown this once")

/** An endpoint that was just made, with its signing secret. */
export const NewEndpointView = Schema.Struct({ ...endpointFields, signingSecret }).annotate({
  identifier: "NewWebhookEndpoint"
})

/** An endpoint that was just made, with its signing secret. */
export type NewEndpointView = typeof NewEndpointView.Type

/** The signing secret that a rotation made. */
export const NewSigningSecretView = Schema.Struct({ signingSecret }).annotate({
  identifier: "NewSigningSecret"
})

/** The signing secret that a rotation made. */
export type NewSigningSecretView = typeof NewSigningSecretView.Type

/** A delivery with its attempts, as operators see it (D9.6). */
export const DeliveryView = Schema.Struct({
  id: described("The message id, as text"),
  messageId: Schema.Int,
  messageType: Schema.Literals(messageTypes),
  shipmentId: Schema.String,
  status: Schema.Literals(deliveryStatuses),
  attempts: Schema.Array(
    Schema.Struct({
      at: time,
      status: Schema.NullOr(Schema.Int).annotate({ description: "Status of the answer; null without one" }),
      durationMs: Schema.Finite,
      response: described("The beginning of the answer"),
      error: described("Why there was no answer, or not all of it; empty when nothing went wrong")
    }).annotate({ identifier: "DeliveryAttempt" })
  ).annotate({ description: "The newest 50, oldest first" }),
  nextAttemptAt: Schema.NullOr(time).annotate({
    description: "null when it is not pending, or waits for an earlier message of its shipment"
  })
}).annotate({ identifier: "Delivery" })

/** A delivery with its attempts, as operators see it. */
export type DeliveryView = typeof DeliveryView.Type

/** How many deliveries a replay made pending. */
export const ReplayCount = Schema.Struct({ count: Schema.Int }).annotate({ identifier: "ReplayCount" })

/** How many deliveries a replay made pending. */
export type ReplayCount = typeof ReplayCount.Type

/** Where ids stand once they were moved on. */
export const AdvanceView = Schema.Struct({
  newestId: Schema.Int.annotate({ description: "The newest id: the next message gets a higher one" })
}).annotate({ identifier: "AdvancedMessages" })

/** Where ids stand once they were moved on. */
export type AdvanceView = typeof AdvanceView.Type

/** Shows a client. */
export const clientView = ({ id, name, enabled, grants, secrets }: Client): ClientView => ({
  id,
  name,
  enabled,
  grants,
  secrets: secrets.map(({ id, createdAt }) => ({ id, createdAt: createdAt ?? null }))
})

/** Shows an endpoint as it is at a time. */
export const endpointView = (endpoint: ShownEndpoint, now: Timestamp.Timestamp): EndpointView => ({
  id: String(endpoint.id),
  business: endpoint.business,
  facility: endpoint.facility,
  baseUrl: endpoint.baseUrl,
  messageTypes: endpoint.messageTypes,
  authentication: { ...endpoint.authentication.settings, type: endpoint.authentication.type },
  enabled: endpoint.enabled,
  disabledReason: endpoint.disabledReason,
  createdAt: endpoint.createdAt,
  cursorId: endpoint.cursorId,
  failingSince: endpoint.failingSince,
  login: endpoint.login,
  expiredUpTo: endpoint.expiredUpTo,
  backlog: endpoint.backlog,
  signingSecrets: endpoint.signingSecrets
    .filter(({ validUntil }) => validUntil === null || validUntil > now)
    .map(({ validUntil }) => ({ validUntil }))
})

/** Shows a delivery. */
export const deliveryView = (delivery: Delivery): DeliveryView => ({
  id: String(delivery.messageId),
  messageId: delivery.messageId,
  messageType: delivery.messageType,
  shipmentId: String(delivery.shipmentId),
  status: delivery.status,
  attempts: delivery.attempts.map(({ at, status, durationMs, response, error }) => ({
    at,
    status,
    durationMs,
    response,
    error
  })),
  nextAttemptAt: delivery.nextAttemptAt
})
