/**
 * The REST interface as one fetch-style handler over built services, for mounting in another service.
 *
 * Guarantee: what the bundled server answers is what this answers; abandoning a request ends the work for it; disposing
 * waits for the requests in flight, and whatever comes later is answered 503. The services stay open: they belong to whoever opened them.
 *
 * ```ts
 * await using dockline = await Dockline.open({ storage: Memory.layer })
 * await using rest = await RestHandler.make(dockline.layer, { baseUrl: "https://logistics.example.com" })
 * const response = await rest.handler(new Request("https://logistics.example.com/healthz"))
 * ```
 */
import { Grant } from "@dockline/core/Access"
import type { Authenticator } from "@dockline/core/Authenticator"
import { ClientStore } from "@dockline/core/ClientStore"
import { withDefaults } from "@dockline/core/Defaults"
import type { Services } from "@dockline/core/DocklineApi"
import type { DocumentReader } from "@dockline/core/DocumentReader"
import { Stopping } from "@dockline/core/Errors"
import { correlationHeader, correlationIdOf } from "@dockline/core/internal/CorrelationId"
import * as Given from "@dockline/core/internal/Given"
import { isUnder, resolvedPathOf } from "@dockline/core/internal/Path"
import * as Problem from "@dockline/core/internal/Problem"
import type { RequestLimits } from "@dockline/core/RequestLimits"
import { Context, Effect, Exit, Layer, Option, Redacted, Schema, Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { audienceOf, defaultHttpConfig } from "./api/HttpConfig.ts"
import type { HttpConfig } from "./api/HttpConfig.ts"
import * as DocumentFiles from "./body/DocumentFiles.ts"
import * as HttpAdapter from "./HttpAdapter.ts"
import * as BearerAuth from "./tokens/BearerAuth.ts"
import { Clients, hashSecret } from "./tokens/Clients.ts"
import * as RateLimits from "./tokens/RateLimits.ts"
import type { RateLimitsConfig } from "./tokens/RateLimits.ts"
import { TokenEndpoint } from "./tokens/TokenEndpoint.ts"
import { defaultTokensConfig, Tokens } from "./tokens/Tokens.ts"
import type { TokensConfig } from "./tokens/Tokens.ts"

/** Settings of the interface. */
export interface RestOptions extends Partial<HttpConfig> {
  /**
   * Who is asking, by means of the embedding service. There are no tokens of ours then: their paths are 404 and are not
   * in the reference.
   */
  readonly authenticator?: Layer.Layer<Authenticator>
  /** How our access tokens are; of no use beside `authenticator`. */
  readonly tokens?: Partial<TokensConfig>
  /**
   * Clients that are known from the start, beside those that operators make: put in as they are given here. Their
   * secrets are stored as hashes.
   */
  readonly clients?: ReadonlyArray<RestClient>
  /**
   * The networks of proxies, in CIDR form such as `10.0.0.0/8`, whose `X-Forwarded-For` says which address a request for
   * a token comes from; without them it comes from the address of its connection ({@link Peer}).
   */
  readonly trustedProxies?: ReadonlyArray<string>
  /** How many requests a client may send. */
  readonly rateLimits?: Partial<RateLimitsConfig>
}

const RestClient = Schema.Struct({ id: Schema.String, secret: Schema.String, grants: Schema.Array(Grant) })

/** A client with its secret, for tokens of ours. */
export interface RestClient {
  readonly id: string
  readonly secret: string
  readonly grants: ReadonlyArray<Grant>
}

const readClients = Given.reader(Schema.Array(RestClient), "options.clients", "a list of clients")

const settings: Given.Option = {
  is: (value) => typeof value === "object" && value !== null,
  expected: "an object of settings"
}

const known: Given.Options<RestOptions> = {
  baseUrl: Given.text,
  bodyLimit: Given.count,
  itemLimit: Given.count,
  metricsToken: { is: Redacted.isRedacted, expected: "a Redacted text" },
  metricsLocally: Given.flag,
  authenticator: { is: Layer.isLayer, expected: "a layer" },
  tokens: settings,
  clients: { is: Array.isArray, expected: "a list of clients" },
  trustedProxies: {
    is: (value) => Array.isArray(value) && value.every((network) => typeof network === "string"),
    expected: "a list of networks, such as 10.0.0.0/8"
  },
  rateLimits: settings
}

/** What the interface adds to the services, for other adapters beside it. */
export type RestServices = Authenticator | RequestLimits | DocumentReader

/** Whom a request comes from, as far as the host knows: a `Request` itself does not say. */
export interface Peer {
  /** The address of the client: failed attempts to get a token are counted by it (D10.5); by client id alone without. */
  readonly remoteAddress?: string | undefined
}

/** The interface, and the end of what it holds. */
export interface RestHandler extends AsyncDisposable {
  /** Answers a request; every failure is an answer too. */
  readonly handler: (request: Request, peer?: Peer) => Promise<Response>
  /** Whether the path of a request is one of this interface, for hosts that have paths of their own. */
  readonly serves: (request: { readonly url?: string | undefined }) => boolean
  /** The services given and {@link RestServices}: one count of requests and one set of keys for all adapters. */
  readonly layer: Layer.Layer<Services | RestServices>
  /** Waits for the requests in flight and releases what the routes hold. */
  readonly dispose: () => Promise<void>
}

/**
 * Makes the interface over built services; rejects with a `TypeError` that names what is wrong with the options. A path in `baseUrl`, as in `https://example.com/dockline`, is where it is
 * mounted: requests are taken with it, and without it as from a host that has cut it off.
 */
export const make = async (
  services: Layer.Layer<Services>,
  options: RestOptions = {}
): Promise<RestHandler> => {
  Given.checkOptions(options, known)
  const config = configOf(options)
  const prefix = new URL(config.baseUrl).pathname.replace(/^\/$/, "")
  const scope = Scope.makeUnsafe()
  const { context, routes } = await Effect.runPromise(
    Scope.provide(assemble(services, options, config), scope)
  )
  const web = HttpRouter.toWebHandler(Layer.provide(routes, HttpServer.layerServices), {
    disableLogger: true,
    middleware: (effect) =>
      Effect.flatMap(Host, (host) => Effect.updateService(effect, HttpServerRequest.HttpServerRequest, host))
  })
  const inFlight = new Set<Promise<Response>>()
  let isDisposed = false

  const handler = async (request: Request, { remoteAddress }: Peer = {}): Promise<Response> => {
    if (isDisposed) return stopped(request)
    const host = (received: HttpServerRequest.HttpServerRequest) =>
      received.modify({
        url: withoutPrefix(received.url, prefix),
        remoteAddress: Option.fromUndefinedOr(remoteAddress)
      })
    const answer = web.handler(request, Context.add(context, Host, host))
    inFlight.add(answer)
    try {
      return forHost(await answer, prefix)
    } finally {
      inFlight.delete(answer)
    }
  }

  const dispose = async (): Promise<void> => {
    isDisposed = true
    await Promise.allSettled(inFlight)
    await web.dispose()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }

  return {
    handler,
    serves: ({ url = "/" }) =>
      isServed(withoutPrefix(resolvedPathOf(url), prefix), {
        hasTokens: options.authenticator === undefined,
        // A host that has set up no token for ours may well have metrics of its own.
        hasMetrics: options.metricsToken !== undefined || options.metricsLocally === true
      }),
    layer: Layer.succeedContext(context),
    dispose,
    [Symbol.asyncDispose]: dispose
  }
}

const configOf = (
  { baseUrl, bodyLimit, itemLimit, metricsLocally, metricsToken }: RestOptions
): HttpConfig => {
  const config = {
    ...withDefaults(defaultHttpConfig, { baseUrl, bodyLimit, itemLimit }),
    metricsLocally,
    metricsToken
  }
  if (/^https?:$/.test(URL.parse(config.baseUrl)?.protocol ?? "")) {
    return { ...config, baseUrl: config.baseUrl.replace(/\/+$/, "") }
  }
  throw new TypeError(
    `baseUrl must be the address that clients use, such as https://logistics.example.com, not "${config.baseUrl}"`
  )
}

/** What the host of a request knows of it better than the request itself. */
const Host = Context.Reference<
  (request: HttpServerRequest.HttpServerRequest) => HttpServerRequest.HttpServerRequest
>("@dockline/http-adapter/RestHandler/Host", { defaultValue: () => (request) => request })

/** The services with what the interface adds, built, and the routes over them. */
const assemble = Effect.fnUntraced(function*(
  services: Layer.Layer<Services>,
  { authenticator, clients = [], rateLimits, tokens, trustedProxies = [] }: RestOptions,
  config: HttpConfig
) {
  const shared = Layer.mergeAll(
    RateLimits.layer(withDefaults(RateLimits.defaultRateLimitsConfig, rateLimits)),
    DocumentFiles.layer(config)
  )
  if (authenticator !== undefined) {
    const parts = Layer.mergeAll(shared, authenticator).pipe(Layer.provideMerge(services))
    const context = yield* Layer.build(parts)
    const routes = HttpAdapter.layerWithoutTokens(config).pipe(Layer.provide(Layer.succeedContext(context)))
    return { context, routes }
  }
  const known = knownClients(readClients(clients))
  const parts = Layer.mergeAll(shared, known, authentication(config, tokens, trustedProxies)).pipe(
    Layer.provideMerge(services)
  )
  const context = yield* Layer.build(parts)
  const routes = HttpAdapter.layer(config).pipe(Layer.provide(Layer.succeedContext(context)))
  return { context, routes }
})

const knownClients = (clients: ReadonlyArray<RestClient>) =>
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

/** Our own tokens, for the clients of the service. */
const authentication = (
  { baseUrl }: HttpConfig,
  tokens: Partial<TokensConfig> | undefined,
  trustedProxies: ReadonlyArray<string>
) =>
  Layer.mergeAll(BearerAuth.layer, TokenEndpoint.layer({ trustedProxies })).pipe(
    Layer.provideMerge(Layer.mergeAll(
      Clients.layer(),
      Tokens.layer(
        withDefaults({ ...defaultTokensConfig, issuer: baseUrl, audience: audienceOf(baseUrl) }, tokens)
      )
    ))
  )

const stopped = (request: Request): Response => {
  const error = new Stopping()
  return new Response(JSON.stringify(Problem.problemOf(error)), {
    status: 503,
    headers: {
      ...Problem.headersOf(error),
      "content-type": Problem.mediaType,
      [correlationHeader]: correlationIdOf(request.headers.get(correlationHeader))
    }
  })
}

const withoutPrefix = (url: string, prefix: string): string =>
  prefix !== "" && (isUnder(url, prefix) || url.startsWith(`${prefix}?`))
    ? url.slice(prefix.length).replace(/^(?!\/)/, "/")
    : url

const isServed = (
  path: string,
  { hasMetrics, hasTokens }: { readonly hasMetrics: boolean; readonly hasTokens: boolean }
): boolean =>
  isUnder(path, "/v1") || path === "/healthz" || path === "/readyz" || (hasMetrics && path === "/metrics") ||
  (hasTokens && (path === "/oauth/token" || wellKnown.has(path)))

const wellKnown: ReadonlySet<string> = new Set([
  "/.well-known/jwks.json",
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration"
])

/** An answer as the host is to give it: its paths are those under which this is mounted, its connection is the host's. */
const forHost = (response: Response, prefix: string): Response => {
  const { headers } = response
  const location = headers.get("location")
  if (prefix !== "" && location?.startsWith("/") === true) headers.set("location", `${prefix}${location}`)
  headers.delete("connection")
  return response
}
