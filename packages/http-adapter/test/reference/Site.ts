/** The routes of the reference and of the files of the site, as browsers ask for them. */
import { OperationRegistry } from "@dockline/core/OperationRegistry"
import { Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as ReferenceRoutes from "../../src/reference/ReferenceRoutes.ts"
import * as SiteFiles from "../../src/reference/SiteFiles.ts"

const config = { baseUrl: "https://dockline.example/logistics" }

const { dispose, handler } = HttpRouter.toWebHandler(
  Layer.mergeAll(SiteFiles.layer(config), ReferenceRoutes.layer(config)).pipe(
    Layer.provide([
      HttpServer.layerServices,
      Layer.succeed(OperationRegistry, { capabilities: [], operations: {}, handlers: {} })
    ])
  ),
  { disableLogger: true }
)

export { dispose }

export const get = (path: string, method = "GET"): Promise<Response> =>
  handler(new Request(`http://localhost${path}`, { method }))
