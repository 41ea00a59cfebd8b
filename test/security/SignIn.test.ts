/**
 * D14.4: signing in by an OpenID Connect provider, attacked by people with an account there, a link, or the answer to another person's
 * sign-in.
 */
import * as Cookie from "@dockline/dashboard/sign-in/Cookie"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { WebSocket } from "ws"
import { OpenIdProvider } from "../browser/dashboard/OpenIdProvider.ts"
import * as Site from "../support/Site.ts"
import { Agent } from "./Agent.ts"

let provider: OpenIdProvider
let site: Site.Site

beforeAll(async () => {
  provider = await OpenIdProvider.start()
  site = await Site.start(provider.settings)
  await provider.serve(site.baseUrl)
})

afterAll(async () => {
  await site?.stop()
  provider?.stop()
})

const anAgent = (): Agent => new Agent(site.baseUrl)

const session = "dockline-session"
const pending = "dockline-sign-in"

const operate = (method: string, path: string, body?: object) =>
  site.service.call("operator", {
    method,
    path: `/v1/operator/people${path}`,
    ...(body === undefined ? {} : { body })
  })

const east = [{ business: "acme", facilities: ["east"], permissions: ["messages:read"] }]

let people = 0

/** A person with an account at the provider, known by a verified address. */
const aPerson = async (grants: ReadonlyArray<object> = east) => {
  const subject = `account-${++people}`
  const email = `person-${people}@example.com`
  provider.accounts.set(subject, { email, email_verified: true })
  const { body, status } = await operate("POST", "", { name: `Person ${people}`, email, grants })
  assert.strictEqual(status, 201, JSON.stringify(body))
  return { id: String(body["id"]), subject, email, name: `Person ${people}` }
}

describe("signing in by a provider", () => {
  // @threat browsers.12
  it("D14.4 keeps the secret of a sign-in in a cookie that no script reads and that lasts ten minutes", async () => {
    const response = await anAgent().at("/sign-in/provider")
    const [cookie = ""] = response.headers.getSetCookie()
    assert.sameMembers(cookie.split("; ").slice(1), ["Max-Age=600", "Path=/", "HttpOnly", "SameSite=Lax"])
    const [name, ...attributes] = Cookie.make("https://dockline.example").signIn.keep("secret").split("; ")
    assert.strictEqual(name, "__Host-dockline-sign-in=secret")
    assert.sameMembers(attributes, ["Max-Age=600", "Path=/", "HttpOnly", "SameSite=Lax", "Secure"])
    const asked = new URL(response.headers.get("location")!)
    assert.strictEqual(asked.origin, provider.issuer)
    const secret = cookie.slice(cookie.indexOf("=") + 1).split(".")[0]!
    assert.notInclude(asked.href, secret)
    for (const name of ["state", "nonce", "code_challenge"]) {
      assert.isAtLeast(asked.searchParams.get(name)!.length, 43)
    }
    assert.strictEqual(asked.searchParams.get("code_challenge_method"), "S256")
  })

  // @threat browsers.6
  it("D14.4 makes a new secret for the session, and ends the one that the browser brought", async () => {
    const [one, other] = [await aPerson(), await aPerson()]
    const agent = anAgent()
    await agent.signIn(one.subject)
    const planted = agent.cookie(session)!
    const second = anAgent()
    second.plant(session, planted)
    await second.signIn(other.subject)
    assert.notStrictEqual(second.cookie(session), planted)
    assert.strictEqual((await second.who())?.name, other.name)
    assert.isUndefined(await agent.who())
  })

  // @threat browsers.12
  it("D14.4 counts an answer only in the browser that asked for it, and once", async () => {
    const [attacker, victim] = [await aPerson(), await aPerson()]
    const answer = await anAgent().approve(attacker.subject)
    // A browser without a sign-in under way, one with another sign-in, and one with a cookie that others know.
    const begun = anAgent()
    await begun.at("/sign-in/provider")
    const known = anAgent()
    known.plant(pending, ".")
    const signedIn = anAgent()
    await signedIn.signIn(victim.subject)
    for (const browser of [anAgent(), begun, known, signedIn]) {
      const before = (await browser.who())?.name
      const response = await browser.ask(answer)
      assert.strictEqual(response.status, 400)
      assert.include(await response.text(), "Sign in again")
      assert.strictEqual((await browser.who())?.name, before)
    }
    const own = anAgent()
    const good = await own.approve(victim.subject)
    const kept = own.cookie(pending)!
    assert.strictEqual((await own.ask(good)).status, 303)
    const repeated = anAgent()
    repeated.plant(pending, kept)
    assert.strictEqual((await repeated.ask(good)).status, 400)
    assert.isUndefined(await repeated.who())
  })

  // @threat browsers.17
  it("D14.4 counts an answer once by its own record, though the provider would take it again", async () => {
    const person = await aPerson()
    const own = anAgent()
    const good = await own.approve(person.subject)
    const kept = own.cookie(pending)!
    const given = new Map<string | null, string>()
    provider.answerTokens = (answer, body) => {
      const code = new URLSearchParams(body).get("code")
      if (!given.has(code)) given.set(code, answer)
      return given.get(code)!
    }
    try {
      assert.strictEqual((await own.ask(good)).status, 303)
      const asked = provider.asked.length
      const repeated = anAgent()
      repeated.plant(pending, kept)
      assert.strictEqual((await repeated.ask(good)).status, 400)
      assert.isUndefined(await repeated.who())
      assert.strictEqual(provider.asked.length, asked)
    } finally {
      provider.answerTokens = (answer) => answer
    }
  })

  // @threat browsers.17
  it("D14.4 takes what the provider says of a person only with its signature", async () => {
    const [attacker, victim] = [await aPerson(), await aPerson()]
    const changes: ReadonlyArray<(token: string) => string> = [
      // Another person, whose id has the same length, under the signature for this one.
      (token) => {
        const [head, claims = "", signature] = token.split(".")
        const text = Buffer.from(claims, "base64url").toString()
        const other = text.replace(`"${attacker.subject}"`, `"${victim.subject}"`)
        assert.notStrictEqual(other, text)
        return [head, Buffer.from(other).toString("base64url"), signature].join(".")
      },
      (token) => token.replace(/[^.]+$/, (signature) => Array.from(signature).toReversed().join("")),
      (token) => token.replace(/[^.]+$/, (signature) => "A".repeat(signature.length))
    ]
    for (const change of changes) {
      provider.answerTokens = (answer) =>
        answer.replace(/"id_token":"([^"]+)"/, (_, token: string) => `"id_token":"${change(token)}"`)
      try {
        const agent = anAgent()
        const response = await agent.signIn(attacker.subject)
        assert.strictEqual(response.status, 503)
        assert.isUndefined(await agent.who())
      } finally {
        provider.answerTokens = (answer) => answer
      }
    }
    assert.strictEqual((await anAgent().signIn(attacker.subject)).status, 303)
  })

  // @threat browsers.12
  it("D14.4 takes no sign-in whose secret others know, as that of a browser without a cookie would be", async () => {
    const attacker = await aPerson()
    const derived = (purpose: string) => createHash("sha256").update(`${purpose} `).digest("base64url")
    const asked = new URL((await anAgent().at("/sign-in/provider")).headers.get("location")!)
    asked.searchParams.set("state", derived("state"))
    asked.searchParams.set("nonce", derived("nonce"))
    asked.searchParams.set(
      "code_challenge",
      createHash("sha256").update(derived("verifier")).digest("base64url")
    )
    const answer = await anAgent().approve(attacker.subject, asked.href)
    const victim = anAgent()
    assert.strictEqual((await victim.ask(answer)).status, 400)
    assert.isUndefined(await victim.who())
  })

  // @threat browsers.13
  it("D14.4 lets nobody in whom no operator has named, and tells them what to send", async () => {
    const agent = anAgent()
    provider.accounts.set("stranger", { email: "stranger@example.com", email_verified: true })
    const response = await agent.signIn("stranger")
    assert.strictEqual(response.status, 403)
    const page = await response.text()
    assert.include(page, "stranger@example.com, or subject stranger")
    assert.isUndefined(agent.cookie(session))
  })

  // @threat browsers.13
  it("D14.4 knows nobody by an address that the provider has not verified, and others by their subject", async () => {
    const { email, id } = await aPerson()
    for (
      const [subject, verified] of [["claims-it", false], ["says-nothing", undefined], [
        "says-true",
        "true"
      ]] as const
    ) {
      provider.accounts.set(subject, { email, email_verified: verified as boolean })
      const response = await anAgent().signIn(subject)
      assert.strictEqual(response.status, 403, subject)
      assert.notInclude(await response.text(), email)
    }
    const known = await operate("POST", "", { name: "By subject", subject: "claims-it", grants: east })
    assert.strictEqual(known.status, 201)
    const agent = anAgent()
    assert.strictEqual((await agent.signIn("claims-it")).status, 303)
    assert.strictEqual((await agent.who())?.name, "By subject")
    await operate("DELETE", `/${id}`)
  })

  // @threat browsers.11
  it("D14.4 is withdrawn with the grants and with the person, at the next request", async () => {
    const person = await aPerson()
    const agent = anAgent()
    await agent.signIn(person.subject)
    assert.strictEqual((await agent.who())?.businesses.length, 1)
    assert.strictEqual((await operate("PATCH", `/${person.id}`, { grants: [] })).status, 200)
    assert.strictEqual((await agent.who())?.businesses.length, 0)
    assert.strictEqual((await operate("DELETE", `/${person.id}`)).status, 204)
    assert.isUndefined(await agent.who())
    assert.strictEqual((await agent.signIn(person.subject)).status, 403)
  })

  // @threat browsers.11
  it("D14.4 closes the sockets of a person who is removed", async () => {
    const person = await aPerson()
    const agent = anAgent()
    await agent.signIn(person.subject)
    const socket = new WebSocket(
      `${site.baseUrl.replace("http", "ws")}/dashboard/api/graphql`,
      "graphql-transport-ws",
      { headers: { cookie: `${session}=${agent.cookie(session)}`, origin: site.baseUrl } }
    )
    await once(socket, "open")
    socket.send(JSON.stringify({ type: "connection_init" }))
    await once(socket, "message")
    const query =
      `subscription { pushMessage(filter: { businessSlug: "acme", facilitySlug: "east" }) { id } }`
    socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query } }))
    const closed = once(socket, "close")
    await operate("DELETE", `/${person.id}`)
    assert.strictEqual((await closed)[0], 4403)
  })

  // @threat browsers.13
  it("D14.4 makes nobody a person by the id of a client", async () => {
    const person = await aPerson()
    const response = await anAgent().ask(`${site.baseUrl}/dashboard/sign-in`, {
      client_id: `person:${person.id}`,
      client_secret: "any"
    })
    assert.strictEqual(response.status, 401)
  })

  // @threat browsers.10
  it("D14.4 leads nowhere but to the provider and to pages of the dashboard", async () => {
    const person = await aPerson()
    const evil = [
      "https://evil.example",
      "//evil.example",
      "/dashboard/../v1/docs/",
      "/dashboard/sign-out/provider",
      "javascript:alert(1)"
    ]
    for (const next of evil) {
      const response = await anAgent().signIn(person.subject, next)
      assert.deepStrictEqual([response.status, response.headers.get("location")], [303, "/dashboard"], next)
    }
    // The path is sealed with the rest of the cookie.
    const agent = anAgent()
    const answer = await agent.approve(person.subject)
    const [secret, end, , code] = agent.cookie(pending)!.split(".")
    const path = Buffer.from("https://evil.example").toString("base64url")
    agent.plant(pending, [secret, end, path, code].join("."))
    const response = await agent.ask(answer)
    assert.deepStrictEqual([response.status, response.headers.get("location")], [400, null])
  })

  // @threat browsers.9
  it("D14.4 says what the provider answers, as text", async () => {
    const agent = anAgent()
    const begun = await agent.at("/sign-in/provider")
    const state = new URL(begun.headers.get("location")!).searchParams.get("state")!
    const query = new URLSearchParams({ state, error: "access_denied<script>", iss: provider.issuer })
    const response = await agent.at(`/sign-in/callback?${query}`)
    assert.strictEqual(response.status, 403)
    const page = await response.text()
    assert.include(page, "did not sign you in (access_denied&#60;script&#62;)")
    assert.isUndefined(agent.cookie(pending))
  })

  it("D14.4 says it when the provider is away, and goes on when it is back; sessions at hand stay", async () => {
    const person = await aPerson()
    const agent = anAgent()
    await agent.signIn(person.subject)
    const late = anAgent()
    const answer = await late.approve(person.subject)
    const resume = provider.interrupt()
    const response = await late.ask(answer)
    assert.deepStrictEqual([response.status, response.headers.get("retry-after")], [503, "5"])
    assert.include(await response.text(), "does not answer as it should")
    assert.strictEqual((await agent.who())?.name, person.name)
    resume()
    assert.strictEqual((await late.signIn(person.subject)).status, 303)
  })

  it("D14.4 says that somebody has signed out here, and may still be signed in at the provider, when that does not answer", async () => {
    const alone = await Site.start({ ...provider.settings, OIDC_ISSUER: "http://127.0.0.1:1" })
    try {
      const response = await new Agent(alone.baseUrl).at("/sign-out/provider")
      assert.strictEqual(response.status, 503)
      assert.include(
        await response.text(),
        "You have signed out here, but 127.0.0.1:1 does not answer as it should, so you may still be signed in there"
      )
    } finally {
      await alone.stop()
    }
  })

  // @threat browsers.11
  it("D14.4 ends everywhere by signing out, which offers to sign out at the provider too", async () => {
    const person = await aPerson()
    const agent = anAgent()
    await agent.signIn(person.subject)
    const copy = anAgent()
    copy.plant(session, agent.cookie(session)!)
    const response = await agent.ask(`${site.baseUrl}/dashboard/sign-out`, {})
    assert.strictEqual(response.headers.get("location"), "/dashboard/sign-in?signed-out")
    assert.isUndefined(await copy.who())
    assert.include(await (await agent.at("/sign-in?signed-out")).text(), "/dashboard/sign-out/provider")
    const left = new URL((await agent.at("/sign-out/provider")).headers.get("location")!)
    assert.strictEqual(left.origin, provider.issuer)
    assert.strictEqual(left.searchParams.get("post_logout_redirect_uri"), `${site.baseUrl}/dashboard/sign-in`)
  })
})
