/**
 * Signing in and out (D14.4): exchanges the secret of a client for the cookie of a session.
 *
 * Guarantee: each sign-in makes a new secret and ends the browser's earlier session, so that nobody can plant a session in the browser of
 * another person (session fixation); a wrong id and a wrong secret get the same answer; a request that another site initiated in the browser
 * changes nothing.
 */
import { Credentials } from "@dockline/core/access/Authenticator"
import { BrowserSessions } from "@dockline/core/access/BrowserSessions"
import { isClientId } from "@dockline/core/access/Principals"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import * as BoundedBody from "@dockline/wire/BoundedBody"
import { contentTypeReader } from "@dockline/wire/MediaType"
import { retryAfterOf } from "@dockline/wire/Problem"
import * as Problem from "@dockline/wire/Problem"
import { escapeHtml } from "@dockline/wire/SitePages"
import { Effect, Option, Result } from "effect"
import { Cookies, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import type { DashboardConfig, ProviderConfig } from "../DashboardConfig.ts"
import { publicRoot } from "../DashboardConfig.ts"
import { pageHeaders } from "../pages/PageFiles.ts"
import type { PageFiles } from "../pages/PageFiles.ts"
import type { Cookies as OwnCookies } from "./Cookie.ts"
import * as Origin from "./Origin.ts"

/** The largest form that is read, in bytes. */
const formLimit = 16_384

const wrong = "The client id or the secret is wrong, or the client is disabled."

const stillSignedIn =
  "You are still signed in: signing out does not work at the moment. Try again in a few seconds."

const retryOf = (error: StorageUnavailable) => ({ "retry-after": String(retryAfterOf(error)) })

/** The message for a form that is too large, incomplete or of another media type. */
const unreadable = "This form could not be read."

/** The message while the store is not available. */
export const unavailable = "Signing in does not work at the moment. Try again in a few seconds."

type Headers = Readonly<Record<string, string>>

/** The pages outside of a session, as responses. */
export const pagesOf = (config: DashboardConfig, files: PageFiles) => {
  /** Responds with a page; `textOf` gets the tags of its files. */
  const respondWith = Effect.fnUntraced(
    function*(status: number, textOf: (tags: string) => string, headers: Headers = {}) {
      const tags = yield* Effect.promise(() => files.signInTags(publicRoot(config)))
      return HttpServerResponse.text(textOf(tags), { status, headers: { ...pageHeaders, ...headers } })
    }
  )
  /** Responds with the page for signing in. */
  const respondWithSignIn = (status: number, view: SignInView, headers?: Headers) =>
    respondWith(status, (tags) => signInHtml(config, tags, view), headers)
  return { respondWith, respondWithSignIn }
}

export type SignInPages = ReturnType<typeof pagesOf>

const readType = contentTypeReader("application/x-www-form-urlencoded")

/** The fields of a form from a page, or the answer to an unreadable form. */
export const readForm = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.fromResult(readType(request.headers)).pipe(
    Effect.andThen(BoundedBody.read(request, formLimit)),
    Effect.map((bytes) => new URLSearchParams(new TextDecoder().decode(bytes))),
    Effect.mapError((error) => {
      switch (error._tag) {
        case "UnsupportedMediaType":
          return { status: 415, fault: unreadable, headers: Problem.headersOf(error) }
        case "Overloaded":
          return { status: 503, fault: unavailable, headers: Problem.headersOf(error) }
        default:
          return { status: 413, fault: unreadable, headers: {} }
      }
    })
  )

/** Makes the handlers of signing in and signing out. */
export const make = Effect.fnUntraced(
  function*(config: DashboardConfig, cookies: OwnCookies, { respondWithSignIn }: SignInPages) {
    const credentials = yield* Credentials
    const sessions = yield* BrowserSessions
    const root = publicRoot(config)

    const endCurrent = ({ headers }: HttpServerRequest.HttpServerRequest) => {
      const secret = cookies.session.read(headers["cookie"])
      return secret === undefined ? Effect.void : sessions.end(secret)
    }

    const signIn = Effect.fn("Dashboard.signIn")(function*(request: HttpServerRequest.HttpServerRequest) {
      if (!Origin.isOwn(request.headers, config.baseUrl)) {
        return yield* respondWithSignIn(403, {
          next: root,
          fault: Origin.fault(request.headers, config.baseUrl)
        })
      }
      const form = yield* Effect.result(readForm(request))
      if (Result.isFailure(form)) {
        const { fault, headers, status } = form.failure
        return yield* respondWithSignIn(status, { next: root, fault }, headers)
      }
      const clientId = form.success.get("client_id") ?? ""
      const clientSecret = form.success.get("client_secret") ?? ""
      const next = returnPath(form.success.get("next"), root)
      const refuse = (status: number, fault: string, headers?: Headers) =>
        respondWithSignIn(status, { next, fault, clientId: isClientId(clientId) ? clientId : "" }, headers)
      return yield* Effect.gen(function*() {
        const isKnown = yield* credentials.check({
          clientId,
          clientSecret,
          remoteAddress: Option.getOrUndefined(request.remoteAddress),
          headers: request.headers
        })
        if (!isKnown) return yield* refuse(401, wrong)
        yield* endCurrent(request)
        return leadTo(next, cookies.session.keep(yield* sessions.begin(clientId)))
      }).pipe(Effect.catchTags({
        RateLimited: (error) =>
          refuse(429, error.message, { "retry-after": String(error.retryAfterSeconds) }),
        StorageUnavailable: (error) =>
          Effect.andThen(
            Effect.logWarning("A client could not sign in: the storage is unavailable", error),
            refuse(503, unavailable, retryOf(error))
          )
      }))
    })

    const signOut = Effect.fn("Dashboard.signOut")(function*(request: HttpServerRequest.HttpServerRequest) {
      if (!Origin.isOwn(request.headers, config.baseUrl)) {
        return yield* respondWithSignIn(403, {
          next: root,
          fault: Origin.fault(request.headers, config.baseUrl)
        })
      }
      return yield* endCurrent(request).pipe(
        Effect.map(() =>
          leadTo(
            `${root}/sign-in${config.provider === undefined ? "" : "?signed-out"}`,
            cookies.session.remove
          )
        ),
        Effect.catch((error) => respondWithSignIn(503, { next: root, fault: stillSignedIn }, retryOf(error)))
      )
    })

    return { signIn, signOut }
  }
)

/** Sends a browser to a page, with `Set-Cookie` headers. */
export const leadTo = (
  location: string,
  ...setCookies: ReadonlyArray<string>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 303,
    headers: { location, "cache-control": "no-store" },
    cookies: Cookies.fromSetCookie(setCookies)
  })

export interface SignInView {
  /** The path to return to. */
  readonly next: string
  /** A note about an event that is no fault. */
  readonly note?: string
  /** Whether somebody has just signed out. */
  readonly signedOut?: boolean
  /** The fault of the last attempt, in a sentence or two. */
  readonly fault?: string
  /** The client id of the last attempt. */
  readonly clientId?: string
}

/** The page for signing in: plain HTML, which works before any script has loaded, and without scripts. */
export const signInHtml = (config: DashboardConfig, tags: string, view: SignInView): string => {
  const root = publicRoot(config)
  const fault = view.fault === undefined
    ? ""
    : `<p class="fault" role="alert">${escapeHtml(view.fault)}</p>`
  const note = view.note === undefined ? "" : `<p role="status">${escapeHtml(view.note)}</p>`
  return frameHtml(
    tags,
    `${
      config.provider === undefined
        ? clientForm(root, view, `<h2>Sign in</h2>\n${note}${fault}`)
        : byProvider(config.provider, root, view, note + fault)
    }
${offer(config, root, escapeHtml(view.next))}`
  )
}

/** The HTML of a page outside of a session, with the tags of its files. */
export const frameHtml = (tags: string, content: string): string =>
  `<!DOCTYPE html>
<html lang="en" class="sign-in">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in · Dockline</title>
${tags}
</head>
<body>
<main>
<h1><span class="mark" aria-hidden="true"></span>Dockline</h1>
${content}
</main>
</body>
</html>
`

const clientForm = (root: string, view: SignInView, above: string): string =>
  `<form method="post" action="${root}/sign-in" class="card">
${above}
<input type="hidden" name="next" value="${escapeHtml(view.next)}">
<label for="client-id">Client id</label>
<input id="client-id" name="client_id" value="${escapeHtml(view.clientId ?? "")}" autocomplete="username"
  autocapitalize="none" spellcheck="false" maxlength="256" required${above === "" ? "" : " autofocus"}>
<label for="client-secret">Client secret</label>
<input id="client-secret" name="client_secret" type="password" autocomplete="current-password" maxlength="1024" required>
<button class="primary">Sign in</button>
</form>`

/** People sign in at their provider; the fields for a client's secret open on demand. */
const byProvider = (
  { issuer, name = new URL(issuer).host }: ProviderConfig,
  root: string,
  view: SignInView,
  message: string
): string => {
  const provider = escapeHtml(name)
  const leave = view.signedOut === true
    ? `<p role="status">You have signed out. On a shared computer, <a href="${root}/sign-out/provider">sign out at ${provider}</a> too.</p>`
    : ""
  return `<section class="card">
<h2>Sign in</h2>
${leave}${message}
<a class="button primary" href="${root}/sign-in/provider?next=${
    encodeURIComponent(view.next)
  }" autofocus>Continue with ${provider}</a>
</section>
<details${view.clientId === undefined ? "" : " open"}>
<summary>Sign in with a client id</summary>
${clientForm(root, view, "")}
</details>`
}

const offer = ({ demoClients = [] }: DashboardConfig, root: string, escapedNext: string): string =>
  demoClients.length === 0 ? "" : `<section class="card offer" aria-labelledby="offer">
<h2 id="offer">Demo clients</h2>
<p>This service has demo data. Everybody knows the secrets of these clients.</p>
${
    demoClients.map(({ id, secret, description }) =>
      `<form method="post" action="${root}/sign-in">
<input type="hidden" name="next" value="${escapedNext}">
<input type="hidden" name="client_id" value="${escapeHtml(id)}">
<input type="hidden" name="client_secret" value="${escapeHtml(secret)}">
<button><strong>${escapeHtml(id)}</strong><span>${escapeHtml(description)}</span></button>
</form>`
    ).join("\n")
  }
</section>`

/** A placeholder for the origin: only the path matters. */
const anywhere = "http://dockline.invalid"

/**
 * The path and query to return to after signing in, under the root of the dashboard; the root itself for anything else, so that a link to the
 * sign-in page cannot lead to another site.
 */
export const returnPath = (path: string | null | undefined, root: string): string => {
  const url = URL.parse(path ?? "", anywhere)
  if (url === null || url.origin !== anywhere || url.pathname.includes("//")) return root
  const isInside = url.pathname === root || url.pathname.startsWith(`${root}/`)
  const isPage = isInside && !url.pathname.startsWith(`${root}/sign-`)
  return isPage ? `${url.pathname}${url.search}` : root
}
