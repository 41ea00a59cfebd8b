/** D14: the page of a day, in a real browser: its counts and its links. */
import { assert, describe, it } from "@effect/vitest"
import * as Chromium from "../Chromium.ts"
import { begin, operate, row, site, visitAt, yard } from "./Scene.ts"
import type { Made } from "./Yard.ts"

let left: Made
let there: Made

describe.skipIf(Chromium.isSkipped)("the page of a day", { timeout: 180_000 }, () => {
  begin(async () => {
    const item = { lot: "LOT-7" }
    const fields = { dockSlug: "D1", expectedArrivalAt: new Date(Date.now() - 60_000).toISOString() }
    left = await yard.shipment({ facility: "west", pallets: 3, item, fields })
    await yard.pallets(left, left.lpns.slice(0, 2), "D1", "west")
    await yard.except(left, { priority: "LOW", description: "Wet" })
    await yard.depart(left)
    there = await yard.shipment({ facility: "west", direction: "OUTBOUND", pallets: 2, item })
    await yard.pallets(there, [there.lpns[0]!, left.lpns[2]!], "D1", "west")
  })

  it("D13.13 a day shows its totals, its hours and its docks, and leads to what it counts", async () => {
    const { open, page } = await visitAt("/day?at=acme/west")
    const totals = page.getByRole("region", { name: "Totals" })
    await totals.getByText("1 inbound").waitFor()
    assert.strictEqual(await page.title(), "Day · Dockline")
    assert.match(await totals.innerText(), /Departed\s*1\s*1 inbound, 1 outbound in all/)
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
    await totals.getByRole("link", { name: "2 in", exact: true }).click()
    await page.getByRole("heading", { name: "Pallets in", exact: true }).waitFor()
    await page.getByRole("link", { name: left.number }).waitFor()
    assert.strictEqual(await page.getByRole("link", { name: there.number }).count(), 0)
    await page.goBack()
    await docks.getByRole("link", { name: "2", exact: true }).first().click()
    await page.getByRole("heading", { name: "Shipments, dock D1" }).waitFor()
    await page.getByRole("link", { name: there.number }).waitFor()
    assert.strictEqual(await page.getByRole("row").count(), 3)
    await page.getByRole("navigation", { name: "Above this page" }).getByRole("link").click()
    await totals.waitFor()
    await totals.getByRole("link", { name: /^\d+ (h|min)/ }).click()
    await page.getByRole("heading", { name: "Departed", exact: true }).waitFor()
    await page.goBack()
    await totals.getByRole("link", { name: /%$/ }).click()
    await page.getByRole("heading", { name: /^(Late|On time)$/ }).waitFor()
    await page.goBack()
    await totals.waitFor()
  })

  it("D13.13 a day is compared with the day before and four weeks, the worst come first, and a handover fits one page", async () => {
    const there = { business: "globex", facility: "main" }
    const [hour, stay] = [3_600_000, 85 * 60_000]
    for (let n = 2; n <= 12; n++) await operate("businesses/globex/facilities/main/docks", { slug: `D${n}` })
    /** A truck that came late by some minutes and left some days ago, without some of its pallets. */
    const truck = async (
      days: number,
      fields: object,
      { late = 0, missing = 0, dock = "D1", supplier = "Fenland Mills" } = {}
    ): Promise<void> => {
      const made = await yard.shipment({
        ...there,
        pallets: 2,
        supplier,
        fields: { ...fields, dockSlug: dock }
      })
      await yard.pallets(made, made.lpns.slice(missing), dock, "main", "globex")
      await yard.depart(made)
      const departed = Date.now() - days * 24 * hour
      const at = (millis: number): string => `'${new Date(departed + millis).toISOString()}'`
      await site.execute(
        `update dockline.shipment set departed_at = ${at(0)}, arrived_at = ${at(-stay)},
          expected_arrival_at = ${at(-stay - late * 60_000)} where id = ${made.id}`
      )
    }
    for (const days of [1, 1, 2, 3, 9]) await truck(days, { carrier: "Brook & Sons" })
    for (let n = 0; n < 12; n++) {
      await truck(0, { carrier: `Carrier ${n}` }, { dock: `D${n + 1}`, supplier: `Supplier ${n}` })
    }
    await truck(0, { carrier: "Brook & Sons" }, { late: 30 })
    await truck(0, { carrier: "Northline" }, { late: 30, missing: 1 })
    const { open, page, shown } = await visitAt("/day?at=globex/main", "globex-client")
    const totals = page.getByRole("region", { name: "Totals" })
    await totals.getByText("Day before 2 · average 1.3").waitFor()
    await totals.getByText("Day before 100 % · average 100 %").waitFor()
    await totals.getByText("Day before 4 in and 0 out · average 2.5 in and 0 out").waitFor()
    const pallets = page.getByRole("img", { name: /^Pallets: / })
    assert.match(
      (await pallets.getAttribute("aria-label"))!,
      /^Pallets: (\S+ \d+, ){4}\S+ 2, (\S+ 0, ){5}\S+ 2, \S+ 2, \S+ 4, \S+ 27$/
    )
    const carriers = page.getByRole("region", { name: "By carrier" })
    const names = await carriers.locator("tbody td:first-child").allInnerTexts()
    assert.deepStrictEqual(names.slice(0, 2), ["Northline", "Brook & Sons"])
    assert.lengthOf(names, 8)
    await carriers.getByRole("button", { name: "Show all 14 carriers" }).waitFor()
    assert.deepStrictEqual(await Chromium.violations(page), [])
    await shown()
    // Nothing is cut off at the sides.
    await page.emulateMedia({ media: "print" })
    await page.setViewportSize({ width: 688, height: 970 })
    assert.isFalse(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
    const cells = await page.locator(".group :is(th, td)").evaluateAll((all) =>
      all.map(({ clientWidth, scrollWidth, textContent }) => scrollWidth > clientWidth ? textContent : "")
    )
    assert.deepStrictEqual(cells.filter((text) => text !== ""), [], "texts that overlap the next one")
    const paper = (await page.pdf({ format: "A4" })).toString("latin1")
    assert.lengthOf(paper.match(/\/Type \/Page\b/g) ?? [], 1)
    await page.emulateMedia({ media: null })
    await page.getByRole("button", { name: "Week" }).click()
    await totals.getByText("Week before 1 · average 1").waitFor()
    // The days to come are in no line.
    await open("/day?at=globex/main&days=7")
    assert.match((await pallets.getAttribute("aria-label"))!, /, \S+ 27$/)
  })

  it("D13.14 a lot is traced to its shipments, also to the pallet that was loaded onto another one", async () => {
    const { open, page } = await visitAt("/trace")
    await page.getByLabel("Exactly as on the item").fill("LOT-7")
    await page.getByRole("button", { name: "Trace", exact: true }).click()
    await page.getByRole("heading", { name: "Lot LOT-7" }).waitFor()
    const rowOf = (lpn: string) => page.getByRole("row").filter({ hasText: lpn })
    assert.match(await rowOf(left.lpns[0]!).innerText(), /Unloaded at D1/)
    assert.include(await rowOf(left.lpns[2]!).innerText(), `On ${there.number}`)
    assert.match(await rowOf(there.lpns[1]!).innerText(), /Not seen/)
    assert.strictEqual(await page.getByRole("row").count(), 1 + left.lpns.length + there.lpns.length)
    await rowOf(there.lpns[0]!).getByRole("link", { name: there.number }).click()
    await page.getByRole("heading", { name: there.number }).waitFor()
    await open("/trace?lpn=nothing-here")
    await page.getByRole("heading", { name: "No item has the LPN nothing-here" }).waitFor()
  })

  it("D14.3 a time that clocks show twice, as they go back, names its zone", async () => {
    await operate("businesses/acme/facilities", {
      slug: "york",
      name: "Acme New York",
      timeZone: "America/New_York"
    })
    const at = async (expectedArrivalAt: string) =>
      (await yard.shipment({ facility: "york", fields: { expectedArrivalAt } })).number
    const first = await at("2026-11-01T05:30:00Z")
    const second = await at("2026-11-01T06:30:00Z")
    const third = await at("2026-11-01T07:30:00Z")
    const { page } = await visitAt("/shipments?at=acme/york")
    await row(page, first).getByText("01:30 EDT").waitFor()
    await row(page, second).getByText("01:30 EST").waitFor()
    assert.match(await row(page, third).innerText(), /02:30\s(?!E[DS]T)/)
  })
})
