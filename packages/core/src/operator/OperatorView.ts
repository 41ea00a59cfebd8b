/**
 * The views of businesses, clients, webhook endpoints, deliveries and changes for operators (D11, D13.8). No view holds a secret, or its
 * stored form; a `New…` view shows a secret once, in the answer that creates it.
 */
import { Redacted, Schema } from "effect"
import { Grant } from "../access/Access.ts"
import { auditActions } from "../access/AuditLog.ts"
import type { AuditAction, AuditEntry } from "../access/AuditLog.ts"
import { open } from "../access/OpenWords.ts"
import type { Client, Person } from "../access/Principals.ts"
import { contractProfile } from "../places/MessageField.ts"
import type { PayloadProfile } from "../places/MessageField.ts"
import * as Field from "../values/Field.ts"
import type * as Timestamp from "../values/Timestamp.ts"
import * as ViewField from "../values/ViewField.ts"
import { messageTypes } from "../values/Vocabulary.ts"
import type { WebhookType } from "../values/Vocabulary.ts"
import { deliveryBody, deliveryStatuses, messageState, messageStates } from "../webhooks/Delivery.ts"
import type { Deliverable, Delivery, EndpointDelivery } from "../webhooks/Delivery.ts"
import { signatureKinds, warningsOf } from "../webhooks/WebhookEndpoint.ts"
import type { ShownEndpoint, WebhookEndpoint } from "../webhooks/WebhookEndpoint.ts"

const time = ViewField.text("RFC 3339 in UTC")

export { Business as BusinessView, Facility as FacilityView } from "../places/Place.ts"

/** A dock of a facility. */
export const DockView = Schema.Struct({ slug: ViewField.text("Its name in documents and events") }).annotate({
  identifier: "Dock"
})

/** A field of messages that is read from a label of the pallet (D6.4). */
export const MessageFieldView = Schema.Struct({
  name: ViewField.text("The field's name in messages"),
  label: ViewField.text("The label of the pallet from which the field is read"),
  list: Field.flag("Whether all values of the label are sent, or the first only")
}).annotate({ identifier: "MessageField" })
export type MessageFieldView = typeof MessageFieldView.Type

const clientFields = {
  id: ViewField.text("The client_id of its token requests"),
  name: ViewField.text("Its name for people"),
  enabled: Field.flag("A disabled client gets no token, and its tokens are invalid"),
  grants: ViewField.list(Grant, "Its permissions, and where they apply"),
  secrets: Schema.Array(
    Schema.Struct({
      id: ViewField.text("The id of the secret, for withdrawing it"),
      createdAt: ViewField.orNull(time, "null when unknown")
    }).annotate({ identifier: "ClientSecret" })
  ).annotate({ description: "The valid secrets, at most two, without their values" })
}

/** An API client, with its grants and the ids of its secrets. */
export const ClientView = Schema.Struct(clientFields).annotate({ identifier: "ClientAccount" })
export type ClientView = typeof ClientView.Type

/** A person who may sign in to the dashboard (D14.4). */
export const PersonView = Schema.Struct({
  id: ViewField.text("The person's id"),
  name: ViewField.text("The person's name"),
  email: ViewField.orNull(
    Schema.String,
    "The verified address by which the person is known, in lower case; null otherwise"
  ),
  subject: ViewField.orNull(
    Schema.String,
    "The sub by which the person is known at the provider; null otherwise"
  ),
  grants: ViewField.list(Grant, "The person's permissions, and where they apply")
}).annotate({ identifier: "Person" })
export type PersonView = typeof PersonView.Type

const clientSecret = ViewField.text(
  "The client_secret of its token requests. It is shown only in this answer"
)

/** A client that was just created, with its secret (D10.4). */
export const NewClientView = Schema.Struct({ ...clientFields, clientSecret }).annotate({
  identifier: "CreatedClient"
})
export type NewClientView = typeof NewClientView.Type

/** A further secret of a client, just created (D10.4). */
export const NewSecretView = Schema.Struct({
  secretId: ViewField.text("The id of the secret, for withdrawing it"),
  clientSecret
}).annotate({
  identifier: "CreatedClientSecret"
})
export type NewSecretView = typeof NewSecretView.Type

const contractProfiles: ReadonlyArray<string> = [contractProfile.name]

const webhookWords: ReadonlyArray<WebhookType> = messageTypes

const webhookType = (description: string) =>
  open("webhookTypes", webhookWords, (types) => ViewField.word(types, description))

const endpointFields = {
  id: ViewField.text("The endpoint's id"),
  business: ViewField.text("Business slug"),
  facility: ViewField.orNull(Schema.String, "Facility slug; null for all facilities"),
  baseUrl: ViewField.text("The path of the message type is appended to it"),
  messageTypes: open(
    "webhookTypes",
    webhookWords,
    (types) => ViewField.list(Schema.Literals(types), "The types of messages that it receives")
  ),
  authentication: Schema.StructWithRest(
    Schema.Struct({ type: ViewField.text("The scheme, such as none, basic, token or oauth2") }),
    [Schema.Record(Schema.String, Schema.String)]
  ).annotate({ description: "How the service authenticates there, without secrets" }),
  headers: Schema.Array(
    Schema.Struct({ name: ViewField.text("The header's name") }).annotate({ identifier: "EndpointHeader" })
  ).annotate({
    description: "The names of headers that requests carry in addition to those of the service"
  }),
  ratePerSecond: ViewField.whole("The most requests in any second; 0 for no limit"),
  signatures: ViewField.list(
    Schema.Literals(signatureKinds),
    "How deliveries are signed: v1 by the endpoint's secrets, v1a by the service's keys"
  ),
  payloadProfile: open(
    "payloadProfiles",
    contractProfiles,
    (profiles) => ViewField.word(profiles, "How the fields of messages are named")
  ),
  enabled: Field.flag("Whether messages are sent there"),
  disabledReason: ViewField.word(
    ["", "OPERATOR", "GONE", "FAILING"],
    "The reason why it is disabled: an operator, its answer 410, or failures for 5 days; empty while it is enabled"
  ),
  createdAt: time,
  cursorId: ViewField.whole(
    "Each message up to this id is delivered, dead, or pending in the list of deliveries"
  ),
  failingSince: ViewField.orNull(
    time,
    "The time since which all attempts have failed; null after a delivery"
  ),
  login: Schema.NullOr(
    Schema.Struct({
      failures: ViewField.whole("The number of failures in a row"),
      retryAt: time,
      error: ViewField.text("The last error")
    }).annotate({ identifier: "LoginWait" })
  ).annotate({ description: "Set while deliveries wait because the login endpoint fails" }),
  warnings: ViewField.list(
    Schema.String,
    "Deviations from the contract, for people to judge: completions for an endpoint without Basic authentication"
  ),
  expiredUpTo: ViewField.orNull(
    Schema.Int,
    "Messages up to this id were dropped by age before they could be delivered"
  ),
  backlog: ViewField.whole("Number of messages that wait to be delivered; 1000 means 1000 or more"),
  signingSecrets: Schema.Array(
    Schema.Struct({
      validUntil: ViewField.orNull(time, "null for the newest")
    }).annotate({ identifier: "SigningSecret" })
  ).annotate({ description: "The secrets that sign deliveries now, newest first" })
}

/** A webhook endpoint, with its authentication but without the secrets in it (D9.1). */
export const EndpointView = Schema.Struct(endpointFields).annotate({ identifier: "WebhookEndpoint" })
export type EndpointView = typeof EndpointView.Type

const signingSecret = ViewField.text("The secret that signs deliveries. It is shown only in this answer")

/** An endpoint that was just created, with the secret that signs its deliveries. */
export const NewEndpointView = Schema.Struct({ ...endpointFields, signingSecret }).annotate({
  identifier: "CreatedWebhookEndpoint"
})
export type NewEndpointView = typeof NewEndpointView.Type

/** A new secret that signs deliveries; the earlier one signs for 24 hours more (D11). */
export const NewSigningSecretView = Schema.Struct({ signingSecret }).annotate({
  identifier: "CreatedSigningSecret"
})

const headers = (description: string) => Schema.Record(Schema.String, Schema.String).annotate({ description })

const AttemptView = Schema.Struct({
  at: time,
  status: ViewField.orNull(Schema.Int, "Status of the answer; null without one"),
  durationMs: Schema.Finite.annotate({ description: "How long it took, in milliseconds" }),
  response: ViewField.text("The beginning of the answer"),
  error: ViewField.text("Why the answer is missing or incomplete; empty if it is neither")
}).annotate({ identifier: "DeliveryAttempt" })

const deliveryFields = {
  id: ViewField.text("The message id, as text"),
  messageId: ViewField.whole("The message id"),
  messageType: webhookType("What the message tells"),
  shipmentId: ViewField.text("The shipment that the message is about"),
  status: ViewField.word(
    deliveryStatuses,
    "Whether it waits, was delivered, or failed for good after the last attempt"
  ),
  attempts: Schema.Array(AttemptView).annotate({ description: "The newest 50, oldest first" }),
  nextAttemptAt: ViewField.orNull(
    time,
    "The time of the next attempt; null if the delivery is not pending or waits for an earlier message of its shipment, or if its endpoint is disabled"
  )
}

/** A delivery of a message to an endpoint, with its newest attempts (D9.6). */
export const DeliveryView = Schema.Struct(deliveryFields).annotate({ identifier: "Delivery" })
export type DeliveryView = typeof DeliveryView.Type

/** The most characters of a message that the view of a delivery shows. */
const shownBodyLimit = 65_536

/** A delivery with the request that its attempts send (D9.6). */
export const DeliveryDetailView = Schema.Struct({
  ...deliveryFields,
  request: Schema.NullOr(
    Schema.Struct({
      url: ViewField.text("The address that an attempt calls now, by POST; an earlier address is not kept"),
      headers: headers(
        "The request of each attempt, with credentials as ***. In addition, webhook-timestamp is the time of the attempt in seconds, \
and webhook-signature is not kept"
      ),
      body: ViewField.text("The message, at most 65,536 characters of it"),
      length: ViewField.whole("The characters of the whole message")
    }).annotate({ identifier: "DeliveryRequest" })
  ).annotate({ description: "The request of its attempts; null once the message was dropped by age" })
}).annotate({ identifier: "DeliveryDetail" })
export type DeliveryDetailView = typeof DeliveryDetailView.Type

const endpointStateFields = {
  endpointId: ViewField.text("The endpoint's id"),
  baseUrl: endpointFields.baseUrl,
  state: ViewField.word(
    messageStates,
    "The state of the message at the endpoint: the status of its delivery; QUEUED before the endpoint reaches it; \
OTHER_TYPE or OTHER_FACILITY if the endpoint does not receive such messages; NOT_SENT if it did not receive them at the time"
  ),
  reason: ViewField.text("The same in a sentence, and what to do about it"),
  nextAttemptAt: deliveryFields.nextAttemptAt,
  lastAttempt: Schema.NullOr(AttemptView).annotate({ description: "The newest attempt; null without one" })
}

/** A message, and its state at each endpoint of its business (D9.10). */
export const MessageRecordView = Schema.Struct({
  id: ViewField.whole("The message id"),
  business: ViewField.text("Business slug"),
  facility: ViewField.text("Facility slug"),
  messageType: webhookType("What the message tells"),
  shipmentId: deliveryFields.shipmentId,
  sentAt: time,
  body: ViewField.text("The message as the log holds it, at most 65,536 characters of it"),
  length: ViewField.whole("The characters of the whole message"),
  endpoints: Schema.Array(
    Schema.Struct(endpointStateFields).annotate({ identifier: "MessageAtEndpoint" })
  ).annotate({ description: "Each endpoint of the business, in id order" })
}).annotate({ identifier: "MessageRecord" })
export type MessageRecordView = typeof MessageRecordView.Type

/** The number of messages that a replay delivers again (D9.6). */
export const ReplayCount = Schema.Struct({
  count: ViewField.whole("Number of messages that are delivered again")
}).annotate({ identifier: "ReplayCount" })

/** The result of a test message (D9.9). */
export const TestView = Schema.Struct({
  webhookId: ViewField.text("The header webhook-id: test_ and a UUID"),
  messageType: webhookType("The type of the message"),
  isTaken: Field.flag("Whether the answer is a success, any 2xx"),
  at: time,
  request: Schema.NullOr(
    Schema.Struct({
      url: ViewField.text("The address that was called, by POST"),
      headers: headers("By name, credentials as ***"),
      body: ViewField.text("The message")
    }).annotate({ identifier: "SentRequest" })
  ).annotate({ description: "null when nothing was sent, such as after a failed login" }),
  status: ViewField.orNull(Schema.Int, "Status of the answer; null without one"),
  durationMs: Schema.Finite.annotate({
    description: "From the request to the answer, in milliseconds, without the login"
  }),
  answer: Schema.NullOr(
    Schema.Struct({
      headers: headers("By lower-case name"),
      body: ViewField.text("The beginning of the body")
    }).annotate({ identifier: "TestAnswer" })
  ).annotate({ description: "null without an answer" }),
  error: ViewField.text(
    "Why nothing was sent, or why the answer is missing or incomplete; empty if none of these is so"
  ),
  remedy: ViewField.text("How to fix it; empty for a message that was accepted")
}).annotate({ identifier: "WebhookTestResult" })
export type TestView = typeof TestView.Type

/** The newest id of messages after ids were advanced (D7.5). */
export const AdvanceView = Schema.Struct({
  newestId: ViewField.whole("The newest id: the next message gets a higher one")
}).annotate({ identifier: "AdvancedMessages" })

/** An entry of the record of operators' changes (D13.8). */
export const AuditView = Schema.Struct({
  id: ViewField.text("Its id"),
  at: ViewField.text("When, RFC 3339 in UTC"),
  clientId: ViewField.text("Who made the change: the id of a client, or `person:` and the id of a person"),
  address: ViewField.text(
    "Address that the request came from, beyond trusted proxies; empty if it is unknown"
  ),
  action: open(
    "auditActions",
    auditActions as ReadonlyArray<AuditAction>,
    (actions) => ViewField.word(actions, "What was done")
  ),
  business: ViewField.text(
    "Slug of the changed business; * for the whole service, and for several businesses"
  ),
  subject: ViewField.text("The path of the changed entity below /v1/operator"),
  details: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "The new values, without secrets; a very long value is cut to the beginning of its JSON"
  })
}).annotate({ identifier: "AuditEntry" })

export type AuditView = typeof AuditView.Type

/** The state of a person that a change may set. */
export const personState = ({ grants, name }: PersonView): unknown => ({ grants, name })

/** The state of a client that a change may set. */
export const clientState = ({ enabled, grants, name }: ClientView): unknown => ({ enabled, grants, name })

/** The state of an endpoint that a change may set, without secrets. */
export const endpointState = (
  { authentication, baseUrl, enabled, headers, messageTypes, payloadProfile, ratePerSecond, signatures }:
    EndpointView
): unknown => ({
  authentication,
  baseUrl,
  enabled,
  headers,
  messageTypes,
  payloadProfile,
  ratePerSecond,
  signatures
})

/** Shows a person. Nothing in the stored person is secret. */
export const personView = (person: Person): PersonView => ViewField.show(PersonView, person, {})

/** Shows a client, with only the ids and times of its secrets. */
export const clientView = (client: Client): ClientView =>
  ViewField.show(ClientView, client, {
    secrets: client.secrets.map(({ id, createdAt }) => ({ id, createdAt: createdAt ?? null }))
  })

/** Shows an endpoint; secrets that have expired by `now` are left out. */
export const endpointView = (endpoint: ShownEndpoint, now: Timestamp.Timestamp): EndpointView =>
  ViewField.show(EndpointView, endpoint, {
    id: String(endpoint.id),
    authentication: { ...endpoint.authentication.settings, type: endpoint.authentication.type },
    warnings: warningsOf(endpoint),
    headers: endpoint.headers.map(({ name }) => ({ name })),
    signingSecrets: endpoint.signingSecrets
      .filter(({ validUntil }) => validUntil === null || validUntil > now)
      .map(({ validUntil }) => ({ validUntil }))
  })

/** Shows a delivery. If its endpoint is disabled, it has no next attempt, even if one was due. */
export const deliveryView = (
  delivery: Delivery,
  { enabled }: Pick<WebhookEndpoint, "enabled">
): DeliveryView =>
  ViewField.show(DeliveryView, delivery, {
    id: String(delivery.messageId),
    shipmentId: String(delivery.shipmentId),
    nextAttemptAt: enabled ? delivery.nextAttemptAt : null
  })

/**
 * Shows a delivery with the request of its attempts. `message` is `undefined` once it was dropped by age, and `profile` is `undefined` if
 * the service no longer has the endpoint's profile.
 */
export const deliveryDetailView = (
  delivery: Delivery,
  endpoint: WebhookEndpoint,
  profile: PayloadProfile | undefined,
  message: Deliverable | undefined
): DeliveryDetailView => ({
  ...deliveryView(delivery, endpoint),
  request: message === undefined || profile === undefined ? null : requestView(endpoint, profile, message)
})

const requestView = (
  endpoint: WebhookEndpoint,
  profile: PayloadProfile,
  message: Deliverable
): DeliveryDetailView["request"] => {
  const { body, contentType, path } = deliveryBody(profile, message)
  return {
    url: `${endpoint.baseUrl}${path}`,
    headers: {
      "Content-Type": contentType,
      "webhook-id": `msg_${message.id}`,
      ...Object.fromEntries(endpoint.headers.map(({ name }) => [name, "***"])),
      ...(endpoint.authentication.type === "none" ? {} : { Authorization: "***" })
    },
    body: body.slice(0, shownBodyLimit).toWellFormed(),
    length: body.length
  }
}

/** Shows a message with its state at the endpoints of its business. */
export const messageRecordView = (
  message: Deliverable,
  endpoints: ReadonlyArray<WebhookEndpoint>,
  deliveries: ReadonlyArray<EndpointDelivery>
): MessageRecordView => {
  const text = "text" in message ? message.text : message.json
  const { business, facility, id, sentAt, shipmentId, type } = message
  return {
    id,
    business,
    facility,
    messageType: type,
    shipmentId: String(shipmentId),
    sentAt,
    body: text.slice(0, shownBodyLimit).toWellFormed(),
    length: text.length,
    endpoints: endpoints.map((endpoint) => {
      const delivery = deliveries.find(({ endpointId }) => endpointId === endpoint.id)
      return {
        endpointId: String(endpoint.id),
        baseUrl: endpoint.baseUrl,
        ...messageState(endpoint, message, delivery),
        nextAttemptAt: delivery === undefined ? null : deliveryView(delivery, endpoint).nextAttemptAt,
        lastAttempt: delivery?.attempts.at(-1) ?? null
      }
    })
  }
}

/** Shows an entry of the record of changes, with its id as text. */
export const auditView = (entry: AuditEntry): AuditView => ({ ...entry, id: String(entry.id) })

/** Unwraps a new secret, which only the answer that creates it shows. */
export const unwrap = <Name extends string, Secret extends Readonly<Record<Name, Redacted.Redacted>>>(
  value: Secret,
  name: Name
): Omit<Secret, Name> & Readonly<Record<Name, string>> => ({ ...value, [name]: Redacted.value(value[name]) })
