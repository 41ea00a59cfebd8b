/**
 * The REST interface as one fetch-style handler over built services, to mount in another service.
 *
 * Guarantee: the handler answers as the bundled server does. If a request is abandoned, the work for it ends. Closing waits for the
 * requests in flight, and later requests are answered 503. The services stay open: the program that opened them closes them.
 *
 * ```ts
 * await using dockline = await Dockline.open({ storage: Memory.layer })
 * await using rest = await RestHandler.make(dockline.layer, { baseUrl: "https://logistics.example.com" })
 * const response = await rest.handler(new Request("https://logistics.example.com/healthz"))
 * ```
 */
import { Grant } from "@dockline/core/access/Access"
import { Credentials } from "@dockline/core/access/Authenticator"
import type { Authenticator } from "@dockline/core/access/Authenticator"
import { BrowserSessions } from "@dockline/core/access/BrowserSessions"
import { ClientStore } from "@dockline/core/access/Principals"
import type { RequestLimits } from "@dockline/core/access/RequestLimits"
import type { DocumentReader } from "@dockline/core/document/DocumentReader"
import type { Services } from "@dockline/core/embed/Dockline"
import * as DocklineInput from "@dockline/core/embed/DocklineInput"
import { withoutSlashes } from "@dockline/core/values/Clip"
import { withDefaults } from "@dockline/core/values/Defaults"
import { isUnder, resolvedPathOf, withoutPrefix } from "@dockline/wire/Path"
import { closable } from "@dockline/wire/Refusal"
import { Context, Effect, Exit, Layer, Option, Redacted, Schema, Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import * as RouteTable from "./answer/RouteTable.ts"
import { Api, ApiWithoutTokens } from "./api/Api.ts"
import type { RestPart } from "./api/Parts.ts"
import * as DocumentFiles from "./handlers/DocumentFiles.ts"
import * as HttpAdapter from "./HttpAdapter.ts"
import { audienceOf, defaultHttpConfig } from "./HttpConfig.ts"
import type { HttpConfig } from "./HttpConfig.ts"
import { securityPath } from "./reference/SiteFiles.ts"
import * as BearerAuth from "./tokens/BearerAuth.ts"
import * as ClientAddress from "./tokens/ClientAddress.ts"
import { Clients, hashSecret, networkBy } from "./tokens/Clients.ts"
import * as RateLimits from "./tokens/RateLimits.ts"
import type { RateLimitsConfig } from "./tokens/RateLimits.ts"
import { TokenEndpoint } from "./tokens/TokenEndpoint.ts"
import { defaultTokensConfig, Tokens } from "./tokens/Tokens.ts"
import type { TokensConfig } from "./tokens/Tokens.ts"

/** Settings of the interface. */
export interface RestOptions extends Partial<HttpConfig> {
  /**
   * Authenticates requests for the embedding service. The interface then issues no tokens: the paths of tokens are 404, and are not in the
   * reference.
   */
  readonly authenticator?: Layer.Layer<Authenticator>
  /** Settings of the access tokens; unused if there is an `authenticator`. */
  readonly tokens?: Partial<TokensConfig>
  /** Clients that are stored at the start, in addition to those that operators create. Their secrets are stored as hashes. */
  readonly clients?: ReadonlyArray<RestClient>
  /**
   * The networks of proxies, in CIDR form such as `10.0.0.0/8`, whose `X-Forwarded-For` gives the address of a client. Otherwise the address
   * of the connection counts ({@link Peer}).
   */
  readonly trustedProxies?: ReadonlyArray<string>
  /** Limits of the requests of each client. */
  readonly rateLimits?: Partial<RateLimitsConfig>
  /**
   * The REST parts of capabilities, in addition to their operations; none by default. A part is served if the service has its capability.
   */
  readonly parts?: ReadonlyArray<RestPart>
}

const RestClient = Schema.Struct({ id: Schema.String, secret: Schema.String, grants: Schema.Array(Grant) })

/** A client with its secret and grants. */
export type RestClient = typeof RestClient.Type

const readClients = DocklineInput.reader(Schema.Array(RestClient), "options.clients", "a list of clients")

const settings: DocklineInput.Option = {
  is: (value) => typeof value === "object" && value !== null,
  expected: "an object of settings"
}

const programOptions: DocklineInput.OptionTypes<RestOptions> = {
  baseUrl: DocklineInput.text,
  bodyLimit: DocklineInput.count,
  itemLimit: DocklineInput.count,
  metricsToken: { is: Redacted.isRedacted, expected: "a Redacted text" },
  metricsLocally: DocklineInput.flag,
  securityContact: DocklineInput.text,
  authenticator: { is: Layer.isLayer, expected: "a layer" },
  tokens: settings,
  clients: { is: Array.isArray, expected: "a list of clients" },
  trustedProxies: {
    is: (value) => Array.isArray(value) && value.every((network) => typeof network === "string"),
    expected: "a list of networks, such as 10.0.0.0/8"
  },
  rateLimits: settings,
  parts: { is: Array.isArray, expected: "a list of parts of capabilities" }
}

/** The services that the interface adds, for other adapters of the service. */
export type RestServices = Authenticator | BrowserSessions | Credentials | RequestLimits | DocumentReader

/** The sender of a request, as far as the host knows it: a `Request` does not contain it. */
export interface Peer {
  /** The address of the client. Failed requests for a token are counted by its network and the client id (D10.5). */
  readonly remoteAddress?: string | undefined
}

/** The interface. */
export interface RestHandler extends AsyncDisposable {
  /** Answers a request; every failure becomes an answer too. */
  readonly handler: (request: Request, peer?: Peer) => Promise<Response>
  /** Whether this interface answers the path of a request, for hosts that also serve other paths. */
  readonly serves: (request: { readonly url?: string | undefined }) => boolean
  /** The services passed to `make` and {@link RestServices}: all adapters share one count of requests and one set of keys. */
  readonly layer: Layer.Layer<Services | RestServices>
  /** Waits for the requests in flight, and releases the resources of the routes. */
  readonly close: () => Promise<void>
}

/**
 * Makes the interface over built services. Rejects with a `TypeError` that names the wrong option. The interface is mounted under the path
 * of `baseUrl`, as in `https://example.com/dockline`, and also accepts requests from which the host has removed this path.
 */
export const make = async (
  services: Layer.Layer<Services>,
  options: RestOptions = {}
): Promise<RestHandler> => {
  DocklineInput.checkOptions(options, programOptions)
  const config = configOf(options)
  const prefix = new URL(config.baseUrl).pathname.replace(/^\/$/, "")
  const scope = Scope.makeUnsafe()
  const beside = pathsBeside(options)
  const { context, routes } = await Effect.runPromise(
    Scope.provide(assemble(services, options, config), scope)
  )
  const web = HttpRouter.toWebHandler(Layer.provide(routes, HttpServer.layerServices), {
    disableLogger: true,
    middleware: (effect) =>
      Effect.flatMap(Host, (host) => Effect.updateService(effect, HttpServerRequest.HttpServerRequest, host))
  })
  const answer = async (_: string, request: Request, { remoteAddress }: Peer = {}): Promise<Response> => {
    const host = (request: HttpServerRequest.HttpServerRequest) =>
      request.modify({
        url: withoutPrefix(request.url, prefix),
        remoteAddress: Option.fromUndefinedOr(remoteAddress)
      })
    return forHost(await web.handler(request, Context.add(context, Host, host)), prefix)
  }
  const { drain, handler } = closable("problem", answer)
  const close = async (): Promise<void> => {
    await drain()
    await web.dispose()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }

  return {
    handler,
    serves: ({ url = "/" }) => {
      const path = withoutPrefix(resolvedPathOf(url), prefix)
      return isUnder(path, "/v1") || beside.has(path)
    },
    layer: Layer.succeedContext(context),
    close,
    [Symbol.asyncDispose]: close
  }
}

const configOf = (
  { baseUrl, bodyLimit, itemLimit, metricsLocally, metricsToken, securityContact, trustedProxies }:
    RestOptions
): HttpConfig => {
  const config = {
    ...withDefaults(defaultHttpConfig, { baseUrl, bodyLimit, itemLimit }),
    metricsLocally,
    metricsToken,
    securityContact,
    trustedProxies
  }
  if (/^https?:$/.test(URL.parse(config.baseUrl)?.protocol ?? "")) {
    return { ...config, baseUrl: withoutSlashes(config.baseUrl) }
  }
  throw new TypeError(
    `baseUrl must be the address that clients use, such as https://logistics.example.com, not "${config.baseUrl}"`
  )
}

/**
 * The paths of endpoints, also outside `/v1`, and the path of the file with the contact for vulnerabilities if the options name one.
 * `/metrics` is left to the host if nobody may read the metrics here.
 */
const pathsBeside = (
  { authenticator, metricsLocally, metricsToken, securityContact }: RestOptions
): ReadonlySet<string> => {
  const patterns = authenticator === undefined
    ? RouteTable.endpointsOf(Api)
    : RouteTable.endpointsOf(ApiWithoutTokens)
  const paths = new Set(patterns.map(({ path }) => path))
  if (metricsToken === undefined && metricsLocally !== true) paths.delete("/metrics")
  if (securityContact !== undefined) paths.add(securityPath)
  return paths
}

/** Removes the path of the mount from a request, and adds the address of its client. */
const Host = Context.Reference<
  (request: HttpServerRequest.HttpServerRequest) => HttpServerRequest.HttpServerRequest
>("@dockline/http-adapter/RestHandler/Host", { defaultValue: () => (request) => request })

/** The services of the program, the services that the interface adds, and the routes over them. */
const assemble = Effect.fnUntraced(function*(
  services: Layer.Layer<Services>,
  { authenticator, clients = [], parts: ofCapabilities, rateLimits, tokens, trustedProxies = [] }:
    RestOptions,
  config: HttpConfig
) {
  const shared = Layer.mergeAll(
    RateLimits.layer(withDefaults(RateLimits.defaultRateLimitsConfig, rateLimits)),
    DocumentFiles.layer(config)
  )
  if (authenticator !== undefined) {
    const parts = Layer.mergeAll(shared, withSessions(authenticator), noCredentials(trustedProxies))
    return yield* buildWith(
      HttpAdapter.layerWithoutTokens(config, ofCapabilities),
      Layer.provideMerge(parts, services)
    )
  }
  const clientLayer = storeClients(readClients(clients))
  const parts = Layer.mergeAll(shared, clientLayer, authentication(config, tokens, trustedProxies))
  return yield* buildWith(HttpAdapter.layer(config, ofCapabilities), Layer.provideMerge(parts, services))
})

/** Builds services, and the routes over them. */
const buildWith = <Services, E, Routes, Requirements>(
  routes: Layer.Layer<Routes, never, Requirements>,
  parts: Layer.Layer<Services, E>
) =>
  Effect.map(Layer.build(parts), (context) => ({
    context,
    routes: Layer.provide(routes, Layer.succeedContext(context))
  }))

/** Stores the clients of the options. */
const storeClients = (clients: ReadonlyArray<RestClient>) =>
  Layer.effectDiscard(
    ClientStore.use((store) =>
      store.put(clients.map(({ id, secret, grants }) => ({
        id,
        name: id,
        enabled: true,
        secrets: [{ id: "embedded", hash: hashSecret(secret) }],
        grants
      })))
    )
  )

/**
 * Accepts sessions of browsers in addition to the credentials of an authenticator. The dashboard begins such sessions, if it is mounted
 * too.
 */
const withSessions = <R>(authenticator: Layer.Layer<Authenticator, never, R>) =>
  BrowserSessions.authenticator.pipe(Layer.provideMerge(BrowserSessions.layer), Layer.provide(authenticator))

/**
 * Credentials for an embedding service that authenticates clients itself: clients have no secrets here, and people sign in at a provider.
 */
const noCredentials = (trustedProxies: ReadonlyArray<string>) =>
  Layer.succeed(Credentials, {
    check: () => Effect.succeed(false),
    networkOf: networkBy(ClientAddress.make(trustedProxies))
  })

const authentication = (
  { baseUrl }: HttpConfig,
  tokens: Partial<TokensConfig> | undefined,
  trustedProxies: ReadonlyArray<string>
) =>
  Layer.mergeAll(withSessions(BearerAuth.layer), TokenEndpoint.layer({ trustedProxies })).pipe(
    Layer.provideMerge(Layer.mergeAll(
      Clients.layer,
      Tokens.layer(
        withDefaults({ ...defaultTokensConfig, issuer: baseUrl, audience: audienceOf(baseUrl) }, tokens)
      )
    ))
  )

/** Adapts an answer to the host: its location gets the path of the mount, and the host manages the connection. */
const forHost = (response: Response, prefix: string): Response => {
  const { headers } = response
  const location = headers.get("location")
  if (prefix !== "" && location?.startsWith("/") === true) headers.set("location", `${prefix}${location}`)
  headers.delete("connection")
  return response
}
