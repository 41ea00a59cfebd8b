/**
 * The groups of the operators' operations in the REST interface (D11, D14.4). Every operation takes the permission `operator`, for the
 * business that it is about or for the whole service.
 */
import { operatorOperations as operations } from "@dockline/core/internal/operator/OperatorOperations"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { changeEndpoint, listEndpoint, readEndpoint } from "./Endpoints.ts"

export class Businesses extends HttpApiGroup.make("businesses")
  .add(
    listEndpoint(operations.listBusinesses),
    changeEndpoint(operations.createBusiness),
    readEndpoint(operations.getBusiness),
    changeEndpoint(operations.renameBusiness),
    readEndpoint(operations.getFieldMap),
    changeEndpoint(operations.setFieldMap)
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: businesses",
    description: "The businesses of the service, and which fields their messages carry"
  }))
{}

export class Facilities extends HttpApiGroup.make("facilities")
  .add(
    listEndpoint(operations.listFacilities),
    changeEndpoint(operations.createFacility),
    readEndpoint(operations.getFacility),
    changeEndpoint(operations.updateFacility),
    listEndpoint(operations.listDocks),
    changeEndpoint(operations.createDock)
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: facilities and docks",
    description: "Where a business loads and unloads"
  }))
{}

export class Clients extends HttpApiGroup.make("clients")
  .add(
    listEndpoint(operations.listClients),
    changeEndpoint(operations.createClient),
    readEndpoint(operations.getClient),
    changeEndpoint(operations.updateClient),
    changeEndpoint(operations.createSecret),
    changeEndpoint(operations.deleteSecret)
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: API clients",
    description: "Who may use the service, for what and where, and with which secrets"
  }))
{}

export class People extends HttpApiGroup.make("people")
  .add(
    listEndpoint(operations.listPeople),
    changeEndpoint(operations.addPerson),
    readEndpoint(operations.getPerson),
    changeEndpoint(operations.updatePerson),
    changeEndpoint(operations.removePerson)
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: people",
    description: "Who may sign in to the dashboard by the OpenID Connect provider, for what and where"
  }))
{}

export class WebhookEndpoints extends HttpApiGroup.make("webhookEndpoints")
  .add(
    listEndpoint(operations.listWebhookEndpoints),
    changeEndpoint(operations.createWebhookEndpoint),
    readEndpoint(operations.getWebhookEndpoint),
    changeEndpoint(operations.updateWebhookEndpoint),
    changeEndpoint(operations.deleteWebhookEndpoint),
    changeEndpoint(operations.rotateSigningSecret),
    changeEndpoint(operations.testWebhookEndpoint),
    changeEndpoint(operations.certifyWebhookEndpoint)
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: webhook endpoints",
    description: "Where customers take messages, how the service signs in there, and how far each has got"
  }))
{}

export class Deliveries extends HttpApiGroup.make("deliveries")
  .add(
    listEndpoint(operations.listDeliveries),
    readEndpoint(operations.getDelivery),
    changeEndpoint(operations.replayDelivery),
    changeEndpoint(operations.replayDeliveries)
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: deliveries",
    description: "What became of messages on their way to an endpoint, and sending them again"
  }))
{}

export class MessageLogs extends HttpApiGroup.make("messageLogs")
  .add(changeEndpoint(operations.advanceMessages))
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: messages",
    description: "The ids of messages, after a restore"
  }))
{}

export class Audit extends HttpApiGroup.make("audit")
  .add(listEndpoint(operations.listAudit))
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Operator: audit",
    description: "The record of what operators have changed"
  }))
{}
