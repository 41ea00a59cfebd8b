/**
 * The prose of the OpenAPI document about the operator side.
 */
import type { JsonObject } from "./OpenApiSchemas.ts"
import type { TagText } from "./OpenApiText.ts"

/** The groups by the name that the API gives them. */
export const tags: Readonly<Record<string, TagText>> = {
  businesses: {
    name: "Operator: businesses",
    description: "The businesses of the service, and which fields their messages carry"
  },
  facilities: {
    name: "Operator: facilities and docks",
    description: "Where a business loads and unloads"
  },
  clients: {
    name: "Operator: API clients",
    description: "Who may use the service, for what and where, and with which secrets"
  },
  webhookEndpoints: {
    name: "Operator: webhook endpoints",
    description: "Where customers take messages, how the service signs in there, and how far each has got"
  },
  deliveries: {
    name: "Operator: deliveries",
    description: "What became of messages on their way to an endpoint, and sending them again"
  },
  messageLogs: {
    name: "Operator: messages",
    description: "The ids of messages, after a restore"
  }
}

/** What a success means, by operation and status. */
export const successes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  listBusinesses: { 200: "A page of businesses, in slug order." },
  createBusiness: { 201: "The business was created." },
  getBusiness: { 200: "The business." },
  renameBusiness: { 200: "The business under its new name." },
  getFieldMap: { 200: "The field map; an empty list where messages carry no labels." },
  setFieldMap: { 200: "The field map as it is now." },
  listFacilities: { 200: "A page of facilities, in slug order." },
  createFacility: { 201: "The facility was created." },
  getFacility: { 200: "The facility." },
  renameFacility: { 200: "The facility under its new name." },
  listDocks: { 200: "A page of docks, in slug order." },
  createDock: { 201: "The dock was created." },
  listClients: { 200: "A page of clients, in id order." },
  createClient: { 201: "The client was created. Its secret is shown this once." },
  getClient: { 200: "The client." },
  updateClient: { 200: "The client as it is now." },
  createSecret: { 201: "The secret was added. It is shown this once." },
  deleteSecret: { 204: "The secret is deleted." },
  listWebhookEndpoints: { 200: "A page of endpoints, in id order." },
  createWebhookEndpoint: { 201: "The endpoint was created. Its signing secret is shown this once." },
  getWebhookEndpoint: { 200: "The endpoint." },
  updateWebhookEndpoint: { 200: "The endpoint as it is now." },
  deleteWebhookEndpoint: { 204: "The endpoint is deleted, and so is the record of its deliveries." },
  rotateSigningSecret: { 200: "The new signing secret. It is shown this once." },
  listDeliveries: { 200: "A page of deliveries, the newest message first." },
  replayDelivery: { 202: "The message will be delivered again." },
  replayDeliveries: { 202: "The messages will be delivered again, so many of them." },
  advanceMessages: { 200: "Where ids stand now." }
}

/** The types of parameters, where a generated one only says how a value is written in a URL. */
export const parameterSchemas: Readonly<Record<string, JsonObject>> = {
  limit: { type: "integer", minimum: 1, maximum: 100, default: 100 }
}

/** What parameters mean, where the API's schemas lose it on the way to the document. */
export const parameterTexts: Readonly<Record<string, string>> = {
  limit: "The most entities to answer with; 100 when absent.",
  after: "The `next` of the page before.",
  status: "Only deliveries of this status.",
  "correlation-id":
    "Returned as it is in the answer, and in every line that the service logs about the request."
}
