/** D14.3: the pages reached by keyboard only, and the settings that they remember on a device. */
import { assert, describe, it } from "@effect/vitest"
import type { Page } from "playwright-core"
import * as Chromium from "../Chromium.ts"
import { begin, visit, visitAt, yard } from "./Scene.ts"

const palette = (page: Page) => page.getByRole("dialog", { name: "Search, or go to a page" })

/** Opens the palette, and writes into its field. */
const seek = async (page: Page, text: string, key = "/"): Promise<void> => {
  await page.keyboard.press(key)
  await palette(page).waitFor()
  await page.keyboard.type(text)
}

describe.skipIf(Chromium.isSkipped)("the keys of the dashboard", { timeout: 120_000 }, () => {
  begin()

  it("D14.3 the palette goes to a page, to a facility and to what a number leads to, by keyboard alone", async () => {
    const shipment = await yard.shipment()
    const { page } = await visitAt("/docks?at=acme/east")
    await seek(page, "exc")
    await palette(page).getByRole("option", { name: "Exceptions" }).and(
      page.locator("[aria-selected='true']")
    ).waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Exceptions" }).waitFor()
    // The reader continues in the new view, not in the one that is gone.
    assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "view")
    await seek(page, "west", "Control+k")
    await page.keyboard.press("Enter")
    await page.waitForURL(/at=acme(%2F|\/)west/)
    await seek(page, shipment.lpns[2]!)
    const found = palette(page).getByRole("option", { name: `${shipment.lpns[2]}, on ${shipment.number}` })
    await found.and(page.locator("[aria-selected='true']")).waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: shipment.number }).waitFor()
    await page.locator("tr.found").getByText(shipment.lpns[2]!).waitFor()
  })

  it("D14.3 what is typed while the palette is loaded gets into it, with its Enter", async () => {
    for (const typed of ["exc", "exceptions\n"]) {
      const { leave, page } = await visitAt("/docks?at=acme/east")
      const { promise: isTyped, resolve: go } = Promise.withResolvers<void>()
      await page.route(/part-/, async (route) => {
        await isTyped
        await route.continue()
      })
      await page.keyboard.press("/")
      await page.keyboard.type(typed)
      go()
      if (typed.endsWith("\n")) await page.getByRole("heading", { name: "Exceptions" }).waitFor()
      else {
        await palette(page).waitFor()
        assert.strictEqual(await palette(page).getByRole("combobox").inputValue(), typed)
      }
      await page.unroute(/part-/)
      await leave()
    }
  })

  it("D14.3 the palette opens what a scanner has written, with its Enter right after it", async () => {
    const shipment = await yard.shipment()
    const other = await yard.shipment()
    const { page } = await visitAt("/docks?at=acme/east")
    await seek(page, shipment.lpns[2]!)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: shipment.number }).waitFor()
    await page.locator("tr.found").getByText(shipment.lpns[2]!).waitFor()
    await seek(page, shipment.number)
    await palette(page).getByRole("option", { name: shipment.number }).waitFor()
    // Results for the earlier text do not count for the new one.
    await page.keyboard.press("Control+a")
    await page.keyboard.type(other.number)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: other.number }).waitFor()
  })

  it("D14.3 the palette says why a search failed, and Enter searches again", async () => {
    const shipment = await yard.shipment()
    const { page } = await visitAt("/docks?at=acme/east")
    await page.route(/graphql/, (route) => route.abort())
    await seek(page, shipment.lpns[0]!)
    await page.keyboard.press("Enter")
    await palette(page).getByRole("alert").waitFor()
    assert.strictEqual(await palette(page).getByText("Searching…").count(), 0)
    await page.unroute(/graphql/)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: shipment.number }).waitFor()
    // The browser complains about the failed request.
    await page.context().close()
  })

  it("D14.3 g and a letter go to a page, ? lists the keys, and fields and Escape keep theirs", async () => {
    const { page } = await visitAt("/shipments", "operator")
    const search = page.getByRole("searchbox")
    await search.press("g")
    await search.press("d")
    assert.strictEqual(await search.inputValue(), "gd")
    await page.getByRole("heading", { name: "Shipments" }).click()
    await page.keyboard.press("g")
    await page.keyboard.press("w")
    await page.getByRole("heading", { name: "Webhooks", exact: true }).waitFor()
    await page.keyboard.press("?")
    const keys = page.getByRole("dialog", { name: "Keys" })
    await keys.getByText("Businesses").waitFor()
    await page.keyboard.press("Escape")
    await keys.waitFor({ state: "detached" })
    const opener = page.getByRole("button", { name: "Search, or go to a page" })
    await opener.press("Enter")
    await palette(page).waitFor()
    await page.keyboard.type("nothing is called that")
    await palette(page).getByText("Nothing has this name or number.").waitFor()
    await page.keyboard.press("Escape")
    await page.locator("dialog.palette").waitFor({ state: "detached" })
    // The focus is where it was.
    assert.isTrue(await opener.evaluate((element) => element === document.activeElement))
  })

  it("D14.3 a letter alone goes nowhere, also right after the page was loaded", async () => {
    const { open, page } = await visit()
    await page.addInitScript(() => {
      performance.now = () => 1
    })
    await open("/docks?at=acme/east")
    await page.getByRole("heading", { name: "Docks" }).waitFor()
    await page.keyboard.press("m")
    assert.match(page.url(), /\/docks\?/)
    await page.keyboard.press("g")
    await page.keyboard.press("m")
    await page.waitForURL(/\/messages/)
  })

  it("D14.3 those who operate nothing are offered no page of operators", async () => {
    const { page } = await visitAt("/docks")
    await page.keyboard.press("/")
    await palette(page).waitFor()
    await palette(page).getByRole("option", { name: "Shipments" }).waitFor()
    assert.strictEqual(await palette(page).getByRole("option", { name: "Clients" }).count(), 0)
    await page.keyboard.press("Escape")
    await page.keyboard.press("g")
    await page.keyboard.press("c")
    assert.match(page.url(), /\/docks$/)
  })

  it("D14.3 a number is searched for as it is written, and the field keeps the focus", async () => {
    const shipment = await yard.shipment()
    const { page } = await visitAt("/shipments?at=acme/east")
    const search = page.getByRole("searchbox")
    await search.pressSequentially(shipment.lpns[1]!.slice(-8))
    const row = page.getByRole("row").filter({ hasText: shipment.number })
    await row.getByText(`Pallet ${shipment.lpns[1]}`).waitFor()
    assert.isTrue(await search.evaluate((element) => element === document.activeElement))
    await search.fill("")
    await page.getByRole("group", { name: "Status" }).waitFor()
    assert.notMatch(page.url(), /q=/)
  })

  it("D14.3 rows take less room where the reader wants it so, also at the next visit", async () => {
    await yard.shipment()
    const { open, page } = await visit()
    const height = async (): Promise<number> =>
      await page.getByRole("row").nth(1).evaluate((row) => row.getBoundingClientRect().height)
    await open("/shipments?at=acme/east")
    await page.getByRole("row").nth(1).waitFor()
    const before = await height()
    await seek(page, "compact")
    await palette(page).getByRole("option", { name: "compact" }).and(page.locator("[aria-selected='true']"))
      .waitFor()
    await page.keyboard.press("Enter")
    await page.locator("html[data-density='compact']").waitFor()
    assert.isBelow(await height(), before)
    await open("/shipments?at=acme/east")
    await page.getByRole("row").nth(1).waitFor()
    assert.isBelow(await height(), before)
  })

  it("D14.3 axe finds nothing in the palette, the keys and the forms of operators, light and dark", async () => {
    const { open, page } = await visit("operator", { bypassCSP: true })
    const check = async (what: string): Promise<void> => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        assert.deepStrictEqual(await Chromium.violations(page), [], `${what} ${colorScheme}`)
      }
    }
    const at = async (path: string): Promise<void> => {
      await open(path)
      await page.getByRole("heading").first().waitFor()
    }
    for (const width of [1400, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await at("/docks")
      await page.keyboard.press("/")
      await palette(page).waitFor()
      await check(`the palette at ${width}`)
      await page.keyboard.press("Escape")
      await page.locator("dialog.palette").waitFor({ state: "detached" })
      await page.keyboard.press("?")
      await page.getByRole("dialog", { name: "Keys" }).waitFor()
      await check(`the keys at ${width}`)
      for (
        const [path, button] of [
          ["/businesses", "Create a business"],
          ["/clients", "Create an API client"],
          ["/people", "Let a person sign in to the dashboard"],
          ["/webhooks", "Create a webhook endpoint"],
          ["/businesses/acme", "Change…"],
          ["/businesses/acme/field-map", "Change…"]
        ] as const
      ) {
        await at(path)
        await page.getByRole("button", { name: button, exact: true }).click()
        await check(`${path} at ${width}`)
        assert.isFalse(
          await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
          `${path} can be scrolled sideways at ${width}`
        )
      }
    }
  })
})
