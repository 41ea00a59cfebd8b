/**
 * The routes of the dashboard for its files, its pages, and signing in and out. `Forwarding` handles the public interfaces.
 */
import type { Principal } from "@dockline/core/access/Access"
import { BrowserSessions } from "@dockline/core/access/BrowserSessions"
import { declaredOfOperators, wordsOf } from "@dockline/core/capability/DeclaredOperations"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { operatorOperationsOf } from "@dockline/core/operator/OperatorOperations"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { MethodNotAllowed, ResourceNotFound } from "@dockline/core/values/RequestErrors"
import * as RequestLog from "@dockline/core/values/RequestLog"
import { AuthenticationSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import { asRouted, isUnder, pathOf } from "@dockline/wire/Path"
import * as Problem from "@dockline/wire/Problem"
import { SitePages } from "@dockline/wire/SitePages"
import * as StaticFile from "@dockline/wire/StaticFile"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { publicRoot, root } from "./DashboardConfig.ts"
import type { DashboardConfig } from "./DashboardConfig.ts"
import { declarationsOf } from "./pages/Declarations.ts"
import * as PageFiles from "./pages/PageFiles.ts"
import { contentSecurityPolicy, pageHeaders } from "./pages/PageFiles.ts"
import * as Choice from "./sign-in/Choice.ts"
import type { Cookies } from "./sign-in/Cookie.ts"
import { apiRoot } from "./sign-in/Forwarding.ts"
import * as Origin from "./sign-in/Origin.ts"
import * as Places from "./sign-in/Places.ts"
import * as ProviderRoutes from "./sign-in/ProviderRoutes.ts"
import * as SignIn from "./sign-in/SignIn.ts"
import { returnPath } from "./sign-in/SignIn.ts"

type Request = HttpServerRequest.HttpServerRequest

export const routes = (config: DashboardConfig, cookies: Cookies) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const outside = publicRoot(config)
    const others = (yield* SitePages).filter(({ path }) => path !== outside)
    const files = PageFiles.make(others)
    const sessions = yield* BrowserSessions
    const pages = SignIn.pagesOf(config, files)
    const { respondWithSignIn } = pages
    const { signIn, signOut } = yield* SignIn.make(config, cookies, pages)
    const atProvider = config.provider === undefined
      ? undefined
      : yield* ProviderRoutes.make(config, config.provider, cookies, pages)
    const show = yield* Places.make
    const { capabilities } = yield* OperationRegistry
    const schemes = yield* AuthenticationSchemes
    // Made on first use, to keep the start of the service short: operators open these pages rarely.
    const declarations = yield* Effect.cached(Effect.sync(() =>
      declarationsOf({
        ...operatorOperationsOf(schemes, wordsOf(capabilities)),
        ...declaredOfOperators(capabilities)
      })
    ))

    const current = ({ headers }: Request) => sessions.find(cookies.session.read(headers["cookie"]) ?? "")

    /** Answers a signed-in person or client with a value. */
    const forReader = <A>(
      request: Request,
      read: (principal: Principal) => Effect.Effect<A, CatalogueError>
    ) =>
      current(request).pipe(
        Effect.tap(({ principal }) => RequestLog.add({ clientId: principal.clientId })),
        Effect.flatMap(({ principal }) => read(principal)),
        Effect.map((value) =>
          HttpServerResponse.jsonUnsafe(value, { headers: { "cache-control": "no-store" } })
        ),
        Effect.catch((error) => Effect.succeed(refusal(error)))
      )

    const file = (request: Request, address: string) => {
      const file = files.file(address)
      return file === undefined
        ? Effect.succeed(notFound(request))
        : StaticFile.respond(file, request, contentSecurityPolicy)
    }

    const toSignIn = ({ url }: Request) => {
      const next = returnPath(`${outside}${url.slice(root.length)}`, outside)
      const query = next === outside ? "" : `?${new URLSearchParams({ next }).toString()}`
      return HttpServerResponse.empty({
        status: 303,
        headers: { location: `${outside}/sign-in${query}`, "cache-control": "no-store" }
      })
    }

    /** One page for all views; a problem if its files cannot be built, as in a checkout without development dependencies. */
    const shell = Effect.tryPromise({ try: () => files.shell(outside), catch: (cause) => cause }).pipe(
      Effect.map((html) => HttpServerResponse.text(html, { headers: pageHeaders })),
      Effect.catch((cause) =>
        Effect.as(
          Effect.logWarning(StaticFile.notInstalled.detail, cause),
          problem(StaticFile.notInstalled)
        )
      )
    )

    /** The page of a view, for people who have signed in. While sessions cannot be looked up, the page itself reports that. */
    const view = (request: Request) =>
      current(request).pipe(
        Effect.asVoid,
        Effect.catchTag("StorageUnavailable", () => Effect.void),
        Effect.flatMap(() => shell),
        Effect.catchTag("Unauthenticated", () => Effect.succeed(toSignIn(request)))
      )

    const signInPage = ({ url }: Request) => {
      const { searchParams } = new URL(url, "http://localhost")
      const next = returnPath(searchParams.get("next"), outside)
      return respondWithSignIn(200, { next, signedOut: searchParams.has("signed-out") })
    }

    const answer = (request: Request): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
      const path = pathOf(request.url)
      if (!isPlain(path)) return Effect.succeed(notFound(request))
      const isPost = request.method === "POST"
      const isRead = Origin.isSafe(request.method)
      switch (path.slice(root.length)) {
        case "/sign-in":
          return isPost ? signIn(request) : isRead ? signInPage(request) : notAllowed(request, "GET, POST")
        case "/sign-out":
          return isPost ? signOut(request) : notAllowed(request, "POST")
        case "/session":
          return isRead ? forReader(request, show) : notAllowed(request, "GET")
        case "/operations":
          return isRead ? forReader(request, () => declarations) : notAllowed(request, "GET")
      }
      if (atProvider !== undefined && path === `${root}${Choice.path}`) {
        return isPost || isRead ? atProvider.choose(request) : notAllowed(request, "GET, POST")
      }
      if (!isRead) return notAllowed(request, "GET")
      if (atProvider !== undefined) {
        switch (path.slice(root.length)) {
          case "/sign-in/provider":
            return atProvider.begin(request)
          case "/sign-in/callback":
            return atProvider.finish(request)
          case "/sign-out/provider":
            return atProvider.end()
        }
      }
      return path.startsWith(`${root}/files/`)
        ? file(request, path.slice(`${root}/files/`.length))
        : view(request)
    }

    yield* router.add(
      "*",
      `${root}/*`,
      (request) => Effect.andThen(RequestLog.add({ route: `${root}/*` }), answer(request))
    )
    yield* router.add(
      "GET",
      "/",
      () => Effect.succeed(HttpServerResponse.empty({ status: 303, headers: { location: outside } }))
    )
  }))

/** Whether a path has the plain spelling of a dashboard path: the router also accepts other spellings, even of the interfaces' paths. */
const isPlain = (path: string): boolean =>
  isUnder(path, root) && !/\/\/|;/.test(path) && !isUnder(asRouted(path), apiRoot)

export const problem = (fault: Problem.Problem, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(JSON.stringify(fault), {
    status: fault.status,
    contentType: Problem.mediaType,
    headers: { "cache-control": "no-store", ...headers }
  })

const refusal = (error: CatalogueError) => problem(Problem.problemOf(error), Problem.headersOf(error))

/** The answer to a request for an unknown path. */
export const notFound = ({ url }: Request) => refusal(new ResourceNotFound({ path: pathOf(url) }))

const notAllowed = ({ method }: Request, methods: string) =>
  Effect.succeed(refusal(new MethodNotAllowed({ method, allowed: methods.split(", ") })))
