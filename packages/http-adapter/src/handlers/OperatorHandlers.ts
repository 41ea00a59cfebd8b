/**
 * The handlers of the operator side (D11): each passes its request on to core, which decides who may do what.
 */
import { ApiClients } from "@dockline/core/ApiClients"
import { Audit } from "@dockline/core/Audit"
import { Businesses } from "@dockline/core/Businesses"
import { Deliveries } from "@dockline/core/Deliveries"
import * as ClientInput from "@dockline/core/internal/operator/ClientInput"
import * as OperatorInput from "@dockline/core/internal/operator/OperatorInput"
import { WebhookTests } from "@dockline/core/internal/operator/WebhookTests"
import * as WebhookInput from "@dockline/core/internal/webhooks/WebhookInput"
import { Messages } from "@dockline/core/Messages"
import { People } from "@dockline/core/People"
import { AuthenticationSchemes } from "@dockline/core/WebhookEndpoint"
import { Webhooks } from "@dockline/core/Webhooks"
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { tables } from "../answer/Tables.ts"
import { Api } from "../api/Api.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import * as OperatorRequests from "./OperatorRequests.ts"
import { list, locationOf, read, unwrapped } from "./OperatorRequests.ts"

const businesses = (config: HttpConfig) =>
  HttpApiBuilder.group(Api, "businesses", (handlers) =>
    Effect.map(Businesses, (core) => {
      const { write } = OperatorRequests.make(config)
      return handlers
        .handleRaw("listBusinesses", ({ query }) => list(tables.listBusinesses, query, core.list))
        .handleRaw("createBusiness", () =>
          write(OperatorInput.readBusiness, core.create, {
            location: ({ slug }) => locationOf("businesses", slug)
          }))
        .handleRaw("getBusiness", ({ params: { slug } }) => read((principal) => core.get(slug, principal)))
        .handleRaw("renameBusiness", ({ params: { slug } }) =>
          write(OperatorInput.readRename, (input, principal) =>
            core.rename(slug, input, principal)))
        .handleRaw("getFieldMap", ({ params: { slug } }) =>
          read((principal) => core.fieldMap(slug, principal)))
        .handleRaw("setFieldMap", ({ params: { slug } }) =>
          write(OperatorInput.readFieldMap, (fields, principal) =>
            core.setFieldMap(slug, fields, principal)))
    }))

const facilities = (config: HttpConfig) =>
  HttpApiBuilder.group(Api, "facilities", (handlers) =>
    Effect.map(Businesses, (core) => {
      const { write } = OperatorRequests.make(config)
      const facilitiesOf = (slug: string) => ["businesses", slug, "facilities"] as const
      return handlers
        .handleRaw("listFacilities", ({ params: { slug }, query }) =>
          list(tables.listFacilities, query, (page, principal) =>
            core.listFacilities(slug, page, principal)))
        .handleRaw("createFacility", ({ params: { slug } }) =>
          write(OperatorInput.readFacility, (input, principal) =>
            core.createFacility(slug, input, principal), {
            location: (made) =>
              locationOf(...facilitiesOf(slug), made.slug)
          }))
        .handleRaw("getFacility", ({ params: { slug, facility } }) =>
          read((principal) =>
            core.getFacility(slug, facility, principal)
          ))
        .handleRaw("updateFacility", ({ params: { slug, facility } }) =>
          write(OperatorInput.readFacilityChange, (input, principal) =>
            core.updateFacility(slug, facility, input, principal)))
        .handleRaw("listDocks", ({ params: { slug, facility }, query }) =>
          list(tables.listDocks, query, (page, principal) =>
            core.listDocks(slug, facility, page, principal)))
        .handleRaw("createDock", ({ params: { slug, facility } }) =>
          write(OperatorInput.readDock, (input, principal) =>
            core.createDock(slug, facility, input, principal), {
            // A dock has no path of its own: it is read in the list of docks.
            location: () =>
              locationOf(...facilitiesOf(slug), facility, "docks")
          }))
    }))

const clients = (config: HttpConfig) =>
  HttpApiBuilder.group(Api, "clients", (handlers) =>
    Effect.map(ApiClients, (core) => {
      const { act, remove, write } = OperatorRequests.make(config)
      return handlers
        .handleRaw("listClients", ({ query }) => list(tables.listClients, query, core.list))
        .handleRaw("createClient", () =>
          write(
            ClientInput.readClient,
            (input, principal) => Effect.map(core.create(input, principal), unwrapped("clientSecret")),
            { location: ({ id }) => locationOf("clients", id) }
          ))
        .handleRaw("getClient", ({ params: { clientId } }) =>
          read((principal) => core.get(clientId, principal)))
        .handleRaw("updateClient", ({ params: { clientId } }) =>
          write(ClientInput.readClientChange, (change, principal) =>
            core.update(clientId, change, principal)))
        .handleRaw("createSecret", ({ params: { clientId } }) =>
          act((principal) =>
            Effect.map(core.addSecret(clientId, principal), unwrapped("clientSecret")), {
            location: ({ secretId }) =>
              locationOf("clients", clientId, "secrets", secretId)
          }))
        .handleRaw("deleteSecret", ({ params: { clientId, secretId } }) =>
          remove((principal) =>
            core.removeSecret(clientId, secretId, principal)
          ))
    }))

const people = (config: HttpConfig) =>
  HttpApiBuilder.group(Api, "people", (handlers) =>
    Effect.map(People, (core) => {
      const { remove, write } = OperatorRequests.make(config)
      return handlers
        .handleRaw("listPeople", ({ query }) => list(tables.listPeople, query, core.list))
        .handleRaw("addPerson", () =>
          write(ClientInput.readPerson, core.add, { location: ({ id }) => locationOf("people", id) }))
        .handleRaw("getPerson", ({ params: { personId } }) =>
          read((principal) =>
            core.get(personId, principal)
          ))
        .handleRaw("updatePerson", ({ params: { personId } }) =>
          write(ClientInput.readPersonChange, (change, principal) =>
            core.update(personId, change, principal)))
        .handleRaw("removePerson", ({ params: { personId } }) =>
          remove((principal) =>
            core.remove(personId, principal)
          ))
    }))

const messageLogs = (config: HttpConfig) =>
  HttpApiBuilder.group(Api, "messageLogs", (handlers) =>
    Effect.map(Messages, (core) => {
      const { write } = OperatorRequests.make(config)
      return handlers.handleRaw("advanceMessages", () => write(OperatorInput.readAdvance, core.advance))
    }))

const webhookEndpoints = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "webhookEndpoints",
    Effect.fnUntraced(function*(handlers) {
      const core = yield* Webhooks
      const tests = yield* WebhookTests
      const schemes = yield* AuthenticationSchemes
      const readEndpoint = WebhookInput.endpointReader(schemes)
      const readPatch = WebhookInput.endpointPatchReader(schemes)
      const { act, remove, write, writeOptional } = OperatorRequests.make(config)
      return handlers
        .handleRaw("listWebhookEndpoints", ({ query }) => list(tables.listWebhookEndpoints, query, core.list))
        .handleRaw("createWebhookEndpoint", () =>
          write(
            readEndpoint,
            (input, principal) => Effect.map(core.create(input, principal), unwrapped("signingSecret")),
            { location: ({ id }) => locationOf("webhook-endpoints", id) }
          ))
        .handleRaw(
          "getWebhookEndpoint",
          ({ params: { endpointId } }) => read((principal) => core.get(endpointId, principal))
        )
        .handleRaw(
          "updateWebhookEndpoint",
          ({ params: { endpointId } }) =>
            write(readPatch, (patch, principal) => core.update(endpointId, patch, principal))
        )
        .handleRaw(
          "deleteWebhookEndpoint",
          ({ params: { endpointId } }) => remove((principal) => core.remove(endpointId, principal))
        )
        .handleRaw(
          "rotateSigningSecret",
          ({ params: { endpointId } }) =>
            act((principal) =>
              Effect.map(core.rotateSecret(endpointId, principal), unwrapped("signingSecret"))
            )
        )
        .handleRaw(
          "certifyWebhookEndpoint",
          ({ params: { endpointId } }) => act((principal) => tests.certify(endpointId, principal))
        )
        .handleRaw(
          "testWebhookEndpoint",
          ({ params: { endpointId } }) =>
            writeOptional(
              OperatorInput.readTest,
              (input, principal) => tests.send(endpointId, input, principal)
            )
        )
    })
  )

const deliveries = (config: HttpConfig) =>
  HttpApiBuilder.group(Api, "deliveries", (handlers) =>
    Effect.map(Deliveries, (core) => {
      const { act, write } = OperatorRequests.make(config)
      return handlers
        .handleRaw("listDeliveries", ({ params: { endpointId }, query }) =>
          list(tables.listDeliveries, query, (page, principal) =>
            core.list(endpointId, page, principal)))
        .handleRaw(
          "getDelivery",
          ({ params: { endpointId, deliveryId } }) =>
            read((principal) =>
              core.get(endpointId, deliveryId, principal)
            )
        )
        .handleRaw("replayDelivery", ({ params: { endpointId, deliveryId } }) =>
          act((principal) =>
            core.replay(endpointId, deliveryId, principal), { status: 202 }))
        .handleRaw("replayDeliveries", ({ params: { endpointId } }) =>
          write(
            OperatorInput.readReplay,
            (range, principal) =>
              core.replayRange(endpointId, range, principal),
            { status: 202 }
          ))
    }))

const audit = HttpApiBuilder.group(
  Api,
  "audit",
  (handlers) =>
    Effect.map(
      Audit,
      (core) => handlers.handleRaw("listAudit", ({ query }) => list(tables.listAudit, query, core.list))
    )
)

export const layer = (config: HttpConfig) =>
  Layer.mergeAll(
    businesses(config),
    facilities(config),
    clients(config),
    people(config),
    messageLogs(config),
    webhookEndpoints(config),
    deliveries(config),
    audit
  )
