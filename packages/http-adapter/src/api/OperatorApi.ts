/**
 * The groups of the operators' operations in the REST interface (D11, D14.4). Every operation takes the permission `operator`, for the
 * business that it is about or for the whole service.
 */
import { operatorOperations as operations } from "@dockline/core/operator/OperatorOperations"
import { keylessEndpoint, listEndpoint, readEndpoint, securedGroup } from "./Endpoints.ts"

export class Businesses extends securedGroup(
  "businesses",
  "Operator: businesses",
  "The businesses of the service, and which fields their messages carry",
  listEndpoint(operations.listBusinesses),
  keylessEndpoint(operations.createBusiness),
  readEndpoint(operations.getBusiness),
  keylessEndpoint(operations.renameBusiness),
  readEndpoint(operations.getFieldMap),
  keylessEndpoint(operations.setFieldMap)
) {}

export class Facilities extends securedGroup(
  "facilities",
  "Operator: facilities and docks",
  "Where a business loads and unloads",
  listEndpoint(operations.listFacilities),
  keylessEndpoint(operations.createFacility),
  readEndpoint(operations.getFacility),
  keylessEndpoint(operations.updateFacility),
  listEndpoint(operations.listDocks),
  keylessEndpoint(operations.createDock)
) {}

export class Clients extends securedGroup(
  "clients",
  "Operator: API clients",
  "Who may use the service, for what and where, and with which secrets",
  listEndpoint(operations.listClients),
  keylessEndpoint(operations.createClient),
  readEndpoint(operations.getClient),
  keylessEndpoint(operations.updateClient),
  keylessEndpoint(operations.addClientGrants),
  keylessEndpoint(operations.withdrawClientGrants),
  keylessEndpoint(operations.createSecret),
  keylessEndpoint(operations.deleteSecret)
) {}

export class People extends securedGroup(
  "people",
  "Operator: people",
  "Who may sign in to the dashboard by the OpenID Connect provider, for what and where",
  listEndpoint(operations.listPeople),
  keylessEndpoint(operations.addPerson),
  readEndpoint(operations.getPerson),
  keylessEndpoint(operations.updatePerson),
  keylessEndpoint(operations.addPersonGrants),
  keylessEndpoint(operations.withdrawPersonGrants),
  keylessEndpoint(operations.removePerson)
) {}

export class WebhookEndpoints extends securedGroup(
  "webhookEndpoints",
  "Operator: webhook endpoints",
  "Where customers take messages, how the service signs in there, and how far each has got",
  listEndpoint(operations.listWebhookEndpoints),
  keylessEndpoint(operations.createWebhookEndpoint),
  readEndpoint(operations.getWebhookEndpoint),
  keylessEndpoint(operations.updateWebhookEndpoint),
  keylessEndpoint(operations.deleteWebhookEndpoint),
  keylessEndpoint(operations.rotateSigningSecret),
  keylessEndpoint(operations.testWebhookEndpoint)
) {}

export class Deliveries extends securedGroup(
  "deliveries",
  "Operator: deliveries",
  "What became of messages on their way to an endpoint, and sending them again",
  listEndpoint(operations.listDeliveries),
  readEndpoint(operations.getDelivery),
  readEndpoint(operations.getMessage),
  keylessEndpoint(operations.replayDelivery),
  keylessEndpoint(operations.replayDeliveries)
) {}

export class MessageLogs extends securedGroup(
  "messageLogs",
  "Operator: messages",
  "The ids of messages, after a restore",
  keylessEndpoint(operations.advanceMessages)
) {}

export class Audit extends securedGroup(
  "audit",
  "Operator: audit",
  "The record of what operators have changed",
  listEndpoint(operations.listAudit)
) {}
