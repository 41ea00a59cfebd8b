/**
 * All declared operations of operators, by their names (D11). Each needs the permission `operator`, for its business or for the whole
 * service.
 *
 * REST with its OpenAPI document and CSV, the command line and the pages of the dashboard have them. GraphQL and MCP do not, because some
 * answers hold secrets that are shown only once, and logs of queries and transcripts of models would keep them.
 */
import { auditActions } from "../access/AuditLog.ts"
import type { OpenWords } from "../access/OpenWords.ts"
import { withWords } from "../access/Operation.ts"
import type * as Operation from "../access/Operation.ts"
import { contractProfile } from "../places/MessageField.ts"
import { messageTypes } from "../values/Vocabulary.ts"
import { defaultSchemes } from "../webhooks/WebhookEndpoint.ts"
import type { AuthenticationScheme } from "../webhooks/WebhookEndpoint.ts"
import * as Business from "./internal/BusinessOperations.ts"
import * as Client from "./internal/ClientOperations.ts"
import * as Log from "./internal/LogOperations.ts"
import * as Webhook from "./internal/WebhookOperations.ts"

/** The types of all operations of operators, by their names. */
export type OperatorOperations =
  & typeof Business
  & typeof Client
  & typeof Log
  & {
    readonly [Name in keyof typeof Webhook]: (typeof Webhook)[Name] extends (...input: never) => infer Op ? Op
      : (typeof Webhook)[Name]
  }

/** The handlers of these operations by name; by default all operations. */
export type OperatorHandlers<Name extends keyof OperatorOperations = keyof OperatorOperations> = {
  readonly [Each in Name]: Operation.OperatorHandler<OperatorOperations[Each]>
}

/** The words of the contract alone. */
export const contractWords: OpenWords = {
  messageTypes,
  webhookTypes: messageTypes,
  outboxes: {},
  incidents: {},
  auditActions,
  payloadProfiles: [contractProfile.name],
  shipmentCounts: []
}

/** The operations for a service with these authentication schemes of webhook endpoints and these words. */
export const operatorOperationsOf = (
  schemes: ReadonlyArray<AuthenticationScheme>,
  words: OpenWords = contractWords
): OperatorOperations => ({
  ...Business,
  ...Client,
  ...Log,
  listAudit: withWords(Log.listAudit, words),
  ...Webhook,
  listWebhookEndpoints: withWords(Webhook.listWebhookEndpoints, words),
  createWebhookEndpoint: withWords(Webhook.createWebhookEndpoint(schemes, words), words),
  getWebhookEndpoint: withWords(Webhook.getWebhookEndpoint, words),
  updateWebhookEndpoint: withWords(Webhook.updateWebhookEndpoint(schemes, words), words),
  testWebhookEndpoint: withWords(Webhook.testWebhookEndpoint(words.webhookTypes), words),
  listDeliveries: withWords(Webhook.listDeliveries, words),
  getDelivery: withWords(Webhook.getDelivery, words),
  getMessage: withWords(Webhook.getMessage, words)
})

/** The operations for a service without schemes or words of its own. */
export const operatorOperations: OperatorOperations = operatorOperationsOf(defaultSchemes)
