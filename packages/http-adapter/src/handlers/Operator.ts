/**
 * The handlers of the operator side: businesses and their places, API clients (D11). Each reads what was sent and passes
 * it on to the service of core that it is about, which decides who may do what.
 */
import { ApiClients } from "@dockline/core/ApiClients"
import { Businesses } from "@dockline/core/Businesses"
import * as ClientInput from "@dockline/core/ClientInput"
import { Messages } from "@dockline/core/Messages"
import * as OperatorInput from "@dockline/core/OperatorInput"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import type { HttpConfig } from "../api/HttpConfig.ts"
import * as OperatorRequests from "./OperatorRequests.ts"
import { pathOf, unwrapped } from "./OperatorRequests.ts"

/** The group `businesses`. */
export const businesses = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "businesses",
    Effect.fnUntraced(function*(handlers) {
      const core = yield* Businesses
      const { read, list, write } = OperatorRequests.make(config)
      return handlers
        .handleRaw("listBusinesses", ({ query }) => list((principal) => core.list(query, principal)))
        .handleRaw("createBusiness", () =>
          write(OperatorInput.readBusiness, core.create, {
            status: 201,
            location: ({ slug }) => pathOf("businesses", slug)
          }))
        .handleRaw("getBusiness", ({ params: { slug } }) => read((principal) => core.get(slug, principal)))
        .handleRaw("renameBusiness", ({ params: { slug } }) =>
          write(
            OperatorInput.readRename,
            (input, principal) => core.rename(slug, input, principal),
            { status: 200 }
          ))
        .handleRaw(
          "getFieldMap",
          ({ params: { slug } }) => read((principal) => core.fieldMap(slug, principal))
        )
        .handleRaw("setFieldMap", ({ params: { slug } }) =>
          write(
            OperatorInput.readFieldMap,
            (fields, principal) => core.setFieldMap(slug, fields, principal),
            { status: 200 }
          ))
    })
  )

/** The group `facilities`. */
export const facilities = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "facilities",
    Effect.fnUntraced(function*(handlers) {
      const core = yield* Businesses
      const { read, list, write } = OperatorRequests.make(config)
      const facilitiesOf = (slug: string) => ["businesses", slug, "facilities"] as const
      return handlers
        .handleRaw("listFacilities", ({ params: { slug }, query }) =>
          list((principal) => core.listFacilities(slug, query, principal)))
        .handleRaw("createFacility", ({ params: { slug } }) =>
          write(
            OperatorInput.readFacility,
            (input, principal) =>
              core.createFacility(slug, input, principal),
            { status: 201, location: (made) => pathOf(...facilitiesOf(slug), made.slug) }
          ))
        .handleRaw("getFacility", ({ params: { slug, facility } }) =>
          read((principal) =>
            core.getFacility(slug, facility, principal)
          ))
        .handleRaw("renameFacility", ({ params: { slug, facility } }) =>
          write(
            OperatorInput.readRename,
            (input, principal) => core.renameFacility(slug, facility, input, principal),
            { status: 200 }
          ))
        .handleRaw("listDocks", ({ params: { slug, facility }, query }) =>
          list((principal) =>
            core.listDocks(slug, facility, query, principal)
          ))
        .handleRaw("createDock", ({ params: { slug, facility } }) =>
          write(
            OperatorInput.readDock,
            (input, principal) =>
              core.createDock(slug, facility, input, principal),
            // A dock is all slug: there is nothing to read of one but the list that it is in.
            { status: 201, location: () => pathOf(...facilitiesOf(slug), facility, "docks") }
          ))
    })
  )

/** The group `clients`. */
export const clients = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "clients",
    Effect.fnUntraced(function*(handlers) {
      const core = yield* ApiClients
      const { read, list, write, act, remove } = OperatorRequests.make(config)
      return handlers
        .handleRaw("listClients", ({ query }) => list((principal) => core.list(query, principal)))
        .handleRaw("createClient", () =>
          write(
            ClientInput.readClient,
            (input, principal) => Effect.map(core.create(input, principal), unwrapped("clientSecret")),
            { status: 201, location: ({ id }) => pathOf("clients", id) }
          ))
        .handleRaw("getClient", ({ params: { clientId } }) =>
          read((principal) => core.get(clientId, principal)))
        .handleRaw("updateClient", ({ params: { clientId } }) =>
          write(
            ClientInput.readClientChange,
            (change, principal) =>
              core.update(clientId, change, principal),
            { status: 200 }
          ))
        .handleRaw("createSecret", ({ params: { clientId } }) =>
          act(
            (principal) => Effect.map(core.addSecret(clientId, principal), unwrapped("clientSecret")),
            { status: 201, location: ({ secretId }) => pathOf("clients", clientId, "secrets", secretId) }
          ))
        .handleRaw("deleteSecret", ({ params: { clientId, secretId } }) =>
          remove((principal) =>
            core.removeSecret(clientId, secretId, principal)
          ))
    })
  )

/** The group `messageLogs`. */
export const messageLogs = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "messageLogs",
    Effect.fnUntraced(function*(handlers) {
      const core = yield* Messages
      const { write } = OperatorRequests.make(config)
      return handlers.handleRaw(
        "advanceMessages",
        () => write(OperatorInput.readAdvance, core.advance, { status: 200 })
      )
    })
  )
