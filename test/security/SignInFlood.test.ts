/**
 * D14.4: requests of strangers to the address to which the provider leads people back.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { OpenIdProvider } from "../browser/dashboard/OpenIdProvider.ts"
import { eventually } from "../support/Eventually.ts"
import * as Site from "../support/Site.ts"
import { Agent } from "./Agent.ts"

let provider: OpenIdProvider
let site: Site.Site

beforeAll(async () => {
  provider = await OpenIdProvider.start()
  site = await Site.start({ ...provider.settings, TRUSTED_PROXIES: "127.0.0.0/8" })
  await provider.serve(site.baseUrl)
})

afterAll(async () => {
  await site?.stop()
  provider?.stop()
})

const senders = 64
const rounds = 10
const people = 15

/** The cookies of a sender and the query of a matching answer, as far as a stranger can forge both. */
const forged = (n: number): { readonly cookie: string; readonly query: string } => {
  const secret = createHash("sha256").update(`sender ${n}`).digest("base64url")
  const state = createHash("sha256").update(`state ${secret}`).digest("base64url")
  const path = Buffer.from("/dashboard").toString("base64url")
  const soon = Date.now() + 60_000
  const query = new URLSearchParams({ state, code: `code-${n}`, iss: provider.issuer })
  const cookie = [`${secret}.${path}`, `${secret}.${soon}.${path}.${state}`][n % 2]!
  return { cookie, query: query.toString() }
}

const send = async (n: number): Promise<number> => {
  const { cookie, query } = forged(n)
  const response = await fetch(`${site.baseUrl}/dashboard/sign-in/callback?${query}`, {
    redirect: "manual",
    headers: { cookie: `dockline-sign-in=${cookie}`, "x-forwarded-for": "203.0.113.9" }
  })
  await response.arrayBuffer()
  return response.status
}

const aPerson = async (n: number): Promise<string> => {
  const subject = `visitor-${n}`
  const { status } = await site.service.call("operator", {
    method: "POST",
    path: "/v1/operator/people",
    body: {
      name: subject,
      subject,
      grants: [{ business: "acme", facilities: "*", permissions: ["messages:read"] }]
    }
  })
  assert.strictEqual(status, 201)
  return subject
}

const asked = (path: string): number => provider.asked.filter((each) => each === path).length

describe("strangers", () => {
  // @threat browsers.18
  it("D14.4 make the service ask the provider nothing, and keep nobody from signing in", async () => {
    const subjects = await Promise.all(Array.from({ length: people }, (_, n) => aPerson(n)))
    const over = new AbortController()
    let sent = 0
    const statuses = new Set<number>()
    const flood = Promise.all(Array.from({ length: senders }, async (_, n) => {
      for (let round = 0; round < rounds && !over.signal.aborted; round++) {
        statuses.add(await send(n))
        sent++
      }
    }))
    const signedIn = await Promise.all(subjects.map(async (subject, n) => {
      try {
        return (await new Agent(site.baseUrl, { "x-forwarded-for": `198.51.100.${n}` }).signIn(subject))
          .status
      } catch {
        return 0
      }
    }))
    over.abort()
    await flood
    assert.deepStrictEqual(signedIn, Array<number>(people).fill(303))
    assert.strictEqual(asked("/token"), people)
    assert.strictEqual(asked("/.well-known/openid-configuration"), 1)
    assert.isAtLeast(sent, senders)
    // A busy service turns some requests of one network away before it reads them.
    assert.deepStrictEqual([...statuses].filter((status) => status !== 503), [400])
  })

  // @threat browsers.18
  it("D14.4 of few networks, who begin sign-ins and answer them by themselves, leave room for others", async () => {
    const from = (address: string) => new Agent(site.baseUrl, { "x-forwarded-for": address })
    const begin = async (agent: Agent): Promise<string> => {
      const response = await agent.at("/sign-in/provider")
      assert.strictEqual(response.status, 303)
      return new URL(response.headers.get("location")!).searchParams.get("state")!
    }
    /** An answer to the sign-in that the browser has begun, with a code that the provider has not issued. */
    const invent = async (agent: Agent): Promise<number> => {
      const query = new URLSearchParams({ state: await begin(agent), code: "none", iss: provider.issuer })
      return (await agent.at(`/sign-in/callback?${query}`)).status
    }
    const subject = await aPerson(people)
    const person = from("198.51.100.200")
    const answer = await person.approve(subject)
    const before = asked("/token")
    const release = provider.holdTokens()
    // Far more than the strangers' requests that are handled at once: they wait for the provider, and delay nobody else.
    const networks = Array.from({ length: 8 }, (_, at) => `203.0.113.${10 + at}`)
    const attackers: Array<Promise<number>> = []
    for (const network of networks) {
      attackers.push(...Array.from({ length: 16 }, () => invent(from(network))))
      await eventually("the provider is asked", () => asked("/token") === before + attackers.length)
    }
    for (const network of networks) {
      assert.strictEqual(await invent(from(network)), 503)
      await begin(from(network))
    }
    const signedIn = person.ask(answer)
    await eventually("the provider is asked", () => asked("/token") === before + attackers.length + 1)
    release()
    assert.strictEqual((await signedIn).status, 303)
    assert.deepStrictEqual(await Promise.all(attackers), attackers.map(() => 400))
  })
})
