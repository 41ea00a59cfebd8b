/** The routes of the reference and of the files of the site, as browsers ask for them. */
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { Context, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import type { HttpConfig } from "../../src/HttpConfig.ts"
import * as ReferenceRoutes from "../../src/reference/ReferenceRoutes.ts"
import * as SiteFiles from "../../src/reference/SiteFiles.ts"

/** The site of a service with this configuration. */
export const siteOf = (config: Pick<HttpConfig, "baseUrl" | "securityContact">) => {
  const { dispose, handler } = HttpRouter.toWebHandler(
    Layer.mergeAll(SiteFiles.layer({ ...config, hasTokens: true }), ReferenceRoutes.layer(config, [])).pipe(
      Layer.provide([
        HttpServer.layerServices,
        Layer.succeed(OperationRegistry, {
          capabilities: [],
          operations: {},
          handlers: {},
          operatorHandlers: {},
          services: Context.empty()
        })
      ])
    ),
    { disableLogger: true }
  )
  return {
    dispose,
    get: (path: string, method = "GET"): Promise<Response> =>
      handler(new Request(`http://localhost${path}`, { method }))
  }
}

export const { dispose, get } = siteOf({
  baseUrl: "https://dockline.example/logistics",
  securityContact: "mailto:security@dockline.example"
})
