/**
 * Lets a person whom several operators have added, each for their own businesses, choose an entry (D14.4).
 *
 * Guarantee: a person chooses only among the entries that match the provider's answer, once, within minutes, in the browser that has signed
 * in, and on a page of the service. The session has only the rights of the chosen entry. The page is plain HTML, which works without
 * scripts. Each choice begins with the businesses of its grants; after them comes the name that an operator has chosen, and neither markup
 * nor marks for the direction of text in a name affect the rest of the page.
 */
import { everything } from "@dockline/core/access/Access"
import { BrowserSessions, SessionStore } from "@dockline/core/access/BrowserSessions"
import { PersonStore, principalIdOf } from "@dockline/core/access/Principals"
import type { Identity, Person } from "@dockline/core/access/Principals"
import * as RequestLog from "@dockline/core/values/RequestLog"
import { sha256 } from "@dockline/core/values/WebCrypto"
import { retryAfterOf } from "@dockline/wire/Problem"
import { escapeHtml } from "@dockline/wire/SitePages"
import { Clock, Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { randomBytes } from "node:crypto"
import { publicRoot } from "../DashboardConfig.ts"
import type { DashboardConfig } from "../DashboardConfig.ts"
import { choiceSeconds } from "./Cookie.ts"
import type { Cookies } from "./Cookie.ts"
import * as Origin from "./Origin.ts"
import * as Pending from "./Pending.ts"
import type { Seal } from "./Pending.ts"
import { frameHtml, leadTo, readForm, returnPath, unavailable } from "./SignIn.ts"
import type { SignInPages } from "./SignIn.ts"

type Request = HttpServerRequest.HttpServerRequest

const stale = "This choice took too long, or was made already. Sign in again."

const removed = "The access that you chose has been removed. Choose again."

const allRemoved = "Your access has been removed. Ask an operator."

export const make = Effect.fnUntraced(
  function*(
    config: DashboardConfig,
    seal: Seal,
    cookies: Cookies,
    { respondWith, respondWithSignIn }: SignInPages
  ) {
    const people = yield* PersonStore
    const sessions = yield* BrowserSessions
    const { markAnswered } = yield* SessionStore
    const root = publicRoot(config)

    const fail = (status: number, fault: string, next = root) =>
      respondWithSignIn(status, { next, fault }, { "set-cookie": cookies.choice.remove })

    /** Begins a session of this person, ends the browser's earlier session, and leads to the next page. */
    const goOn = Effect.fnUntraced(function*(request: Request, person: Person, next: string) {
      const principalId = principalIdOf(person)
      yield* RequestLog.add({ clientId: principalId })
      yield* sessions.end(cookies.session.read(request.headers["cookie"]) ?? "")
      const cookie = cookies.session.keep(yield* sessions.begin(principalId))
      return leadTo(next, cookie, cookies.signIn.remove, cookies.choice.remove)
    })

    /** Leads to the page for choosing an entry of an identity, with the cookie of the choice. */
    const offer = Effect.fnUntraced(function*(identity: Identity, next: string) {
      const expiresAt = (yield* Clock.currentTimeMillis) + choiceSeconds * 1000
      const id = randomBytes(32).toString("base64url")
      const cookie = cookies.choice.keep(Pending.choice.close(seal, { id, identity, next, expiresAt }))
      return leadTo(`${root}${path}`, cookie, cookies.signIn.remove)
    })

    /** The choice in the cookie, with the entries to choose among; `undefined` without a valid choice. */
    const pendingOf = Effect.fnUntraced(function*({ headers }: Request) {
      const now = yield* Clock.currentTimeMillis
      const pending = Pending.choice.open(seal, cookies.choice.read(headers["cookie"]), now)
      return pending && {
        ...pending,
        next: returnPath(pending.next, root),
        people: yield* people.findIdentity(pending.identity)
      }
    })

    const ask = (status: number, view: ChoiceView) =>
      view.people.length === 0
        ? fail(403, allRemoved)
        : respondWith(status, (tags) => html(config, tags, view))

    const choose = Effect.fn("Dashboard.choosePerson")(function*(request: Request) {
      const pending = yield* pendingOf(request)
      if (pending === undefined) return yield* fail(400, stale)
      if (Origin.isSafe(request.method)) return yield* ask(200, pending)
      const form = yield* Effect.result(readForm(request))
      if (Result.isFailure(form)) {
        const { fault, headers, status } = form.failure
        return yield* respondWithSignIn(status, { next: root, fault }, headers)
      }
      const choice = form.success.get("person")
      const person = pending.people.find(({ id }) => id === choice)
      if (person === undefined) return yield* ask(403, { ...pending, fault: removed })
      return (yield* markAnswered(yield* sha256(pending.id)))
        ? yield* goOn(request, person, pending.next)
        : yield* fail(400, stale)
    })

    /** Shows the choice, or accepts the chosen entry. */
    const answer = (request: Request) =>
      Origin.isSafe(request.method) || Origin.isOwn(request.headers, config.baseUrl)
        ? choose(request).pipe(
          Effect.catchTag(
            "StorageUnavailable",
            (error) =>
              respondWithSignIn(503, { next: root, fault: unavailable }, {
                "retry-after": String(retryAfterOf(error))
              })
          )
        )
        : respondWithSignIn(403, { next: root, fault: Origin.fault(request.headers, config.baseUrl) })

    return { answer, goOn, offer }
  }
)

/** The path of the page, under the root of the dashboard. */
export const path = "/sign-in/choice"

/** The most businesses that are listed for one person. */
const mostNamed = 10

interface ChoiceView {
  readonly people: ReadonlyArray<Person>
  /** The fault of the last attempt, in a sentence or two. */
  readonly fault?: string
}

export const html = (config: DashboardConfig, tags: string, { fault, people }: ChoiceView): string => {
  const action = `${publicRoot(config)}${path}`
  const choices = people.map((person) => ({ person, places: placesOf(person) }))
    .sort((one, other) => one.places < other.places ? -1 : 1)
  return frameHtml(
    tags,
    `<section class="card offer" aria-labelledby="choice">
<h2 id="choice">Choose how to continue</h2>
${
      fault === undefined
        ? ""
        : `<p class="fault" role="alert">${escapeHtml(fault)}</p>`
    }<p>You have been given access more than once. You continue with the access that you choose; sign in again to choose another.</p>
${
      choices.map(({ person, places }) =>
        `<form method="post" action="${action}">
<input type="hidden" name="person" value="${escapeHtml(person.id)}">
<button><strong>${escapeHtml(places)}</strong> <span>known there as <bdi>${
          escapeHtml(person.name)
        }</bdi></span></button>
</form>`
      ).join("\n")
    }
</section>`
  )
}

const placesOf = ({ grants }: Person): string => {
  const slugs = Array.from(new Set(grants.map(({ business }) => business))).sort()
  if (slugs.length === 0) return "No business"
  if (slugs.includes(everything)) return "All businesses"
  const more = slugs.length - mostNamed
  return slugs.slice(0, mostNamed).join(", ") + (more > 0 ? ` and ${more} more` : "")
}
