/**
 * Signs people in and out at an OpenID Connect provider (D14.4).
 *
 * Guarantee: a browser is redirected only to the provider and to pages of the dashboard. An unknown person, or a browser with the answer to
 * another sign-in, gets no session, and the browser's present session stays. A person with several entries gets a session after choosing an
 * entry (`Choice.ts`). The service redeems an answer at the provider only for a browser that began the sign-in here, and only once;
 * how many answers it redeems at a time is limited, also for each network.
 */
import { Credentials } from "@dockline/core/access/Authenticator"
import { SessionStore } from "@dockline/core/access/BrowserSessions"
import { PersonStore } from "@dockline/core/access/Principals"
import type { Identity } from "@dockline/core/access/Principals"
import { waitAside } from "@dockline/core/access/RequestLimits"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { sha256 } from "@dockline/core/values/WebCrypto"
import { retryAfterOf } from "@dockline/wire/Problem"
import { Clock, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { randomBytes } from "node:crypto"
import type { DashboardConfig, ProviderConfig } from "../DashboardConfig.ts"
import { publicRoot } from "../DashboardConfig.ts"
import * as Choice from "./Choice.ts"
import { signInSeconds } from "./Cookie.ts"
import type { Cookies } from "./Cookie.ts"
import * as Pending from "./Pending.ts"
import * as Provider from "./Provider.ts"
import { leadTo, returnPath, unavailable } from "./SignIn.ts"
import type { SignInPages } from "./SignIn.ts"

type Request = HttpServerRequest.HttpServerRequest

/**
 * The most answers that the service redeems at the provider at once, in total and for one network. A slow provider takes seconds for each
 * answer. Waiting costs little, so the total is high enough that a few networks cannot exhaust it.
 */
const answersAtOnce = 1024
const answersAtOncePerNetwork = 16

const queryOf = ({ url }: Request): string => new URL(url, "http://localhost").search.slice(1)

const stale =
  "This sign-in took too long, was used already, or was replaced by another one in this browser. Sign in again."

const busy = "Too many people are signing in at the moment. Try again in a few seconds."

const signedOut = "You have signed out here, but the provider has no page for signing out: close the browser."

const signedOutHere = (host: string): string =>
  `You have signed out here, but ${host} does not answer as it should, so you may still be signed in there: close the browser.`

const unknown = (host: string, { email, subject }: Identity): string => {
  const description = email === null ? `subject ${subject}` : `${email}, or subject ${subject}`
  return `You have signed in at ${host}, but nobody has given you access here yet. Send this to an operator: ${description}.`
}

export const make = Effect.fnUntraced(
  function*(config: DashboardConfig, settings: ProviderConfig, cookies: Cookies, pages: SignInPages) {
    const { respondWithSignIn } = pages
    const { markAnswered } = yield* SessionStore
    const { networkOf } = yield* Credentials
    const people = yield* PersonStore
    const seal = yield* Pending.sealOf(settings)
    const choice = yield* Choice.make(config, seal, cookies, pages)
    const permits = networkPermits(answersAtOnce, answersAtOncePerNetwork)
    const root = publicRoot(config)
    const address = `${config.baseUrl}/dashboard/sign-in`
    const provider = Provider.make(settings, `${address}/callback`, address)

    const fail = (
      status: number,
      fault: string,
      next = root,
      headers: Readonly<Record<string, string>> = {}
    ) => respondWithSignIn(status, { next, fault }, { "set-cookie": cookies.signIn.remove, ...headers })

    const logDown = (error: Provider.ProviderUnavailable) =>
      Effect.logWarning("The OpenID Connect provider does not answer as it should", error)

    const down = (next: string) => (error: Provider.ProviderUnavailable) =>
      Effect.andThen(
        logDown(error),
        fail(
          503,
          `${provider.host} does not answer as it should, so signing in there does not work at the moment. Try again in a few seconds.`,
          next,
          { "retry-after": "5" }
        )
      )

    const later = (next: string) => (error: Overloaded | StorageUnavailable) =>
      fail(503, unavailable, next, { "retry-after": String(retryAfterOf(error)) })

    const begin = Effect.fn("Dashboard.beginSignIn")(function*(request: Request) {
      const next = returnPath(new URLSearchParams(queryOf(request)).get("next"), root)
      const secret = randomBytes(32).toString("base64url")
      const expiresAt = (yield* Clock.currentTimeMillis) + signInSeconds * 1000
      const cookie = cookies.signIn.keep(Pending.signIn.close(seal, { secret, next, expiresAt }))
      return yield* waitAside(request.source, provider.begin(secret)).pipe(
        Effect.map((location) => leadTo(location, cookie)),
        Effect.catchTags({ Overloaded: later(next), ProviderUnavailable: down(next) })
      )
    })

    /**
     * Redeems an answer at the provider, at most once, and returns the identity of the person who has signed in; `None` if the limit on
     * concurrent answers is reached.
     */
    const identify = Effect.fnUntraced(
      function*(request: Request, secret: string) {
        const network = networkOf({
          headers: request.headers,
          remoteAddress: Option.getOrUndefined(request.remoteAddress)
        })
        const id = yield* sha256(secret)
        return yield* permits(
          network,
          Effect.gen(function*() {
            if (!(yield* markAnswered(id))) return yield* new Provider.StaleAnswer()
            // The provider accepts a code only once, so the service must not refuse the request after the provider has accepted its code.
            return yield* waitAside(request.source, provider.finish(secret, queryOf(request)), "at once")
          })
        )
      }
    )

    const finish = Effect.fn("Dashboard.finishSignIn")(function*(request: Request) {
      const { cookie } = request.headers
      const now = yield* Clock.currentTimeMillis
      const pending = Pending.signIn.open(seal, cookies.signIn.read(cookie), now)
      const next = returnPath(pending?.next, root)
      if (pending === undefined || !provider.answers(pending.secret, queryOf(request))) {
        return yield* fail(400, stale, next)
      }
      return yield* Effect.gen(function*() {
        const answer = yield* identify(request, pending.secret)
        if (Option.isNone(answer)) return yield* fail(503, busy, next, { "retry-after": "2" })
        const identity = answer.value
        const [person, ...others] = yield* people.findIdentity(identity)
        if (person === undefined) {
          yield* Effect.logWarning("A sign-in failed: no operator has added this person").pipe(
            Effect.annotateLogs({ subject: identity.subject, provider: provider.host })
          )
          return yield* fail(403, unknown(provider.host, identity), next)
        }
        return others.length > 0
          ? yield* choice.offer(identity, next)
          : yield* choice.goOn(request, person, next)
      }).pipe(Effect.catchTags({
        SignInRefusal: ({ reason }) =>
          fail(403, `${provider.host} did not sign you in (${reason.slice(0, 100)}).`, next),
        StaleAnswer: () => fail(400, stale, next),
        ProviderUnavailable: down(next),
        Overloaded: later(next),
        StorageUnavailable: later(next)
      }))
    })

    /** Ends the session at the provider. An earlier request has ended the session of the dashboard. */
    const end = Effect.fn("Dashboard.endSignIn")(function*() {
      return yield* provider.end.pipe(
        Effect.flatMap((location) =>
          location === undefined
            ? respondWithSignIn(200, { next: root, note: signedOut })
            : Effect.succeed(leadTo(location))
        ),
        Effect.catch((error) =>
          Effect.andThen(
            logDown(error),
            respondWithSignIn(503, { next: root, note: signedOutHere(provider.host) })
          )
        )
      )
    })

    return { begin, choose: choice.answer, end, finish }
  }
)

/** Runs an effect if a permit is free, both in total and for the network; otherwise returns none. */
type NetworkPermits = <A, E, R>(
  network: string,
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<Option.Option<A>, E, R>

/** Makes `most` permits in total, of which one network gets at most `mostPerNetwork`. */
export const networkPermits = (most: number, mostPerNetwork: number): NetworkPermits => {
  const running = new Map<string, number>()
  let all = 0
  const enter = (network: string): boolean => {
    const own = running.get(network) ?? 0
    if (all >= most || own >= mostPerNetwork) return false
    all++
    running.set(network, own + 1)
    return true
  }
  const leave = (network: string): void => {
    all--
    const own = running.get(network)! - 1
    if (own === 0) running.delete(network)
    else running.set(network, own)
  }
  return (network, effect) =>
    Effect.acquireUseRelease(
      Effect.sync(() => enter(network)),
      (hasEntered) => hasEntered ? Effect.map(effect, Option.some) : Effect.succeed(Option.none()),
      (hasEntered) => Effect.sync(() => hasEntered ? leave(network) : undefined)
    )
}
