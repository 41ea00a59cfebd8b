/** Only the interface of MCP, over memory, for a suite that has no token. */
import { Authenticator } from "@dockline/core/access/Authenticator"
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
import * as McpAdapter from "@dockline/mcp-adapter/McpAdapter"
import { defaultMcpConfig } from "@dockline/mcp-adapter/McpAdapter"
import { capabilities } from "@dockline/server/Capabilities"
import { NodeServer } from "@dockline/server/NodeServer"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as OperatorServices from "../support/OperatorServices.ts"

const anybody = {
  clientId: "anybody",
  grants: [{
    business: "*",
    facilities: "*",
    permissions: ["documents:write", "pallets:write", "shipments:write"]
  }]
} as const

const services = OperationRegistry.layer(capabilities).pipe(
  Layer.provideMerge(Layer.mergeAll(
    Layer.provide(Capability.servicesOf(capabilities), OperatorServices.ports()),
    Intake.layer(),
    Shipments.layer(),
    Search.layer,
    Messages.layer(),
    Pallets.layer(),
    RequestLimits.layerNone,
    Authenticator.layerPromise(async () => anybody)
  )),
  Layer.provideMerge(DeclaredOperations.layer(capabilities)),
  Layer.provideMerge(Memory.layerWith(capabilities))
)

const createServer = () => new NodeServer({ hosts: { baseUrl: defaultMcpConfig.baseUrl, isLocal: true } })

/** Serves it, and returns its address. */
export const serve = Effect.gen(function*() {
  const context = yield* Layer.build(
    HttpRouter.serve(McpAdapter.routes(), { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
      Layer.provide(services)
    )
  )
  return yield* Effect.provide(
    HttpServer.addressFormattedWith((address) =>
      Effect.succeed(`${address.replace("127.0.0.1", "localhost")}/mcp`)
    ),
    context
  )
})
