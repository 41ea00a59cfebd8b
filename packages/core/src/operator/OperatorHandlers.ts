/**
 * What each operation of operators does over the services of core, which decide who may do what.
 *
 * Guarantee: each runs for the principal that it is given, and its entry in the record of operators has the address of
 * `RequestOrigin`, which an interface that knows it provides around the handler.
 */
import { Effect } from "effect"
import { Messages } from "../messages/Messages.ts"
import { ApiClients } from "./ApiClients.ts"
import { Audit } from "./Audit.ts"
import { Businesses } from "./Businesses.ts"
import type { OperatorHandler } from "./Change.ts"
import { Deliveries } from "./Deliveries.ts"
import type { OperatorOperations } from "./OperatorOperations.ts"
import { People } from "./People.ts"
import { Webhooks } from "./Webhooks.ts"
import { WebhookTests } from "./WebhookTests.ts"

/** What each operation of operators does, by its name. */
export type OperatorHandlers = {
  readonly [Name in keyof OperatorOperations]: OperatorHandler<OperatorOperations[Name]>
}

/** The services whose work the operations of operators do. */
export interface OperatorServices {
  readonly businesses: Businesses["Service"]
  readonly clients: ApiClients["Service"]
  readonly people: People["Service"]
  readonly webhooks: Webhooks["Service"]
  readonly tests: WebhookTests["Service"]
  readonly deliveries: Deliveries["Service"]
  readonly audit: Audit["Service"]
  readonly messages: Pick<Messages["Service"], "advance">
}

/** What each operation of operators does over the services. */
export const operatorHandlersOf = (
  { audit, businesses, clients, deliveries, messages, people, tests, webhooks }: OperatorServices
): OperatorHandlers => ({
  listBusinesses: businesses.list,
  createBusiness: ({ body }, principal) => businesses.create(body, principal),
  getBusiness: ({ slug }, principal) => businesses.get(slug, principal),
  renameBusiness: ({ body, slug }, principal) => businesses.rename(slug, body, principal),
  getFieldMap: ({ slug }, principal) => businesses.fieldMap(slug, principal),
  setFieldMap: ({ body, slug }, principal) => businesses.setFieldMap(slug, body, principal),
  listFacilities: ({ slug, ...page }, principal) => businesses.listFacilities(slug, page, principal),
  createFacility: ({ body, slug }, principal) => businesses.createFacility(slug, body, principal),
  getFacility: ({ facility, slug }, principal) => businesses.getFacility(slug, facility, principal),
  updateFacility: ({ body, facility, slug }, principal) =>
    businesses.updateFacility(slug, facility, body, principal),
  listDocks: ({ facility, slug, ...page }, principal) =>
    businesses.listDocks(slug, facility, page, principal),
  createDock: ({ body, facility, slug }, principal) => businesses.createDock(slug, facility, body, principal),
  listClients: clients.list,
  createClient: ({ body }, principal) => clients.create(body, principal),
  getClient: ({ clientId }, principal) => clients.get(clientId, principal),
  updateClient: ({ body, clientId }, principal) => clients.update(clientId, body, principal),
  createSecret: ({ clientId }, principal) => clients.addSecret(clientId, principal),
  deleteSecret: ({ clientId, secretId }, principal) => clients.removeSecret(clientId, secretId, principal),
  listPeople: people.list,
  addPerson: ({ body }, principal) => people.add(body, principal),
  getPerson: ({ personId }, principal) => people.get(personId, principal),
  updatePerson: ({ body, personId }, principal) => people.update(personId, body, principal),
  removePerson: ({ personId }, principal) => people.remove(personId, principal),
  listWebhookEndpoints: webhooks.list,
  createWebhookEndpoint: ({ body }, principal) => webhooks.create(body, principal),
  getWebhookEndpoint: ({ endpointId }, principal) => webhooks.get(endpointId, principal),
  updateWebhookEndpoint: ({ body, endpointId }, principal) => webhooks.update(endpointId, body, principal),
  deleteWebhookEndpoint: ({ endpointId }, principal) => webhooks.remove(endpointId, principal),
  rotateSigningSecret: ({ endpointId }, principal) => webhooks.rotateSecret(endpointId, principal),
  testWebhookEndpoint: ({ body, endpointId }, principal) => tests.send(endpointId, body, principal),
  certifyWebhookEndpoint: ({ endpointId }, principal) => tests.certify(endpointId, principal),
  listDeliveries: ({ endpointId, ...query }, principal) => deliveries.list(endpointId, query, principal),
  getDelivery: ({ deliveryId, endpointId }, principal) => deliveries.get(endpointId, deliveryId, principal),
  replayDelivery: ({ deliveryId, endpointId }, principal) =>
    deliveries.replay(endpointId, deliveryId, principal),
  replayDeliveries: ({ body, endpointId }, principal) => deliveries.replayRange(endpointId, body, principal),
  listAudit: audit.list,
  advanceMessages: ({ body }, principal) => messages.advance(body, principal)
})

/** What each operation of operators does, over the services of the context. */
export const operatorHandlers: Effect.Effect<
  OperatorHandlers,
  never,
  Businesses | ApiClients | People | Webhooks | WebhookTests | Deliveries | Audit | Messages
> = Effect.gen(function*() {
  return operatorHandlersOf({
    businesses: yield* Businesses,
    clients: yield* ApiClients,
    people: yield* People,
    webhooks: yield* Webhooks,
    tests: yield* WebhookTests,
    deliveries: yield* Deliveries,
    audit: yield* Audit,
    messages: yield* Messages
  })
})
