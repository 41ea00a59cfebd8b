/** The whole service in memory with the demo data, on a free port, for a browser. */
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import * as Capability from "@dockline/core/capability/Capability"
import * as DeclaredOperations from "@dockline/core/capability/DeclaredOperations"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { Intake } from "@dockline/core/document/Intake"
import * as Memory from "@dockline/core/memory/Memory"
import { Messages } from "@dockline/core/messages/Messages"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Search } from "@dockline/core/search/Search"
import * as HttpAdapter from "@dockline/http-adapter/HttpAdapter"
import { audienceOf, defaultHttpConfig } from "@dockline/http-adapter/HttpConfig"
import * as BearerAuth from "@dockline/http-adapter/tokens/BearerAuth"
import { Clients } from "@dockline/http-adapter/tokens/Clients"
import { TokenEndpoint } from "@dockline/http-adapter/tokens/TokenEndpoint"
import { defaultTokensConfig, Tokens } from "@dockline/http-adapter/tokens/Tokens"
import { capabilities, restParts } from "@dockline/server/Capabilities"
import * as DemoData from "@dockline/server/lifecycle/DemoData"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Exit, Layer, Scope } from "effect"
import { HttpRouter } from "effect/http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as OperatorServices from "./support/OperatorServices.ts"

/** Not the address at which the server listens: the reference has to work at any address. */
const baseUrl = "https://dockline.example"

/** The body of a client's request for a token. */
export const tokenRequest = {
  client_id: "acme-client",
  client_secret: DemoData.secretOf("acme-client"),
  audience: audienceOf(baseUrl),
  grant_type: "client_credentials"
}

const routes = HttpAdapter.layer({ ...defaultHttpConfig, baseUrl }, restParts).pipe(
  Layer.provide([
    OperationRegistry.layer(capabilities).pipe(
      Layer.provideMerge(Layer.mergeAll(
        Layer.provide(Capability.servicesOf(capabilities), OperatorServices.ports()),
        Intake.layer(),
        Messages.layer(),
        Pallets.layer(),
        Search.layer,
        Shipments.layer()
      )),
      Layer.provideMerge(DeclaredOperations.layer(capabilities))
    ),
    OperatorServices.layer(),
    RequestLimits.layerNone,
    Layer.effectDiscard(DemoData.install),
    Layer.mergeAll(BearerAuth.layer, TokenEndpoint.layer()).pipe(
      Layer.provideMerge(Layer.mergeAll(
        Clients.layer,
        Tokens.layer({ ...defaultTokensConfig, issuer: baseUrl, audience: audienceOf(baseUrl) })
      ))
    )
  ]),
  Layer.provide(Memory.layerWith(capabilities))
)

/** A running service. */
export interface Service {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Starts the service. */
export const start = async (): Promise<Service> => {
  const server = createServer()
  const scope = Scope.makeUnsafe()
  const layer = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: 0 }))
  )
  await Effect.runPromise(Layer.buildWithScope(layer, scope))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections()
      return Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
