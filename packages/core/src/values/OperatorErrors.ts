/**
 * The errors that only operators receive, or that only the logs of dispatchers contain.
 */
import { CatalogueError } from "./CatalogueError.ts"
import { nameText } from "./Clip.ts"
import { secondsInWords } from "./Timestamp.ts"

/** A business with that slug already exists. */
export class BusinessExists extends CatalogueError("BUSINESS_EXISTS", "conflict", {
  when: "there already is a business with that slug",
  example: { business: "acme" },
  message: ({ code, business }) => `${code}: slug=${business}; change this one, or take another slug`
}) {}

/** The business already has a facility with that slug. */
export class FacilityExists extends CatalogueError("FACILITY_EXISTS", "conflict", {
  when: "the business already has a facility with that slug",
  example: { business: "acme", facility: "east" },
  message: ({ code, business, facility }) =>
    `${code}: business=${business}, slug=${facility}; change this one, or take another slug`
}) {}

/** The facility already has a dock with that slug. */
export class DockExists extends CatalogueError("DOCK_EXISTS", "conflict", {
  when: "the facility already has a dock with that slug",
  example: { facility: "east", dock: "D1" },
  message: ({ code, facility, dock }) => `${code}: facility=${facility}, slug=${dock}`
}) {}

/** The service, a business or a facility has the maximum number of entries. */
export class TooManyEntries extends CatalogueError("TOO_MANY_ENTRIES", "conflict", {
  when: "the maximum number of entries of this kind is reached",
  example: { what: "facilities of a business", limit: 1000 },
  message: ({ code, what, limit }) => `${code}: at most ${limit} ${what}`
}) {}

/** No API client has that id, or the operator may not see it. */
export class ClientNotFound extends CatalogueError("CLIENT_NOT_FOUND", "notFound", {
  when: "there is no client with that id that the requesting client may see",
  example: { id: "5f0c8e0e-7d0b-4e6f-9a56-0a4b8f6d2c11" },
  message: ({ id }) => `Unknown client: ${nameText(id)}`
}) {}

/** No person has that id, or the operator may not see them. */
export class PersonNotFound extends CatalogueError("PERSON_NOT_FOUND", "notFound", {
  when: "there is no person with that id that the requesting client may see",
  example: { id: "0f6f7b1c-5d3e-4b59-8a8e-6f1f7f1d9c55" },
  message: ({ id }) => `Unknown person: ${nameText(id)}`
}) {}

/** A person with that e-mail address or subject already exists. */
export class PersonExists extends CatalogueError("PERSON_EXISTS", "conflict", {
  when: "there already is a person with that e-mail address or subject",
  example: { knownBy: "ada@example.com" },
  message: ({ code, knownBy }) =>
    `${code}: ${knownBy}; change the grants of this person, or ask an operator of the whole service`
}) {}

/** The client has no secret with that id. */
export class SecretNotFound extends CatalogueError("SECRET_NOT_FOUND", "notFound", {
  when: "the client has no secret with that id",
  example: { id: "c2c5ad9d-8f7b-4c8e-9a8e-2b9f6d3f1a10" },
  message: ({ id }) => `Unknown secret: ${id}`
}) {}

/** The client has the maximum number of valid secrets (D10.4). */
export class TooManySecrets extends CatalogueError("TOO_MANY_SECRETS", "conflict", {
  when: "the client already has two valid secrets",
  example: { clientId: "5f0c8e0e-7d0b-4e6f-9a56-0a4b8f6d2c11", limit: 2 },
  message: ({ code, clientId, limit }) =>
    `${code}: client ${clientId} has ${limit} secrets; delete the one that is no longer used`
}) {}

/** No webhook endpoint has that id, or the operator may not see it. */
export class WebhookEndpointNotFound extends CatalogueError("WEBHOOK_ENDPOINT_NOT_FOUND", "notFound", {
  when: "there is no endpoint with that id that the client may see",
  example: { id: "12" },
  message: ({ id }) => `Unknown webhook endpoint: ${id}`
}) {}

/** The endpoint has no delivery with that id. */
export class DeliveryNotFound extends CatalogueError("DELIVERY_NOT_FOUND", "notFound", {
  when: "the endpoint has no delivery with that id",
  example: { id: "90071" },
  message: ({ id }) => `Unknown delivery: ${id}`
}) {}

/** The business has no message with that id, or it was dropped by age. */
export class MessageNotFound extends CatalogueError("MESSAGE_NOT_FOUND", "notFound", {
  when: "the business has no message with that id, or it was dropped by age",
  example: { id: "90071" },
  message: ({ id }) => `Unknown message: ${id}`
}) {}

/** A replay names more messages than one request replays. */
export class TooManyDeliveries extends CatalogueError("TOO_MANY_DELIVERIES", "tooMany", {
  when: "the range holds more messages than one request replays",
  example: { limit: 100_000 },
  message: ({ limit }) => `The range holds more than ${limit} messages; replay it in parts`
}) {}

/** The endpoint is being tested already, or the maximum number of tests is running. */
export class TooManyTests extends CatalogueError("TOO_MANY_TESTS", "rateLimited", {
  when: "the endpoint is being tested already, or too many endpoints are being tested",
  example: { retryAfterSeconds: 5 },
  message: ({ retryAfterSeconds }) =>
    `The endpoint is being tested already, or too many others are; try again after ${
      secondsInWords(retryAfterSeconds)
    }`
}) {}

/** Ids would advance by more than one request permits. The value is probably a mistake. */
export class AdvanceTooFar extends CatalogueError("ADVANCE_TOO_FAR", "unprocessable", {
  when: "ids would advance by more than 10^12",
  example: { newestId: 90_071, limit: 1_000_000_000_000 },
  message: ({ newestId, limit }) => `Ids advance by at most ${limit} at once; the newest id is ${newestId}`
}) {}

/** The service has no key to seal secrets with, so it cannot store any. */
export class SecretsKeyMissing extends CatalogueError("SECRETS_KEY_MISSING", "conflict", {
  when: "the service has no key to encrypt secrets with",
  example: {},
  message: ({ code }) =>
    `${code}: the service has no key to encrypt secrets with; set SECRETS_KEY and start it again`
}) {}

/** A stored secret cannot be opened: it was sealed with another key, or is damaged. */
export class SecretUnreadable extends CatalogueError("SECRET_UNREADABLE", "internal", {
  when: "a stored secret cannot be decrypted; the log of the dispatcher says why",
  example: { reason: "it was encrypted with another key" },
  message: ({ reason }) =>
    `A stored secret cannot be decrypted: ${reason}; check that SECRETS_KEY is the key that it was stored with`
}) {}
