/**
 * An engine over memory, with the demonstration's places and clients, for tests.
 */
import type { Grant } from "@dockline/core/access/Access"
import { Authenticator } from "@dockline/core/access/Authenticator"
import type { Session } from "@dockline/core/access/Authenticator"
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import * as Capability from "@dockline/core/capability/Capability"
import * as DeclaredOperations from "@dockline/core/capability/DeclaredOperations"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { DocumentReader } from "@dockline/core/document/DocumentReader"
import { Intake } from "@dockline/core/document/Intake"
import * as Memory from "@dockline/core/memory/Memory"
import { Messages } from "@dockline/core/messages/Messages"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { handlersOf } from "@dockline/core/operations/Handlers"
import { Directory } from "@dockline/core/places/Place"
import { Search } from "@dockline/core/search/Search"
import { Unauthenticated } from "@dockline/core/values/Errors"
import { capabilities } from "@dockline/server/Capabilities"
import { Effect, Layer } from "effect"
import * as OperatorServices from "../../../test/support/OperatorServices.ts"
import { GraphqlEngine } from "../src/engine/Engine.ts"
import { defaultGraphqlConfig } from "../src/GraphqlConfig.ts"
import type { GraphqlConfig } from "../src/GraphqlConfig.ts"
import type { CoreServices, SchemaServices } from "../src/resolvers/Run.ts"

const grant = (
  business: string,
  facilities: Grant["facilities"],
  ...permissions: Grant["permissions"]
): Grant => ({
  business,
  facilities,
  permissions
})

/** The clients, by id; the token of each is its id. */
export const grants: Readonly<Record<string, ReadonlyArray<Grant>>> = {
  "acme-client": [grant("acme", "*", "documents:write", "messages:read")],
  "acme-east-client": [grant("acme", ["east"], "documents:write", "messages:read")],
  "globex-client": [grant("globex", "*", "documents:write", "messages:read")],
  "every-east-client": [grant("*", ["east"], "messages:read")],
  tower: [
    grant("acme", "*", "pallets:write", "shipments:write"),
    grant("globex", "*", "pallets:write", "shipments:write")
  ]
}

/** The session of a client, valid for an hour. */
export const sessionOf = (clientId: string): Session => ({
  principal: { clientId, grants: grants[clientId] ?? [] },
  expiresAt: Date.now() + 3_600_000
})

/** Takes a client's id for its token. */
export const authenticator = Layer.succeed(
  Authenticator,
  Authenticator.of({
    authenticate: (header) => {
      const clientId = /^Bearer (.+)$/.exec(header ?? "")?.[1] ?? ""
      return clientId in grants ? Effect.succeed(sessionOf(clientId)) : Effect.fail(new Unauthenticated())
    },
    current: (clientId) =>
      clientId in grants
        ? Effect.succeed(sessionOf(clientId).principal)
        : Effect.fail(new Unauthenticated())
  })
)

const documentReader = DocumentReader.layerJson()

const places = Layer.effectDiscard(
  Effect.flatMap(Directory, (directory) =>
    directory.put([
      {
        slug: "acme",
        name: "Acme",
        fieldMap: [{ name: "LPN", label: "lpn", list: false }, { name: "SKUs", label: "sku", list: true }],
        facilities: [
          { slug: "east", name: "East", docks: ["D1", "D2"] },
          { slug: "west", name: "West", docks: ["D1"] }
        ]
      },
      {
        slug: "globex",
        name: "Globex",
        fieldMap: [],
        facilities: [{ slug: "main", name: "Main", docks: ["D1"] }]
      }
    ]))
)

/** The services of core over the stores given, with the places in them. */
export const servicesOver = <E>(
  stores: Layer.Layer<Memory.Stores | Capability.PortsOf<typeof capabilities>, E>
) =>
  OperationRegistry.layer(capabilities).pipe(Layer.provideMerge(Layer.mergeAll(
    Layer.provide(Capability.servicesOf(capabilities), OperatorServices.ports()),
    Intake.layer(),
    Shipments.layer(),
    Pallets.layer(),
    Search.layer,
    Messages.layer()
  ))).pipe(
    Layer.provideMerge(DeclaredOperations.layer(capabilities)),
    Layer.provideMerge(documentReader),
    Layer.provideMerge(authenticator),
    Layer.provideMerge(RequestLimits.layerNone),
    Layer.provideMerge(places),
    Layer.provideMerge(stores)
  )

/** The services of core over one memory, with the places in it. */
export const services = servicesOver(Memory.layerWith(capabilities))

/** An engine over {@link services}, and these as well. */
export const engine = (config: Partial<GraphqlConfig> = {}) =>
  GraphqlEngine.layer({ ...defaultGraphqlConfig, ...config }).pipe(Layer.provideMerge(services))

/** The services of a schema with others in their place, whose operations do their work. */
export const withChanges = (services: SchemaServices, changes: Partial<CoreServices>): SchemaServices => {
  const all = { ...services, ...changes }
  const handlers = { ...all.registry.handlers, ...handlersOf(all) }
  return { ...all, registry: { ...all.registry, handlers } }
}
