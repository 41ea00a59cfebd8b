/**
 * Signing in and out at an OpenID Connect provider (D14.4): to the provider, and back with a session.
 *
 * Guarantee: a browser is sent nowhere but to the provider and to pages of the dashboard. Who is unknown, or comes with the
 * answer to somebody else's sign-in, gets no session, and the one that the browser has stays.
 */
import { BrowserSessions } from "@dockline/core/internal/access/BrowserSessions"
import { principalIdOf } from "@dockline/core/internal/access/Person"
import * as RequestLog from "@dockline/core/internal/values/RequestLog"
import { retryAfterOf } from "@dockline/core/internal/wire/Categories"
import { PersonStore } from "@dockline/core/PersonStore"
import type { Identity } from "@dockline/core/PersonStore"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { randomBytes } from "node:crypto"
import type { DashboardConfig, ProviderConfig } from "../DashboardConfig.ts"
import { publicRoot } from "../DashboardConfig.ts"
import type { Cookies } from "./Cookie.ts"
import * as Provider from "./Provider.ts"
import { returnPath } from "./ReturnPath.ts"
import { leadTo } from "./SignInRoutes.ts"
import type { ShowPage } from "./SignInRoutes.ts"

type Request = HttpServerRequest.HttpServerRequest

/** What a cookie may hold without being cut by browsers. */
const maxPathLength = 2000

const queryOf = ({ url }: Request): string => new URL(url, "http://localhost").search.slice(1)

/** The path is kept with the secret, in the alphabet of cookies. */
const keptOf = (secret: string, next: string): string =>
  `${secret}.${Buffer.from(next.length > maxPathLength ? "" : next).toString("base64url")}`

const stale = "This sign-in took too long, or another one was begun in this browser. Sign in again."

const signedOut = "You have signed out here, and the provider has no page to sign out at: close the browser."

const unknown = (host: string, { email, subject }: Identity): string => {
  const known = email === null ? `subject ${subject}` : `${email}, or subject ${subject}`
  return `You have signed in at ${host}, and nobody has given you access here yet. Send this to an operator: ${known}.`
}

/** The handlers of a provider's paths. */
export const make = Effect.fnUntraced(
  function*(config: DashboardConfig, given: ProviderConfig, cookies: Cookies, page: ShowPage) {
    const sessions = yield* BrowserSessions
    const people = yield* PersonStore
    const root = publicRoot(config)
    const address = `${config.baseUrl}/dashboard/sign-in`
    const provider = Provider.make(given, `${address}/callback`, address)

    const fail = (
      status: number,
      fault: string,
      next = root,
      headers: Readonly<Record<string, string>> = {}
    ) => page(status, { next, fault }, { "set-cookie": cookies.signIn.remove, ...headers })

    const down = (next: string) => (error: Provider.ProviderUnavailable) =>
      Effect.andThen(
        Effect.logWarning("Nobody can sign in by the OpenID Connect provider", error),
        fail(
          503,
          `${provider.host} does not answer as it should, so signing in there does not work at the moment. Try again in a few seconds.`,
          next,
          { "retry-after": "5" }
        )
      )

    const begin = Effect.fn("Dashboard.beginSignIn")(function*(request: Request) {
      const next = returnPath(new URLSearchParams(queryOf(request)).get("next"), root)
      const secret = randomBytes(32).toString("base64url")
      return yield* provider.begin(secret).pipe(
        Effect.map((location) => leadTo(location, cookies.signIn.keep(keptOf(secret, next)))),
        Effect.catch(down(next))
      )
    })

    const finish = Effect.fn("Dashboard.finishSignIn")(function*(request: Request) {
      const { cookie } = request.headers
      const [secret = "", path = ""] = cookies.signIn.read(cookie)?.split(".") ?? []
      const next = returnPath(Buffer.from(path, "base64url").toString(), root)
      return yield* Effect.gen(function*() {
        const identity = yield* provider.finish(secret, queryOf(request))
        const person = yield* people.findIdentity(identity)
        if (person === null) {
          yield* Effect.logWarning("A sign-in failed: nobody has named this person").pipe(
            Effect.annotateLogs({ subject: identity.subject, provider: provider.host })
          )
          return yield* fail(403, unknown(provider.host, identity), next)
        }
        const clientId = principalIdOf(person)
        yield* RequestLog.add({ clientId })
        yield* sessions.end(cookies.session.read(cookie) ?? "")
        return leadTo(next, cookies.session.keep(yield* sessions.begin(clientId)), cookies.signIn.remove)
      }).pipe(Effect.catchTags({
        Declined: ({ reason }) =>
          fail(403, `${provider.host} did not sign you in (${reason.slice(0, 100)}).`, next),
        Stale: () => fail(400, stale, next),
        ProviderUnavailable: down(next),
        StorageUnavailable: (error) =>
          fail(503, "Signing in does not work at the moment. Try again in a few seconds.", next, {
            "retry-after": String(retryAfterOf(error))
          })
      }))
    })

    /** Also ends the session at the provider, after ours. */
    const end = Effect.fn("Dashboard.endSignIn")(function*() {
      return yield* provider.end.pipe(
        Effect.flatMap((location) =>
          location === undefined
            ? page(200, { next: root, note: signedOut })
            : Effect.succeed(leadTo(location))
        ),
        Effect.catch(down(root))
      )
    })

    return { begin, end, finish }
  }
)
