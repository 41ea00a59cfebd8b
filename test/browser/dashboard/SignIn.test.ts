/**
 * D14.4: people sign in by an OpenID Connect provider, in a real browser.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser, Page } from "playwright-core"
import * as Site from "../../support/Site.ts"
import * as Chromium from "../Chromium.ts"
import { OpenIdProvider } from "./OpenIdProvider.ts"
import { Yard } from "./Yard.ts"

let provider: OpenIdProvider
let site: Site.Site
let browser: Browser

const people = (body: object) =>
  site.service.call("operator", { method: "POST", path: "/v1/operator/people", body })

/** Fills in the pages of the provider. */
const approve = async (page: Page, subject: string): Promise<void> => {
  await page.locator("input[name=login]").fill(subject)
  await page.locator("input[name=password]").fill("any")
  await page.getByRole("button", { name: "Sign-in" }).click()
  await page.getByRole("button", { name: "Continue" }).click()
}

describe.skipIf(Chromium.isSkipped)("a person", () => {
  beforeAll(async () => {
    provider = await OpenIdProvider.start()
    ;[site, browser] = await Promise.all([Site.start(provider.settings), Chromium.open()])
    await provider.serve(site.baseUrl)
  })

  afterAll(async () => {
    await site?.stop()
    provider?.stop()
  })

  it("D14.4 opens the url of a message from a mail, signs in at the provider, and is on exactly that page", async () => {
    provider.accounts.set("ada", { email: "Ada@acme.example", email_verified: true })
    await people({
      name: "Ada Byron",
      email: "ada@acme.example",
      grants: [{ business: "acme", facilities: ["east"], permissions: ["messages:read"] }]
    })
    const yard = new Yard(site.service)
    const shipment = await yard.shipment()
    const [pallet] = await yard.pallets(shipment, shipment.lpns.slice(0, 1))
    const url = `${site.baseUrl}/dashboard/shipments/${shipment.id}/pallets/${pallet}`
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(url)
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    assert.deepStrictEqual(await Chromium.violations(page), [])
    // By keyboard: the link has the focus.
    await page.keyboard.press("Enter")
    await approve(page, "ada")
    await page.getByRole("heading", { name: shipment.lpns[0]! }).waitFor()
    assert.strictEqual(page.url(), url)
    await page.getByText("Live", { exact: true }).waitFor()
    await page.getByText("Ada Byron").first().waitFor()
    assert.strictEqual(await page.evaluate(() => document.cookie), "")
    // Nobody can sign out on behalf of others, and all tabs of the session end.
    const other = await context.newPage()
    await other.goto(url)
    await page.locator("details.account summary").click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByText("You have signed out").waitFor()
    assert.deepStrictEqual(await Chromium.violations(page), [])
    await other.getByRole("heading", { name: "Sign in" }).waitFor()
    await context.close()
  })

  it("D14.4 whom several operators have added chooses as whom to go on, by keyboard, on a telephone too", async () => {
    provider.accounts.set("joan", { email: "joan@acme.example", email_verified: true })
    for (const business of ["acme", "globex"]) {
      const { body } = await site.service.call("operator", {
        method: "POST",
        path: "/v1/operator/clients",
        body: {
          name: `Operator of ${business}`,
          grants: [{ business, facilities: "*", permissions: ["operator"] }]
        }
      })
      const token = await site.service.askToken(String(body["id"]), String(body["clientSecret"]))
      await site.service.call(null, {
        method: "POST",
        path: "/v1/operator/people",
        headers: { authorization: `Bearer ${String(token.body["access_token"])}` },
        body: {
          name: `Joan of ${business}`,
          email: "joan@acme.example",
          grants: [{ business, facilities: "*", permissions: ["messages:read"] }]
        }
      })
    }
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    await page.goto(`${site.baseUrl}/dashboard/sign-in`)
    await page.getByRole("link", { name: /^Continue with/ }).click()
    await approve(page, "joan")
    await page.getByRole("heading", { name: "Choose how to continue" }).waitFor()
    assert.deepStrictEqual(await Chromium.violations(page), [])
    assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 390)
    await page.getByRole("button", { name: "globex known there as Joan of globex" }).press("Enter")
    await page.getByRole("heading", { name: "Docks" }).waitFor()
    await page.close()
  })

  it("D14.4 whom nobody knows reads what to send to whom, and may still sign in as a client", async () => {
    provider.accounts.set("grace", { email: "grace@acme.example", email_verified: true })
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    await page.goto(`${site.baseUrl}/dashboard/sign-in`)
    await page.getByRole("link", { name: /^Continue with/ }).click()
    await approve(page, "grace")
    assert.include(await page.getByRole("alert").innerText(), "Send this to an operator: grace@acme.example")
    assert.deepStrictEqual(await Chromium.violations(page), [])
    await page.getByText("Sign in with a client id").click()
    await page.getByLabel("Client id").fill("acme-client")
    await page.getByLabel("Client secret").fill("acme-client-secret")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Docks" }).waitFor()
    await page.close()
  })
})
