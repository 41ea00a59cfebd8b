/**
 * D14.4: a person whom several operators have added, attacked by operators who want the person's address for themselves, and by people who
 * want to be another person.
 */
import * as Pending from "@dockline/dashboard/sign-in/Pending"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { OpenIdProvider } from "../browser/dashboard/OpenIdProvider.ts"
import * as Site from "../support/Site.ts"
import { Agent } from "./Agent.ts"

let provider: OpenIdProvider
let site: Site.Site
/** The tokens of an operator of each business. */
const operators = new Map<string, string>()

beforeAll(async () => {
  provider = await OpenIdProvider.start()
  site = await Site.start(provider.settings)
  await provider.serve(site.baseUrl)
  await Promise.all(["acme", "globex"].map(async (business) => {
    const { body, status } = await site.service.call("operator", {
      method: "POST",
      path: "/v1/operator/clients",
      body: {
        name: `Operator of ${business}`,
        grants: [{ business, facilities: "*", permissions: ["operator", "messages:read"] }]
      }
    })
    assert.strictEqual(status, 201, JSON.stringify(body))
    const token = await site.service.askToken(String(body["id"]), String(body["clientSecret"]))
    operators.set(business, String(token.body["access_token"]))
  }))
})

afterAll(async () => {
  await site?.stop()
  provider?.stop()
})

const operate = (business: string, method: string, path: string, body?: object) =>
  site.service.call(null, {
    method,
    path: `/v1/operator/people${path}`,
    headers: { authorization: `Bearer ${operators.get(business)}` },
    ...(body === undefined ? {} : { body })
  })

let accounts = 0

/** An account at the provider, with a verified address. */
const anAccount = () => {
  const subject = `account-${++accounts}`
  const email = `person-${accounts}@example.com`
  provider.accounts.set(subject, { email, email_verified: true })
  return { subject, email }
}

const add = async (business: string, email: string, name: string): Promise<string> => {
  const grants = [{ business, facilities: "*", permissions: ["messages:read"] }]
  const { body, status } = await operate(business, "POST", "", { name, email, grants })
  assert.strictEqual(status, 201, JSON.stringify(body))
  return String(body["id"])
}

/** A person whom both operators have added. */
const known = async () => {
  const account = anAccount()
  const acme = await add("acme", account.email, "Ada of Acme")
  const globex = await add("globex", account.email, "acme: Ada")
  return { ...account, acme, globex }
}

const cookie = "dockline-choice"

const anAgent = (): Agent => new Agent(site.baseUrl)

const choose = (agent: Agent, person: string) =>
  agent.ask(`${site.baseUrl}/dashboard/sign-in/choice`, { person })

/** A browser that has to choose. */
const aChooser = async (subject: string, next?: string): Promise<Agent> => {
  const agent = anAgent()
  const response = await agent.signIn(subject, next)
  assert.deepStrictEqual(
    [response.status, response.headers.get("location")],
    [303, "/dashboard/sign-in/choice"]
  )
  return agent
}

const slugsOf = async (agent: Agent) =>
  (await agent.who())?.businesses.map((business) => (business as { readonly slug: string }).slug)

describe("somebody whom several operators have added", () => {
  // @threat browsers.14
  it("D14.4 is locked out by none of them, and goes on with the grants of exactly the person that they choose", async () => {
    const { acme, email, globex, subject } = await known()
    const again = await operate("globex", "POST", "", {
      name: "Again",
      email,
      grants: [{ business: "globex", facilities: "*", permissions: [] }]
    })
    assert.strictEqual(again.status, 409)
    const next = "/dashboard/shipments?at=acme"
    for (const [person, business] of [[acme, "acme"], [globex, "globex"]] as const) {
      const agent = await aChooser(subject, next)
      assert.isUndefined(await agent.who())
      const page = await agent.at("/sign-in/choice")
      assert.strictEqual(page.status, 200)
      const html = await page.text()
      assert.notInclude(page.headers.get("content-security-policy")!, "unsafe-")
      assert.deepStrictEqual(
        Array.from(html.matchAll(/<strong>(.*?)<\/strong> <span>known there as <bdi>(.*?)<\/bdi>/g), (
          [, places, name]
        ) => [places, name]),
        [["acme", "Ada of Acme"], ["globex", "acme: Ada"]]
      )
      const response = await choose(agent, person)
      assert.deepStrictEqual([response.status, response.headers.get("location")], [303, next])
      assert.isUndefined(agent.cookie(cookie))
      assert.deepStrictEqual(await slugsOf(agent), [business])
    }
    await operate("globex", "DELETE", `/${globex}`)
    const alone = anAgent()
    assert.strictEqual((await alone.signIn(subject)).headers.get("location"), "/dashboard")
    assert.deepStrictEqual(await slugsOf(alone), ["acme"])
  })

  // @threat browsers.15
  it("D14.4 chooses nobody whom the provider's answer was not for, in no browser but theirs", async () => {
    const [attacker, victim] = [await known(), await known()]
    const agent = await aChooser(attacker.subject)
    for (const person of [victim.acme, victim.globex, "", "person:" + attacker.acme, crypto.randomUUID()]) {
      const response = await choose(agent, person)
      assert.strictEqual(response.status, 403)
      assert.include(await response.text(), "has been removed")
      assert.isUndefined(await agent.who())
    }
    const own = agent.cookie(cookie)!
    const begun = anAgent()
    await begun.at("/sign-in/provider")
    for (
      const forged of ["", ".", `${own.slice(0, 20)}x${own.slice(21)}`, begun.cookie("dockline-sign-in")!]
    ) {
      const browser = anAgent()
      browser.plant(cookie, forged)
      for (const response of [await browser.at("/sign-in/choice"), await choose(browser, victim.acme)]) {
        assert.strictEqual(response.status, 400)
        assert.include(await response.text(), "Sign in again")
      }
      assert.isUndefined(await browser.who())
    }
    // Nor is a choice the answer to a sign-in.
    const answer = await begun.approve(attacker.subject)
    begun.plant("dockline-sign-in", own)
    assert.strictEqual((await begun.ask(answer)).status, 400)
  })

  // @threat browsers.15
  it("D14.4 chooses once, within five minutes, on a page of the service", async () => {
    const { acme, globex, subject } = await known()
    const agent = await aChooser(subject)
    const kept = agent.cookie(cookie)!
    const foreign = await fetch(`${site.baseUrl}/dashboard/sign-in/choice`, {
      method: "POST",
      redirect: "manual",
      headers: { cookie: `${cookie}=${kept}`, origin: "http://evil.example" },
      body: new URLSearchParams({ person: acme })
    })
    assert.strictEqual(foreign.status, 403)
    assert.deepStrictEqual(foreign.headers.getSetCookie(), [])
    assert.strictEqual((await choose(agent, acme)).status, 303)
    const repeated = anAgent()
    repeated.plant(cookie, kept)
    const response = await choose(repeated, globex)
    assert.strictEqual(response.status, 400)
    assert.include(await response.text(), "Sign in again")
    assert.isUndefined(await repeated.who())
    // The value that the service itself would have sealed earlier.
    const seal = await Effect.runPromise(Pending.sealOf({
      issuer: provider.issuer,
      clientId: "dashboard",
      clientSecret: Redacted.make(provider.settings["OIDC_CLIENT_SECRET"]!)
    }))
    const choice = Pending.choice.open(seal, kept, Date.now())!
    assert.isAtMost(choice.expiresAt, Date.now() + 300_000)
    for (const [past, status] of [[1, 400], [-60_000, 303]] as const) {
      const late = anAgent()
      const id = `another-${status}`
      late.plant(cookie, Pending.choice.close(seal, { ...choice, id, expiresAt: Date.now() - past }))
      assert.strictEqual((await choose(late, globex)).status, status)
    }
  })

  it("D14.4 is told when what they choose was has been removed, and may choose what is left", async () => {
    const { acme, globex, subject } = await known()
    const [agent, late] = [await aChooser(subject), await aChooser(subject)]
    await operate("globex", "DELETE", `/${globex}`)
    const response = await choose(agent, globex)
    assert.strictEqual(response.status, 403)
    const page = await response.text()
    assert.include(page, "The access that you chose has been removed.")
    assert.include(page, acme)
    assert.notInclude(page, globex)
    assert.strictEqual((await choose(agent, acme)).status, 303)
    await operate("acme", "DELETE", `/${acme}`)
    const nothing = await choose(late, acme)
    assert.strictEqual(nothing.status, 403)
    assert.include(await nothing.text(), "Your access has been removed.")
    assert.isUndefined(await late.who())
    assert.isUndefined(await agent.who())
  })

  it("D14.4 leaves the session that the browser has until they have chosen", async () => {
    const { acme, subject } = await known()
    const other = anAccount()
    await add("acme", other.email, "Grace")
    const first = anAgent()
    await first.signIn(other.subject)
    const before = first.cookie("dockline-session")
    const agent = await aChooser(subject)
    agent.plant("dockline-session", before!)
    await agent.at("/sign-in/choice")
    assert.strictEqual((await agent.who())?.name, "Grace")
    await choose(agent, acme)
    assert.strictEqual((await agent.who())?.name, "Ada of Acme")
    assert.isUndefined(await first.who())
  })
})
