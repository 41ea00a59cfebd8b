/**
 * The groups of the operators' operations in the REST interface (D11, D14.4). Every operation takes the permission `operator`, for the
 * business that it is about or for the whole service.
 */
import { operatorOperations as operations } from "@dockline/core/operator/OperatorOperations"
import { changeEndpoint, listEndpoint, readEndpoint, securedGroup } from "./Endpoints.ts"

export class Businesses extends securedGroup(
  "businesses",
  "Operator: businesses",
  "The businesses of the service, and which fields their messages carry",
  listEndpoint(operations.listBusinesses),
  changeEndpoint(operations.createBusiness),
  readEndpoint(operations.getBusiness),
  changeEndpoint(operations.renameBusiness),
  readEndpoint(operations.getFieldMap),
  changeEndpoint(operations.setFieldMap)
) {}

export class Facilities extends securedGroup(
  "facilities",
  "Operator: facilities and docks",
  "Where a business loads and unloads",
  listEndpoint(operations.listFacilities),
  changeEndpoint(operations.createFacility),
  readEndpoint(operations.getFacility),
  changeEndpoint(operations.updateFacility),
  listEndpoint(operations.listDocks),
  changeEndpoint(operations.createDock)
) {}

export class Clients extends securedGroup(
  "clients",
  "Operator: API clients",
  "Who may use the service, for what and where, and with which secrets",
  listEndpoint(operations.listClients),
  changeEndpoint(operations.createClient),
  readEndpoint(operations.getClient),
  changeEndpoint(operations.updateClient),
  changeEndpoint(operations.addClientGrants),
  changeEndpoint(operations.withdrawClientGrants),
  changeEndpoint(operations.createSecret),
  changeEndpoint(operations.deleteSecret)
) {}

export class People extends securedGroup(
  "people",
  "Operator: people",
  "Who may sign in to the dashboard by the OpenID Connect provider, for what and where",
  listEndpoint(operations.listPeople),
  changeEndpoint(operations.addPerson),
  readEndpoint(operations.getPerson),
  changeEndpoint(operations.updatePerson),
  changeEndpoint(operations.addPersonGrants),
  changeEndpoint(operations.withdrawPersonGrants),
  changeEndpoint(operations.removePerson)
) {}

export class WebhookEndpoints extends securedGroup(
  "webhookEndpoints",
  "Operator: webhook endpoints",
  "Where customers take messages, how the service signs in there, and how far each has got",
  listEndpoint(operations.listWebhookEndpoints),
  changeEndpoint(operations.createWebhookEndpoint),
  readEndpoint(operations.getWebhookEndpoint),
  changeEndpoint(operations.updateWebhookEndpoint),
  changeEndpoint(operations.deleteWebhookEndpoint),
  changeEndpoint(operations.rotateSigningSecret),
  changeEndpoint(operations.testWebhookEndpoint)
) {}

export class Deliveries extends securedGroup(
  "deliveries",
  "Operator: deliveries",
  "What became of messages on their way to an endpoint, and sending them again",
  listEndpoint(operations.listDeliveries),
  readEndpoint(operations.getDelivery),
  changeEndpoint(operations.replayDelivery),
  changeEndpoint(operations.replayDeliveries)
) {}

export class MessageLogs extends securedGroup(
  "messageLogs",
  "Operator: messages",
  "The ids of messages, after a restore",
  changeEndpoint(operations.advanceMessages)
) {}

export class Audit extends securedGroup(
  "audit",
  "Operator: audit",
  "The record of what operators have changed",
  listEndpoint(operations.listAudit)
) {}
