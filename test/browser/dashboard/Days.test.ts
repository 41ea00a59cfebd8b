/** D14: the page of a day, in a real browser: what they count and find. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import * as Site from "../../support/Site.ts"
import * as Chromium from "../Chromium.ts"
import * as Visitor from "./Visitor.ts"
import { Yard } from "./Yard.ts"
import type { Made } from "./Yard.ts"

let site: Site.Site
let browser: Browser
let left: Made
let there: Made

describe.skipIf(Chromium.isSkipped)("the page of a day", { timeout: 180_000 }, () => {
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([Site.start(), Chromium.open()])
    const yard = new Yard(site.service)
    const item = { lot: "LOT-7" }
    left = await yard.shipment({ facility: "west", pallets: 3, item, fields: { dockSlug: "D1" } })
    await yard.pallets(left, left.lpns.slice(0, 2), "D1", "west")
    await yard.except(left, { priority: "LOW", description: "Wet" })
    await yard.depart(left)
    there = await yard.shipment({ facility: "west", direction: "OUTBOUND", pallets: 2, item })
    await yard.pallets(there, [there.lpns[0]!, left.lpns[2]!], "D1", "west")
  }, 120_000)

  afterAll(async () => {
    await site?.stop()
  })

  it("D13.13 a day shows its totals, its hours and its docks, and leads to what it counts", async () => {
    const { leave, open, page } = await Visitor.enter(browser, site.baseUrl)
    await open("/day?at=acme/west")
    const totals = page.getByRole("region", { name: "Totals" })
    await totals.getByText("1 inbound, 1 outbound in all").waitFor()
    assert.match(await totals.innerText(), /Short\s*1\s*0 over, 0 complete/)
    assert.match(await totals.innerText(), /Pallets\s*2 in\s*2 out/)
    const docks = page.getByRole("region", { name: "By dock" })
    assert.match(await docks.getByRole("row").nth(1).innerText(), /^D1\s+2\s/)
    assert.match(
      await page.getByRole("region", { name: "By hour" }).getByRole("img").getAttribute("aria-label") ?? "",
      /^\d\d: \d/
    )
    await page.getByRole("button", { name: "Week" }).click()
    await page.getByRole("region", { name: "By day" }).waitFor()
    await page.getByRole("button", { name: "Before" }).click()
    await page.getByRole("heading", { name: "No shipment in this week" }).waitFor()
    await open("/day?at=acme/west")
    await totals.getByRole("link", { name: "1", exact: true }).first().click()
    await page.getByRole("link", { name: left.number }).waitFor()
    assert.strictEqual(await page.getByRole("link", { name: there.number }).count(), 0)
    await leave()
  })
})
