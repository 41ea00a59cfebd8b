/**
 * The REST interface as one fetch-style handler, `Request → Response`, for mounting in another service.
 *
 * ```ts
 * await using dockline = FetchHandler.make(HttpAdapter.layer(config).pipe(Layer.provide(services)))
 * const response = await dockline.handler(new Request("http://localhost/healthz"))
 * ```
 */
import { Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

/** A handler, and the end of what it holds. */
export interface FetchHandler extends AsyncDisposable {
  /** Answers a request; every failure is an answer too. */
  readonly handler: (request: Request) => Promise<Response>
  /** Closes what the routes hold, such as connections to the database. */
  readonly dispose: () => Promise<void>
}

type ServerServices = Layer.Success<typeof HttpServer.layerServices>

/** Makes the handler of routes whose services are all provided; they are built at once, and requests wait for it. */
export const make = <A, E>(
  routes: Layer.Layer<A, E, HttpRouter.HttpRouter | ServerServices>
): FetchHandler => {
  const { handler, dispose } = HttpRouter.toWebHandler(Layer.provide(routes, HttpServer.layerServices), {
    disableLogger: true
  })
  return { handler: (request) => handler(request), dispose, [Symbol.asyncDispose]: dispose }
}
