/**
 * The groups of the operations of operators in the REST interface (D11, D14.4). Every operation needs the permission `operator`, for its
 * business or for the whole service.
 */
import { operatorOperations as operations } from "@dockline/core/operator/OperatorOperations"
import { keylessEndpoint, listEndpoint, readEndpoint, securedGroup } from "./Endpoints.ts"

export class Businesses extends securedGroup(
  "businesses",
  "Operator: businesses",
  "The businesses of the service, and the fields of their messages",
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
  "The sites where a business loads and unloads",
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
  "The clients of the service, with their permissions and secrets",
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
  "The people who may sign in to the dashboard by the OpenID Connect provider, with their permissions",
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
  "The addresses at which customers receive messages, their authentication, and their progress",
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
  "The deliveries of messages to endpoints, and sending them again",
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
  "The record of operators' changes",
  listEndpoint(operations.listAudit)
) {}
