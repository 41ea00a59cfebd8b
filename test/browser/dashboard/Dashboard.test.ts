/**
 * D14: the dashboard in a real browser, against the whole server on PostgreSQL. One server and one browser serve all tests;
 * each has shipments of its own.
 */
import { assert, describe, it } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { eventually } from "../../support/Eventually.ts"
import * as Chromium from "../Chromium.ts"
import { Customer } from "./Customer.ts"
import { begin, downloaded, endpointOf, operate, remove, row, site, visit, visitAt, yard } from "./Scene.ts"
import * as Visitor from "./Visitor.ts"
import type { Made } from "./Yard.ts"

const axeRules = {
  light: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  // The dark scheme differs only in its colours.
  dark: ["color-contrast"]
}

/** The violations that axe finds in the light or the dark scheme. */
const violationsOf = (page: Page, colorScheme: keyof typeof axeRules) =>
  Chromium.violations(page, axeRules[colorScheme])

const isWide = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > innerWidth)

/** Moves the focus to an element with a text by the Tab key only, like a person without a mouse. */
const reach = async (page: Page, text: string | RegExp): Promise<void> => {
  const pattern = text instanceof RegExp ? text.source : `^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}`
  for (let n = 0; n < 80; n++) {
    const isThere = await page.evaluate((pattern) => {
      const at = document.activeElement
      return at?.matches("a, button, summary, input, select") === true &&
        new RegExp(pattern).test((at.getAttribute("aria-label") ?? at.textContent).trim())
    }, pattern)
    if (isThere) return
    await page.keyboard.press("Tab")
  }
  assert.fail(`Tab does not reach ${pattern}`)
}

const press = async (page: Page, text: string | RegExp): Promise<void> => {
  await reach(page, text)
  await page.keyboard.press("Enter")
}

/** Lets all pallets of a large shipment pass at once, except these. */
const passAtOnce = ({ id }: Made, others: ReadonlyArray<string> = []): Promise<unknown> =>
  site.execute(
    `with passed as (
        insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction,
          first_seen_at, last_direction, last_seen_at, last_dock_id, recorded_at, place)
        select i.business_id, nextval('dockline.pallet_id'), i.facility_id, ${id}, i.lpn, '=' || i.lpn, 'UNLOADING',
          now(), 'UNLOADING', now(), (select d.id from dockline.dock d where d.facility_id = i.facility_id and d.slug = 'D1'), now(), -i.id
        from dockline.order_item i
        where i.lpn_shipment_id = ${id} and i.lpn <> all('{${others.join(",")}}')
        returning *)
      insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id, pallet_id,
        message_id, direction, occurred_at, dock_id, orders, labels, verdict)
      select business_id, facility_id, '=large-' || id, '', shipment_id, id, -id, 'UNLOADING', now(), last_dock_id, '[]', '[]', '{"kind":"EXPECTED","shipmentId":1,"shipmentNumber":"S-1","dockSlug":"","text":""}'
      from passed`
  )

describe.skipIf(Chromium.isSkipped)("the dashboard", () => {
  begin()

  it("D14.2 the url of a message opens the pallet that it names, and what has happened to it", async () => {
    const shipment = await yard.shipment()
    const [id] = await yard.pallets(shipment, shipment.lpns.slice(0, 1))
    const { body } = await site.service.call("acme-client", {
      path: "/public_graphql",
      body: {
        query: `{ pushMessages(input: { businessSlug: "acme", since: "2026-01-01T00:00:00Z" }) { message } }`
      }
    })
    const { data } = body as unknown as {
      readonly data: { readonly pushMessages: ReadonlyArray<{ readonly message: { readonly url: string } }> }
    }
    const { url } = data.pushMessages.at(-1)!.message
    assert.strictEqual(url, `${site.baseUrl}/dashboard/shipments/${shipment.id}/pallets/${id}`)
    const { open, page } = await visit()
    await page.goto(url)
    await page.getByRole("heading", { name: shipment.lpns[0]! }).waitFor()
    await page.getByText("Unloaded at dock D1").waitFor()
    await page.getByText("Live", { exact: true }).waitFor()
    await yard.pallets({ ...shipment, direction: "OUTBOUND" }, shipment.lpns.slice(0, 1), "D2")
    await page.getByText("Loaded at dock D2", { exact: true }).waitFor()
    await page.getByRole("region", { name: "Overview" }).getByRole("link", { name: shipment.number }).click()
    await page.getByRole("heading", { name: shipment.number }).waitFor()
    await open(`/shipments/${shipment.id}/pallets/999999999`)
    await page.getByText("There is no pallet 999999999").waitFor()
  })

  it("D14.2 a shipment shows what has passed of each order, what is missing, and what is wrong", async () => {
    const shipment = await yard.shipment({ pallets: 3 })
    const other = await yard.shipment({ pallets: 1 })
    await yard.pallets(shipment, shipment.lpns.slice(0, 1))
    const { open, page } = await visitAt(`/shipments/${shipment.id}`)
    await row(page, shipment.lpns[0]!).getByText("Unloaded").waitFor()
    await row(page, shipment.lpns[1]!).getByText("Not yet").waitFor()
    await page.getByText("Live", { exact: true }).waitFor()
    await yard.pallets(shipment, [shipment.lpns[1]!, "nobody-expected-it", other.lpns[0]!])
    await row(page, shipment.lpns[1]!).getByText("Unloaded").waitFor()
    const wrong = page.getByRole("region", { name: "Discrepancies" })
    await wrong.getByText("These may change until the shipment departs").waitFor()
    await row(page, "nobody-expected-it").getByText("Not on this shipment").waitFor()
    await row(page, other.lpns[0]!).getByRole("link", { name: other.number }).waitFor()
    assert.strictEqual(await wrong.getByText("Missing").count(), 0)
    await yard.depart(shipment)
    await wrong.getByText("As they were at departure").waitFor()
    await row(page, shipment.lpns[2]!).getByText("Missing").first().waitFor()
    await open("/shipments?at=acme/east&status=departed")
    await page.getByRole("checkbox", { name: "With discrepancies" }).press("Space")
    await row(page, shipment.number).waitFor()
    assert.include(page.url(), "discrepancies=1")
    await open("/shipments?at=acme/east&status=cancelled&discrepancies=1")
    await page.getByRole("heading", { name: "No shipment has discrepancies" }).waitFor()
  })

  it("D14.2 a shipment tells who did what, the last first, and what is missing comes before what has passed", async () => {
    const [shipment, other] = [await yard.shipment({ pallets: 5 }), await yard.shipment({ facility: "west" })]
    await yard.arrive(shipment)
    await yard.pallets(shipment, shipment.lpns.slice(0, 3))
    const [wrongId] = await yard.pallets(shipment, [other.lpns[0]!])
    await yard.except(shipment, { description: "Foil torn", priority: "HIGH" })
    const { page } = await visitAt(`/shipments/${shipment.id}`)
    const events = page.getByRole("region", { name: "What happened" }).getByRole("listitem")
    await events.getByText("Exception reported").waitFor()
    const told = (await events.allInnerTexts()).map((text) => text.split("\n")[0])
    assert.deepStrictEqual(told, [
      "Exception reported",
      `Pallet ${other.lpns[0]} unloaded at dock D1`,
      "3 pallets unloaded at dock D1",
      "Arrived",
      told[4],
      "Scheduled"
    ])
    assert.match(told[4]!, /^Document \d+ Created/)
    await events.filter({ hasText: "Foil torn" }).getByText("tower").waitFor()
    await events.filter({ hasText: "Document" }).getByText("acme-client").waitFor()
    await events.filter({ hasText: "Arrived" }).getByText("tower", { exact: true }).waitFor()
    // A step leads to its message.
    const step = events.filter({ hasText: "Arrived" }).getByRole("link", { name: /^message \d+$/ })
    const tab = await page.context().newPage()
    await tab.goto(new URL((await step.getAttribute("href"))!, site.baseUrl).href)
    await tab.getByRole("region", { name: "The message" }).getByText(`"shipmentNumber": "${shipment.number}"`)
      .waitFor()
    await tab.close()
    // Operators, who may read names, see them in place of ids.
    await operate("clients/tower", { name: "Towers of the halls" }, "PATCH")
    const { page: operators } = await visitAt(`/shipments/${shipment.id}`, "operator")
    await operators.getByRole("region", { name: "What happened" }).getByRole("listitem")
      .filter({ hasText: "Arrived" }).getByText("Towers of the halls").waitFor()
    await operators.context().close()
    await operate("clients/tower", { name: "tower" }, "PATCH")
    // Missing pallets come first, even after all the others have passed.
    const items = page.getByRole("region", { name: `Order ${shipment.orderNumber}` })
    await items.getByText("2 not yet").waitFor()
    const lpns = await items.locator("tbody tr td:first-child").allInnerTexts()
    assert.deepStrictEqual(lpns, [...shipment.lpns.slice(3), ...shipment.lpns.slice(0, 3)])
    await page.getByText("Live", { exact: true }).waitFor()
    await yard.pallets(shipment, [shipment.lpns[3]!])
    await items.getByText("1 not yet").waitFor()
    assert.strictEqual(await items.locator("tbody tr td:first-child").first().innerText(), shipment.lpns[4])
    // The page of a pallet names the other places where it is expected, or was seen.
    await events.getByRole("link", { name: other.lpns[0]! }).press("Enter")
    await page.waitForURL(`**/pallets/${wrongId}`)
    const elsewhere = page.getByRole("region", { name: "Elsewhere" })
    await elsewhere.getByText(`expected by order ${other.orderNumber}`).waitFor()
    await elsewhere.getByText("Acme West").waitFor()
    await yard.pallets(other, other.lpns.slice(0, 1), "D1", "west")
    await elsewhere.getByText(", seen").waitFor()
    await elsewhere.getByRole("link", { name: other.number }).press("Enter")
    await page.getByRole("heading", { level: 1, name: other.number }).waitFor()
    await yard.depart(other)
  })

  it("D13.6 the document that removed an item is found from its shipment, by keyboard, with times in the zone of the facility", async () => {
    const setZone = (timeZone: string) => operate("businesses/acme/facilities/west", { timeZone }, "PATCH")
    await setZone("Asia/Kolkata")
    const shipment = await yard.shipment({ facility: "west" })
    await yard.items(shipment, shipment.lpns.slice(1), "west")
    const { open, page } = await visitAt(`/shipments/${shipment.id}`)
    const sent = page.getByRole("region", { name: "What happened" })
    await sent.getByText("Removed 1").waitFor()
    await sent.getByText("1 removed, 3 replaced").waitFor()
    await sent.getByRole("link", { name: /^All/ }).press("Enter")
    await page.getByRole("heading", { name: "Documents" }).waitFor()
    assert.include(page.url(), `shipment=${shipment.number}`)
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("Removed")
    await page.getByRole("textbox", { name: "Removed LPN" }).fill(shipment.lpns[1]!)
    await page.getByRole("textbox", { name: "Removed LPN" }).press("Enter")
    await page.getByRole("heading", { name: "No document matches these filters" }).waitFor()
    await page.getByRole("textbox", { name: "Removed LPN" }).fill(shipment.lpns[0]!)
    await page.getByRole("textbox", { name: "Removed LPN" }).press("Enter")
    await page.getByRole("link", { name: shipment.number }).first().press("Enter")
    await page.getByRole("heading", { name: "Removed 1" }).waitFor()
    await row(page, shipment.lpns[0]!).getByText("Removed").waitFor()
    await row(page, shipment.lpns[1]!).getByText("Replaced").waitFor()
    await page.getByText("acme-client").first().waitFor()
    // The zone is that of the facility, wherever the browser is.
    const time = page.getByRole("region", { name: "Overview" }).getByRole("time").first()
    const received = new Date((await time.getAttribute("datetime"))!)
    const clock = received.toLocaleTimeString("en-GB", {
      timeZone: "Asia/Kolkata",
      hour: "2-digit",
      minute: "2-digit"
    })
    assert.include(await time.innerText(), clock)
    assert.include((await time.getAttribute("title"))!, "GMT+5:30")
    await page.getByText(/^\d\d:\d\d GMT\+5:30$/).waitFor()
    // Days are those of the facility too.
    await open(
      `/documents?at=acme/west&from=${received.toLocaleDateString("sv", { timeZone: "Asia/Kolkata" })}`
    )
    await page.getByRole("link", { name: shipment.number }).first().waitFor()
    await open("/documents?at=acme/west&from=2030-01-01")
    await page.getByRole("heading", { name: "No document matches these filters" }).waitFor()
    await page.getByRole("button", { name: "Clear filters" }).press("Enter")
    await page.getByRole("link", { name: shipment.number }).first().waitFor()
    const table = await downloaded(page)
    assert.strictEqual(table.name, "documents-acme-west.csv")
    assert.match(table.text, /^id,/)
    assert.include(table.text, shipment.number)
    await setZone("UTC")
  })

  it("D14.2 the sheet of a shipment has all of its items on paper, dark on light, and nothing to press", async () => {
    const shipment = await yard.shipment({ pallets: 700 })
    const { open, page } = await visit()
    await page.addInitScript(() => {
      const printed: Array<number> = []
      Object.assign(globalThis, { printed, print: () => dispatchEvent(new Event("asked to print")) })
      for (const event of ["asked to print", "afterprint"]) {
        addEventListener(event, () => printed.push(document.querySelectorAll(".items tbody tr").length))
      }
    })
    await open(`/shipments/${shipment.id}`)
    await row(page, shipment.lpns[0]!).waitFor()
    assert.isBelow(await page.getByRole("row").count(), 700)
    await page.getByRole("button", { name: "Print" }).press("Enter")
    await row(page, shipment.lpns[699]!).waitFor()
    await page.pdf({ format: "A4" })
    assert.deepStrictEqual(await page.evaluate(() => (globalThis as { printed?: Array<number> }).printed), [
      700,
      700
    ])
    await row(page, shipment.lpns[699]!).waitFor({ state: "detached" })
    // A sheet of A4 without its margins of 14 mm, in pixels of 1/96 inch.
    await page.setViewportSize({ width: 688, height: 1017 })
    await page.emulateMedia({ media: "print", colorScheme: "dark" })
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")))
    await row(page, shipment.lpns[99]!).waitFor()
    await page.getByText("The order has more items. Use the Print button of the page to print all of them.")
      .waitFor()
    await page.getByRole("heading", { name: shipment.number }).waitFor()
    await page.getByText(/^Printed .*\. Times without a day are of that day\.$/).waitFor()
    assert.deepStrictEqual(await page.getByRole("button").allTextContents(), [])
    const sheet = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body)
      return {
        backgroundColor,
        brightest: Math.max(...(/\d+/g[Symbol.match](color) ?? []).map(Number)),
        width: document.documentElement.scrollWidth,
        // An item takes one row of a table, as on a screen, and absent things are not announced.
        row: document.querySelector(".items tbody tr")!.getBoundingClientRect().height,
        heads: document.querySelector(".items thead")!.getBoundingClientRect().height
      }
    })
    assert.isBelow(sheet.row, 64)
    assert.isAbove(sheet.heads, 10)
    assert.isFalse(await page.getByRole("heading", { name: "Exceptions" }).isVisible())
    assert.strictEqual(sheet.backgroundColor, "rgba(0, 0, 0, 0)")
    assert.isBelow(sheet.brightest, 64)
    assert.isAtMost(sheet.width, 688)
  })

  it("D13.12 the items of a large shipment are read in pages, by order and by text, and those that are missing are counted", async () => {
    const shipment = await yard.shipment({ pallets: 640 })
    const lpns = Array.from({ length: 360 }, (_, at) => `${shipment.number}-b-${at}`)
    await yard.shipment({
      fields: {
        shipmentNumber: shipment.number,
        orders: [{
          orderNumber: `${shipment.orderNumber}-b`,
          items: lpns.map((lpn) => ({ lpn, sku: "RYE-1", quantity: 1, quantityUnit: "CASE" }))
        }]
      }
    })
    const { open, page } = await visit()
    const held = new Map<string, () => void>()
    await page.route("**/api/graphql", async (route) => {
      const text = route.request().postData() ?? ""
      if (text.includes("\"b-1\"")) await new Promise<void>((resolve) => held.set("b-1", resolve))
      await route.continue()
    })
    const order = (name: string) => page.getByRole("region", { name: `Order ${name}`, exact: true })
    const [first, second] = [order(shipment.orderNumber), order(`${shipment.orderNumber}-b`)]
    await open(`/shipments/${shipment.id}`)
    await first.getByText("First 100 items").waitFor()
    const bytes = await page.evaluate(() =>
      performance.getEntriesByType("resource").reduce(
        (sum, entry) =>
          entry.name.endsWith("/graphql") ? sum + (entry as PerformanceResourceTiming).decodedBodySize : sum,
        0
      )
    )
    assert.isAbove(bytes, 10_000)
    assert.isBelow(bytes, 200_000)
    assert.strictEqual(await page.locator(".items tbody tr").count(), 100)
    await first.getByRole("button", { name: "Show more items" }).press("Enter")
    await row(page, shipment.lpns[199]!).waitFor()
    await first.getByText("First 200 items").waitFor()
    await second.getByRole("button", { name: "Show its items" }).press("Enter")
    await row(page, lpns[99]!).waitFor()
    for (let more = 0; more < 3; more++) {
      await second.getByRole("button", { name: "Show more items" }).press("Enter")
      await row(page, lpns[Math.min(359, 199 + 100 * more)]!).waitFor()
    }
    await second.getByText("360 items", { exact: true }).waitFor()
    assert.strictEqual(await second.getByRole("button").count(), 0)

    // An answer to an earlier question that comes after a later one is not shown.
    const find = second.getByRole("searchbox", { name: "Find in this order" })
    await find.fill("b-1")
    await eventually("the first search is held", () => Promise.resolve(held.has("b-1")))
    await find.fill("B-359")
    await second.locator("tbody tr").nth(1).waitFor({ state: "detached" })
    await row(page, lpns[359]!).waitFor()
    held.get("b-1")!()
    await page.waitForLoadState("networkidle")
    assert.strictEqual(await second.locator("tbody tr").count(), 1)
    await find.fill("oat")
    await second.getByText("No item of this order matches.").waitFor()

    // The items that match the search come first, wherever they are.
    await open(`/shipments/${shipment.id}?q=${lpns[300]}`)
    await second.locator("tr.found").getByText(lpns[300]!).waitFor()

    await passAtOnce(shipment, [...shipment.lpns.slice(630), ...lpns.slice(358)])
    await yard.pallets(shipment, ["arrival"])
    await yard.depart(shipment)
    await open(`/shipments/${shipment.id}`)
    await first.getByText("10 missing").waitFor()
    await second.getByText("2 missing").waitFor()
  })

  it("D13.12 the pallets that have not passed are counted exactly where the shipment has one order, however many they are", async () => {
    const shipment = await yard.shipment({ pallets: 151 })
    await yard.pallets(shipment, shipment.lpns.slice(0, 1))
    const { open, page } = await visit()
    await open(`/shipments/${shipment.id}`)
    const order = page.getByRole("region", { name: `Order ${shipment.orderNumber}`, exact: true })
    await order.getByText("First 100 items").waitFor()
    assert.strictEqual(await order.getByText(/not yet/).innerText(), "150 not yet")
  })

  it("D14.2 a shipment is found by its number, an order that it holds, its trailer, and a pallet that is expected or was seen", async () => {
    const trailer = "KA 77 FGH"
    const shipment = await yard.shipment({ fields: { trailerNumber: trailer } })
    await yard.pallets(shipment, shipment.lpns.slice(0, 1))
    const { open, page } = await visitAt("/shipments?at=acme/west")
    await yard.pallets(shipment, ["nobody-named-it"])
    await yard.depart(shipment)
    const [seen, expected] = shipment.lpns
    for (
      const number of [shipment.number, shipment.orderNumber, trailer, seen!, expected!, "nobody-named-it"]
    ) {
      const search = page.getByRole("searchbox")
      await search.fill(number)
      await search.press("Enter")
      assert.include(await row(page, shipment.number).innerText(), "Acme East")
      assert.strictEqual(new URL(page.url()).searchParams.get("q"), number)
    }
    // However the number is written, the page shows the pallet, highlighted on its shipment.
    await page.getByRole("searchbox").fill(expected!.toUpperCase())
    await page.getByRole("button", { name: "Find" }).press("Enter")
    await page.waitForURL((url) => url.searchParams.get("q") === expected!.toUpperCase())
    await page.getByRole("link", { name: shipment.number }).press("Enter")
    assert.strictEqual(await page.locator("mark").innerText(), expected)
    await page.getByRole("link", { name: "Shipments" }).first().press("Enter")
    await page.getByRole("searchbox").fill(seen!)
    await page.getByRole("searchbox").press("Enter")
    await row(page, shipment.number).getByRole("link", { name: seen! }).press("Enter")
    await page.getByRole("heading", { name: seen! }).waitFor()
    await open("/shipments?at=acme/west")
    await page.getByRole("searchbox").fill("nothing-has-this")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Nothing has the number nothing-has-this" }).waitFor()
  })

  it("D13.6 an LPN that a document removed leads to the document: who sent it and when", async () => {
    const shipment = await yard.shipment()
    const [lpn, ...others] = shipment.lpns
    await yard.items(shipment, others)
    const { page } = await visitAt(`/shipments?at=acme/west&q=${lpn!.toUpperCase()}`)
    const removed = page.getByRole("region", { name: `Pallet ${lpn!.toUpperCase()} was removed` })
    const documentId = await yard.documentOf(shipment)
    assert.match(
      await removed.innerText(),
      new RegExp(
        `Removed \\d\\d:\\d\\d.* by acme-client, document ${documentId} for shipment ${shipment.number}`
      )
    )
    await removed.getByRole("link", { name: `document ${documentId}` }).press("Enter")
    await page.getByRole("heading", { name: `Document ${documentId}` }).waitFor()
  })

  it("D14.1 a list is as it was left: its filters are there when somebody comes back to it", async () => {
    const { leave, page } = await visitAt("/documents?at=acme/east")
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("Removed")
    await page.getByRole("textbox", { name: "Correlation id" }).fill("C-1")
    await page.getByRole("textbox", { name: "Correlation id" }).press("Enter")
    const tab = (name: string) => page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name })
    await tab("Shipments").press("Enter")
    await page.getByRole("button", { name: "Departed" }).press("Enter")
    await tab("Messages").press("Enter")
    await page.getByRole("button", { name: "Pallets" }).press("Enter")
    await tab("Documents").press("Enter")
    assert.strictEqual(await page.getByRole("combobox", { name: "Outcome" }).inputValue(), "REMOVED")
    assert.strictEqual(await page.getByRole("textbox", { name: "Correlation id" }).inputValue(), "C-1")
    await tab("Shipments").press("Enter")
    await page.getByRole("button", { name: "Departed", pressed: true }).waitFor()
    await tab("Messages").press("Enter")
    await page.getByRole("button", { name: "Pallets", pressed: true }).waitFor()
    await tab("Documents").press("Enter")
    await page.getByRole("button", { name: "Clear filters" }).press("Enter")
    await tab("Docks").press("Enter")
    await tab("Documents").press("Enter")
    assert.strictEqual(await page.getByRole("combobox", { name: "Outcome" }).inputValue(), "")
    await leave()
    // If it would change nothing, there is no choice of facilities.
    const operator = await visit("operator")
    for (
      const [path, choices] of [["/docks", 1], ["/webhooks", 0], ["/clients", 0], ["/people", 0]] as const
    ) {
      await operator.open(path)
      await operator.page.getByRole("heading", { level: 1 }).waitFor()
      assert.strictEqual(
        await operator.page.getByRole("combobox", { name: "Facility" }).count(),
        choices,
        path
      )
    }
  })

  it("D14.2 a crate that was on many shipments leads to all of them, page by page, and says that there are more", async () => {
    const [lpn, carrier] = ["crate-of-many", "Carrier of crates"]
    for (let at = 0; at < 21; at++) await yard.pallets(await yard.shipment({ fields: { carrier } }), [lpn])
    const { page } = await visitAt(`/shipments?at=acme/east&q=${lpn}`)
    const rows = row(page, lpn)
    await rows.nth(19).waitFor()
    assert.strictEqual(await rows.count(), 20)
    await page.getByRole("button", { name: "Show more" }).press("Enter")
    await rows.nth(20).waitFor()
    await page.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" })
  })

  it("D14.3 figures stand in one column, whether or not pallets came that nobody expected", async () => {
    const carrier = "Column & Sons"
    const [usual, more] = [
      await yard.shipment({ fields: { carrier } }),
      await yard.shipment({ fields: { carrier } })
    ]
    for (const each of [usual, more]) await yard.pallets(each, each.lpns.slice(0, 1))
    await yard.pallets(more, ["column-1", "column-2"])
    const { open, page } = await visit()
    for (const width of [390, 1000, 1400, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      await open(`/shipments?at=acme/east&carrier=${encodeURIComponent(carrier)}`)
      await row(page, more.number).getByText("+2", { exact: true }).waitFor()
      const ends = await page.locator(".figures .soft").evaluateAll((parts) =>
        parts.map((part) => part.getBoundingClientRect().right)
      )
      assert.lengthOf(ends, 2)
      assert.closeTo(ends[0]!, ends[1]!, 0.5, `at ${width}`)
    }
  })

  it("D14.2 shipments are narrowed by carrier and day, by keyboard: what comes next first, and what left last", async () => {
    const carrier = "Tern & Söhne"
    const on = (expectedArrivalAt: string) => yard.shipment({ fields: { carrier, expectedArrivalAt } })
    // By day, they are in the opposite order of their creation.
    const late = await on("2031-03-02T23:30:00Z")
    const next = await on("2031-03-02T08:00:00Z")
    const before = await on("2031-03-01T23:30:00Z")
    const { open, page } = await visitAt("/shipments?at=acme/east")
    const fill = async (name: string, value: string): Promise<void> => {
      await page.getByLabel(name, { exact: true }).fill(value)
      await page.keyboard.press("Enter")
    }
    const numbers = () => page.locator("td.main a").allInnerTexts()
    // Filters hide behind a button only on a phone.
    assert.isFalse(await page.getByRole("button", { name: "Show filters" }).isVisible())
    await fill("Carrier", carrier)
    await page.waitForURL(/carrier=Tern/)
    await row(page, before.number).waitFor()
    await page.waitForFunction(() => document.querySelectorAll("td.main").length === 3)
    assert.deepStrictEqual(await numbers(), [before, next, late].map(({ number }) => number))
    await page.getByLabel("From", { exact: true }).fill("2031-03-02")
    await page.getByLabel("To", { exact: true }).fill("2031-03-02")
    await page.waitForFunction(() => document.querySelectorAll("td.main").length === 2)
    assert.deepStrictEqual(await numbers(), [next.number, late.number])
    // The filters in the address are applied again.
    await page.reload()
    await row(page, late.number).waitFor()
    assert.deepStrictEqual(await numbers(), [next.number, late.number])
    await page.getByRole("button", { name: "Clear filters" }).press("Enter")
    await fill("Carrier", "tern")
    await page.getByRole("heading", { name: "No shipment matches these filters" }).waitFor()
    for (const each of [late, before]) {
      await yard.arrive(each)
      await yard.depart(each)
    }
    await open(`/shipments?at=acme/east&status=departed&carrier=${encodeURIComponent(carrier)}`)
    await row(page, late.number).waitFor()
    assert.deepStrictEqual(await numbers(), [before.number, late.number])
    assert.lengthOf((await downloaded(page)).text.trim().split("\r\n"), 3)
  })

  it("D14.2 what changes is shown as it happens, and what is new is announced, not jumped to", async () => {
    const { open, page } = await visit()
    const shipment = await yard.shipment({ pallets: 3 })
    await open("/shipments?at=acme/east")
    await row(page, shipment.number).getByText("Expected").waitFor()
    await page.getByText("Live", { exact: true }).waitFor()
    const newcomer = await yard.shipment()
    await yard.pallets(shipment, shipment.lpns.slice(0, 1))
    await row(page, shipment.number).getByText("At dock").waitFor()
    assert.strictEqual(await row(page, newcomer.number).count(), 0)
    await page.getByRole("button", { name: "1 new shipment" }).click()
    await row(page, newcomer.number).waitFor()
  })

  it("D14.2 the board shows the shipment at each dock, how far it is, and fills as pallets pass", async () => {
    const shipment = await yard.shipment({ facility: "west", pallets: 5 })
    const next = await yard.shipment({ facility: "west", fields: { dockSlug: "D1" } })
    const { open, page } = await visit()
    await open("/docks?at=acme/west")
    const lane = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "D1" }) })
    await lane.getByText("Free").waitFor()
    await lane.getByRole("link", { name: next.number }).waitFor()
    await page.getByText("Live", { exact: true }).waitFor()
    await yard.pallets(shipment, shipment.lpns.slice(0, 1), "D1", "west")
    await lane.getByText("1 of 5 pallets have passed").waitFor()
    await yard.pallets(shipment, [...shipment.lpns.slice(1, 4), "stowaway"], "D1", "west")
    await lane.getByText("4 of 5 pallets have passed, and 1 unexpected").waitFor()
    await lane.getByText("stowaway").waitFor()
    const wrong = page.getByRole("list", { name: "Wrong pallets" }).getByRole("listitem")
    await wrong.filter({ hasText: "No open shipment of the facility expects the pallet." }).waitFor()
    await page.getByRole("button", { name: "Show on a wall" }).click()
    await page.getByRole("heading", { name: "Acme West" }).waitFor()
    await page.getByRole("navigation", { name: "Pages" }).waitFor({ state: "hidden" })
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      assert.deepStrictEqual(await violationsOf(page, colorScheme), [])
    }
    await page.getByRole("button", { name: "Acknowledge stowaway" }).press("Enter")
    await wrong.waitFor({ state: "detached" })
    await yard.pallets(shipment, [...shipment.lpns.slice(4), "stray"], "D1", "west")
    await wrong.filter({ hasText: "stray" }).waitFor()
    assert.strictEqual(await wrong.count(), 1)
    await page.getByRole("button", { name: "Acknowledge stray" }).press("Enter")
    await page.emulateMedia({ colorScheme: "light" })
    await yard.depart(shipment)
    await page.getByRole("region", { name: "Left today" }).getByText(shipment.number).waitFor()
    await lane.getByText("Free").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("heading", { name: "Docks" }).waitFor()
  })

  it("D14.2 a wall shows all docks whole, as nobody scrolls it", async () => {
    const { open, page } = await visit(undefined, { viewport: { width: 1920, height: 1080 } })
    for (let n = 3; n <= 30; n++) {
      await operate("businesses/acme/facilities/west/docks", { slug: `N${n}` })
      const shipment = await yard.shipment({ facility: "west" })
      await yard.pallets(shipment, shipment.lpns.slice(0, 3), `N${n}`, "west")
      if (![4, 6, 8, 12, 30].includes(n)) continue
      await open("/docks?at=acme/west&kiosk=1")
      const lanes = page.locator(".lane")
      await lanes.filter({ hasText: shipment.number }).waitFor()
      // If there are very many docks, free ones are listed below.
      assert.strictEqual(await lanes.count(), n > 12 ? n - 2 : n)
      if (n <= 4) await lanes.getByText(shipment.lpns[2]!).waitFor()
      const ends = await lanes.evaluateAll((all) => all.map((lane) => lane.getBoundingClientRect().bottom))
      assert.isAtMost(Math.max(...ends), 1080, `${n} docks`)
    }
  })

  it("D14.2 messages come live, with their payload, and wait above while somebody reads below", async () => {
    const shipment = await yard.shipment({ pallets: 40 })
    await yard.pallets(shipment, shipment.lpns.slice(0, 30))
    const { page } = await visitAt("/messages?at=acme/east")
    await page.getByText(shipment.lpns[29]!).waitFor()
    await page.getByRole("link", { name: `Shipment ${shipment.number}` }).first().waitFor()
    await page.getByText("Live", { exact: true }).waitFor()
    await yard.pallets(shipment, [shipment.lpns[30]!])
    await page.getByText(shipment.lpns[30]!).waitFor()
    const first = page.getByRole("listitem").filter({ hasText: shipment.lpns[30]! })
    await first.getByText(/^Message/).click()
    assert.include(await first.locator("pre").innerText(), `"LPN": "${shipment.lpns[30]!}"`)
    // The fault of a pallet is shown beside its message.
    await yard.pallets(shipment, ["00340123459999990778"])
    await page.getByRole("listitem").filter({ hasText: "00340123459999990778" }).getByText(
      "No open shipment of the facility"
    )
      .waitFor()
    await page.mouse.wheel(0, 800)
    await page.waitForFunction(() => scrollY > 100)
    await yard.pallets(shipment, [shipment.lpns[31]!])
    await page.getByRole("button", { name: "1 new message" }).click()
    await page.getByText(shipment.lpns[31]!).waitFor()
  })

  it("D14.2 what a page of messages tells of their pallets is one request, however many they are", async () => {
    await operate("businesses/acme/facilities", { slug: "long", name: "Acme Long" })
    await operate("businesses/acme/facilities/long/docks", { slug: "D1" })
    const made = [
      await yard.shipment({ facility: "long", pallets: 30 }),
      await yard.shipment({ facility: "long", pallets: 30 })
    ]
    for (const [at, lpn] of made[0]!.lpns.entries()) {
      await yard.pallets(made[0]!, [lpn], "D1", "long")
      await yard.pallets(made[1]!, [made[1]!.lpns[at]!], "D1", "long")
    }
    await yard.pallets(made[1]!, ["00340123459999990785"], "D1", "long")
    const { open, page } = await visit()
    const lookups: Array<string> = []
    page.on("request", (request) => {
      const text = request.postData() ?? ""
      if (text.includes("query Each")) lookups.push(text)
    })
    await open("/messages?at=acme/long")
    for (const { lpns: [lpn], number } of made) {
      await page.getByRole("listitem").filter({ hasText: lpn! })
        .getByRole("link", { name: `Shipment ${number}` }).waitFor()
    }
    await page.getByRole("listitem").filter({ hasText: "00340123459999990785" }).getByText("No open shipment")
      .waitFor()
    assert.strictEqual(lookups.length, 1)
  })

  it("D14.2 a page that asks every few seconds asks at once after a lost connection", async () => {
    const shipment = await yard.shipment({ pallets: 6 })
    await yard.pallets(shipment, shipment.lpns.slice(0, 1))
    const tower = await visit("tower")
    await tower.page.clock.install()
    await tower.open("/shipments?at=acme/east")
    await row(tower.page, shipment.number).getByText("At dock").waitFor()
    await tower.page.getByText("Updated every 5 s", { exact: true }).waitFor()
    await tower.page.context().setOffline(true)
    await tower.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")))
    await tower.page.getByText("Offline", { exact: true }).waitFor()
    await yard.depart(shipment)
    await Visitor.stopClock(tower.page)
    await tower.page.context().setOffline(false)
    await Visitor.within(
      tower.page,
      2000,
      tower.page.getByRole("main").filter({ hasNotText: shipment.number }),
      tower.page.getByText("Updated every 5 s", { exact: true })
    )
    await tower.page.context().close()
  })

  it(
    "D14.2 is right after a connection was lost for hundreds of changes and longer than messages are kept, without waiting for it",
    async () => {
      const at = { business: "globex", facility: "main" }
      const pass = (to: Made, lpns: ReadonlyArray<string>) =>
        yard.pallets(to, lpns, "D1", at.facility, at.business)
      const gone = await yard.shipment({ ...at, pallets: 2 })
      const next = await yard.shipment({ ...at, pallets: 3 })
      const large = await yard.shipment({ ...at, pallets: 630 })
      await pass(gone, gone.lpns)
      // The messages of their customer contain no LPN; the pages ask for it.
      await pass(large, large.lpns.slice(0, 10))
      const subscribed: Array<string> = []
      const asked: Array<string> = []
      const openPage = async (path: string): Promise<Page> => {
        const { open, page } = await visit("globex-client")
        await page.addInitScript(() => {
          const start = globalThis.setTimeout
          const unlessImpatient = (run: () => void, millis = 0) =>
            start(() => millis < 2000 || !("isImpatient" in globalThis) ? run() : undefined, millis)
          Object.assign(globalThis, { setTimeout: unlessImpatient })
        })
        page.on("websocket", (socket) =>
          socket.on("framesent", ({ payload }) => {
            const { payload: sent, type } = JSON.parse(String(payload)) as {
              readonly type: string
              readonly payload?: { readonly variables: { readonly filter: object } }
            }
            if (type === "subscribe") subscribed.push("afterId" in sent!.variables.filter ? "after" : "now")
          }))
        page.on("request", (request) => void (request.method() === "POST" && asked.push(request.url())))
        await open(path)
        await page.getByText("Live", { exact: true }).waitFor()
        return page
      }
      const board = await openPage("/docks?at=globex/main")
      const sheet = await openPage(`/shipments/${large.id}`)
      const log = await openPage("/messages?at=globex/main")
      const pages = [board, sheet, log]
      await board.getByText("10 of 630 pallets have passed").waitFor()
      await board.getByText("Also here").getByRole("link", { name: gone.number }).waitFor()
      await sheet.getByText("10 of 630 pallets have passed").waitFor()
      await log.getByText(`Pallet ${large.lpns[0]}`, { exact: true }).waitFor()
      // From here on, each page has a cursor.
      await pass(large, [large.lpns[10]!])
      await board.getByText("11 of 630 pallets have passed").waitFor()
      await log.getByText(`Pallet ${large.lpns[10]}`, { exact: true }).waitFor()
      await row(sheet, large.lpns[10]!).getByText("Unloaded").waitFor()

      for (const page of pages) {
        await page.context().setOffline(true)
        // From now on, no timer of two seconds or more fires, so that no page is right because it polls.
        await page.evaluate(() => {
          Object.assign(globalThis, { isImpatient: true })
          document.dispatchEvent(new Event("visibilitychange"))
        })
        await page.getByText("Offline", { exact: true }).waitFor()
      }
      // More messages than the service keeps in memory for followers that come back.
      await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          pass(
            large,
            large.lpns.slice(11, 610).filter((_, n) => n % 8 === at)
          ))
      )
      await yard.items(next, next.lpns.slice(1), at.facility, at.business)
      await yard.items(large, large.lpns.slice(0, -1), at.facility, at.business)
      const newcomer = await yard.shipment({ ...at, pallets: 1 })
      await yard.depart(gone)
      // Does what the service does with messages older than MESSAGE_RETENTION_DAYS.
      for (const step of ["message_expire(id, now() + interval '1 minute')", "message_drop(id, 0, 10000)"]) {
        await site.execute(`select dockline.${step} from dockline.business where slug = 'globex'`)
      }
      await pass(large, [large.lpns[610]!])
      subscribed.length = 0
      asked.length = 0

      for (const page of pages) await page.context().setOffline(false)
      await board.getByText("611 of 629 pallets have passed").waitFor()
      await board.getByText("Also here").waitFor({ state: "detached" })
      await board.getByRole("region", { name: "Expected next" }).getByText(newcomer.number).waitFor()
      await board.getByRole("list", { name: "Last pallets" }).getByText(large.lpns[610]!).waitFor()
      assert.strictEqual(
        await board.getByRole("region", { name: "Left today" }).getByText(gone.number).count(),
        await board.getByText(gone.number).count()
      )
      await sheet.getByText("611 of 629 pallets have passed").waitFor()
      await row(sheet, large.lpns[99]!).getByText("Unloaded").waitFor()
      await sheet.getByText("First 100 items", { exact: true }).waitFor()
      await sheet.getByText("1 removed, 629 replaced").waitFor()
      await log.getByText(`Pallet ${large.lpns[610]}`, { exact: true }).waitFor()
      await log.getByText(`Pallet ${large.lpns[10]}`, { exact: true }).waitFor({ state: "detached" })
      assert.strictEqual(await log.getByText(/^Message \d/).count(), 1)
      for (const page of pages) await page.getByText("Live", { exact: true }).waitFor()
      // Each page learned that its cursor is too old, and continued from the present.
      assert.deepStrictEqual(subscribed.toSorted(), ["after", "after", "after", "now", "now", "now"])
      // With far fewer requests than there were changes: 34 to 37 if nothing else runs.
      assert.isAtMost(asked.length, 100)
      // New messages come live.
      await pass(large, [large.lpns[611]!])
      await log.getByText(`Pallet ${large.lpns[611]}`, { exact: true }).waitFor()
      // The browser complains about the connections that failed.
      for (const page of pages) await page.context().close()
    },
    300_000
  )

  it("D14.2 an operator finds by keyboard alone why an endpoint gets no messages, tests it, and has one delivered again", async () => {
    const customer = await Customer.start()
    const { id } = await endpointOf({ business: "globex", baseUrl: customer.baseUrl })
    const shipment = await yard.shipment({ business: "globex", facility: "main" })
    await yard.pallets(shipment, shipment.lpns.slice(0, 1), "D1", "main", "globex")
    const { page } = await visitAt("/docks", "operator")
    // What fails comes first.
    await press(page, "Operate")
    const line = row(page, customer.baseUrl)
    await line.getByText("Failing").waitFor()
    await press(page, customer.baseUrl)
    await page.getByText("Answered 500").first().waitFor()
    await press(page, "Pallet")
    const trial = page.getByRole("region", { name: "Send a test" })
    await trial.getByText("Not taken: answered 500").waitFor()
    // The button keeps the focus, so that the test can be repeated.
    assert.strictEqual(await page.evaluate(() => document.activeElement?.textContent), "Pallet")
    // Each delivery has a page with its attempts and their contents.
    await press(page, /^Message \d/)
    await page.getByRole("heading", { name: /^Delivery \d/ }).waitFor()
    await page.getByRole("region", { name: "Attempts of Delivery" }).getByText("the warehouse is closed")
      .first()
      .waitFor()
    await page.getByText(
      /^POST http:\S+\/api\/palletEvent\n.*webhook-id: msg_\d+\n.*\{"businessSlug":"globex".*\}$/s
    )
      .waitFor()
    await press(page, String(id))
    // Tab does not reach elements that are still loading.
    await page.getByRole("button", { name: /^Replay/ }).first().waitFor()
    customer.isOpen = true
    await press(page, /^Replay/)
    await page.getByRole("heading", { name: "Every message has been delivered" }).waitFor()
    assert.strictEqual(customer.taken, 1)
    await press(page, "Disable")
    await press(page, "Disable now")
    await page.getByText("Disabled by an operator").waitFor()
    await remove(`webhook-endpoints/${String(id)}`)
    customer.close()
  })

  it("D14.4 an operator lets a person in by keyboard, changes what they may do, and removes them", async () => {
    const { page } = await visitAt("/people", "operator")
    await page.getByRole("heading", { name: "Nobody can sign in with the provider yet" }).waitFor()
    await page.getByRole("button", { name: "Let a person sign in to the dashboard" }).press("Enter")
    await page.keyboard.type("Ada <b>Byron</b>")
    await page.keyboard.press("Tab")
    await page.keyboard.type("@")
    const grant = page.getByRole("group", { name: "Grant 1" })
    await grant.getByRole("checkbox", { name: "Read messages" }).press("Space")
    await page.getByRole("button", { name: "Create", exact: true }).press("Enter")
    // The fault is shown at its field, which has the focus.
    const email = page.getByRole("textbox", { name: "Email" })
    await email.and(page.locator("[aria-invalid='true']")).waitFor()
    await page.getByText("must be an e-mail address", { exact: false }).waitFor()
    await page.getByText("Correlation id").waitFor()
    assert.isTrue(await email.evaluate((element) => element === document.activeElement))
    await email.fill("Ada@acme.example")
    await grant.getByRole("combobox", { name: "Facilities" }).selectOption("Acme West")
    await page.getByRole("button", { name: "Create", exact: true }).press("Enter")
    const line = row(page, "Ada <b>Byron</b>")
    await line.getByText("ada@acme.example").waitFor()
    await line.getByText("acme: west").waitFor()
    await line.getByRole("link", { name: "Ada <b>Byron</b>" }).press("Enter")
    await page.getByRole("button", { name: "Let a person do more" }).press("Enter")
    await grant.getByRole("combobox", { name: "Facilities" }).selectOption("Acme West")
    await grant.getByRole("checkbox", { name: "Move shipments" }).press("Space")
    await page.getByRole("button", { name: "Confirm", exact: true }).press("Enter")
    const lines = page.getByRole("region", { name: "Grants of Ada" })
    await lines.getByText("Read messages", { exact: true }).waitFor()
    await lines.getByText("Move shipments", { exact: true }).waitFor()
    await page.getByText("Remove a person…").press("Enter")
    await page.getByLabel("Write Ada <b>Byron</b> to confirm").fill("Ada <b>Byron</b>")
    await page.getByRole("button", { name: "Remove a person" }).press("Enter")
    await page.getByRole("heading", { name: "Nobody can sign in with the provider yet" }).waitFor()
    // The browser complains about the refused address.
    await page.context().close()
  })

  // @threat browsers.9
  it("D14.4 text of strangers stays text, in every field", async () => {
    const hostile = `<img src=x onerror="document.title='owned'">"'{{7*7}}\u202e<script>alert(1)</script>`
    // Identifiers contain only visible characters (D22.2).
    const seen = hostile.replace("\u202e", "")
    const customer = await Customer.start()
    customer.says = hostile
    const { id: endpoint } = await endpointOf({ business: "acme", baseUrl: customer.baseUrl })
    await operate("businesses", { slug: "hostile", name: hostile })
    await operate("businesses/hostile/facilities", { slug: "yard", name: hostile })
    await operate("businesses/hostile/facilities/yard/docks", { slug: "<img src=x onerror=alert(1)>" })
    const grants = [{ business: "hostile", facilities: "*", permissions: ["messages:read"] }]
    const { id: client } = await operate("clients", { name: hostile, grants })
    const { id: person } = await operate("people", { name: hostile, subject: "hostile", grants })
    const shipment = await yard.shipment({
      pallets: 2,
      lpnPrefix: seen,
      fields: {
        shipmentNumber: seen,
        carrier: hostile,
        trailerNumber: hostile,
        additionalFields: [{ name: hostile, value: hostile }]
      },
      item: { sku: seen, description: hostile, lot: hostile, purchaseOrder: hostile }
    })
    const texts = { supplier: hostile, client: hostile, destination: hostile, sealNumber: hostile }
    const sent = await site.service.call("acme-client", {
      path: "/v1/documents",
      headers: { "correlation-id": seen },
      body: {
        business: "acme",
        facility: "east",
        direction: "INBOUND",
        shipmentNumber: seen,
        orders: [{
          orderNumber: seen,
          ...texts,
          items: [{ lpn: seen, sku: seen, quantity: 1, quantityUnit: "CASE" }]
        }]
      }
    })
    assert.strictEqual(sent.status, 201)
    await yard.pallets(shipment, shipment.lpns)
    const { body } = await site.service.call("tower", {
      path: "/v1/pallet-events",
      body: {
        eventId: hostile,
        business: "acme",
        facility: "east",
        dockSlug: "D1",
        direction: "UNLOADING",
        occurredAt: new Date().toISOString(),
        shipmentId: shipment.id,
        labels: [{ name: "lpn", value: hostile }, { name: hostile, value: hostile }]
      }
    })
    const exceptions = `/v1/shipments/${shipment.id}/exceptions`
    const reported = await site.service.call("acme-client", {
      path: exceptions,
      body: { kind: "OTHER", priority: "HIGH", description: hostile }
    })
    const resolved = await site.service.call("acme-client", {
      path: `${exceptions}/${String(reported.body["exceptionId"])}/resolve`,
      body: { note: hostile }
    })
    assert.strictEqual(resolved.status, 200)
    const text = encodeURIComponent(hostile)
    const paths = {
      "acme-client": [
        `/shipments/${shipment.id}`,
        `/shipments/${shipment.id}/pallets/${String(body["servicePalletId"])}`,
        `/shipments?at=acme/east&carrier=${text}`,
        `/shipments?at=acme/east&q=${encodeURIComponent(seen)}`,
        `/shipments?at=acme/east&q=none${text}`,
        "/shipments?at=acme/east",
        "/docks?at=acme/east",
        "/messages?at=acme/east",
        "/documents?at=acme/east",
        `/documents?at=acme/east&shipment=${encodeURIComponent(seen)}`
      ],
      operator: ["/docks?at=hostile/yard", "/clients", "/people", `/webhooks/${String(endpoint)}`]
    }
    for (const [visitor, pages] of Object.entries(paths)) {
      const { leave, open, page } = await visit(visitor)
      for (const path of pages) {
        await open(path)
        if (path.startsWith("/webhooks/")) {
          await page.getByRole("button", { name: "Pallet", exact: true }).click()
          await page.getByRole("region", { name: "Send a test" }).getByText("onerror=").waitFor()
          await page.getByRole("link", { name: /^Message \d/ }).first().click()
          await page.getByRole("heading", { name: /^Delivery/ }).waitFor()
        }
        await page.locator("main").getByText("onerror=").first().waitFor()
        if (path.startsWith("/messages")) await page.getByText(/^Message \d/).first().click()
        if (path.includes("shipment=")) {
          await page.getByRole("link", { name: "onerror=" }).first().click()
          await page.getByRole("heading", { name: /^Document/ }).first().waitFor()
        }
        assert.strictEqual(await page.locator("img, main script").count(), 0, path)
        assert.notStrictEqual(await page.title(), "owned", path)
      }
      await leave()
    }
    for (
      const [list, id] of Object.entries({ "webhook-endpoints": endpoint, clients: client, people: person })
    ) {
      await remove(`${list}/${String(id)}`)
    }
    customer.close()
  })

  it("D14.4 signing out leads to the sign-in page, whatever the page asks meanwhile, and back leads nowhere else", async () => {
    // A session of its own: the others continue.
    const { page } = await visit(null)
    await page.goto(`${site.baseUrl}/dashboard/sign-in?next=/dashboard/shipments`)
    await Visitor.signIn(page, "tower")
    await page.getByText("Updated every 5 s", { exact: true }).waitFor()
    await page.evaluate(() => setInterval(() => document.dispatchEvent(new Event("visibilitychange")), 100))
    await page.route(/sign-out$/, async (route) => {
      const refused = page.waitForResponse((answer) => answer.status() === 401)
      const response = await route.fetch({ maxRedirects: 0 })
      await refused
      await route.fulfill({ response })
    })
    await page.getByLabel("Account tower").click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    assert.strictEqual(page.url(), `${site.baseUrl}/dashboard/sign-in`)
    await page.goto(`${site.baseUrl}/dashboard/messages`)
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    // The browser complains about the page's requests.
    await page.context().close()
  })

  it("D14.3 every flow works by keyboard alone", async () => {
    const shipment = await yard.shipment()
    await yard.pallets(shipment, shipment.lpns.slice(0, 1))
    const { open, page } = await visit()
    const isInView = () => page.evaluate(() => document.activeElement?.id === "view")
    // A browser complains about a connection that is cancelled before it is open.
    const isLive = () => page.getByText("Live", { exact: true }).waitFor()
    await open("/docks?at=acme/east")
    await page.getByRole("heading", { name: "Docks" }).waitFor()
    await isLive()
    await page.keyboard.press("Tab")
    assert.strictEqual(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content")
    await page.keyboard.press("Enter")
    assert.isTrue(await isInView())
    await press(page, "Shipments")
    await page.getByRole("heading", { name: "Shipments" }).waitFor()
    assert.isTrue(await isInView())
    await reach(page, "Find by number")
    await page.keyboard.type(shipment.lpns[1]!)
    await page.keyboard.press("Enter")
    await row(page, shipment.number).waitFor()
    await press(page, shipment.number)
    await page.getByRole("heading", { name: shipment.number }).waitFor()
    assert.isTrue(await isInView())
    await press(page, shipment.lpns[0]!)
    await page.getByRole("heading", { name: shipment.lpns[0]! }).waitFor()
    await isLive()
    await page.goBack()
    await page.getByRole("heading", { name: shipment.number }).waitFor()
    assert.isTrue(await isInView())
  })

  it("D14.3 a test of an endpoint shows what came of it without a violation that axe finds", async () => {
    const customer = await Customer.start()
    const { id, signingSecret } = await endpointOf({
      business: "globex",
      baseUrl: customer.baseUrl,
      messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
      enabled: false
    })
    customer.secret = String(signingSecret)
    for (const colorScheme of ["light", "dark"] as const) {
      const { leave, page } = await visitAt(`/webhooks/${String(id)}`, "operator", {
        colorScheme,
        bypassCSP: true
      })
      const trial = page.getByRole("region", { name: "Send a test" })
      await trial.getByRole("button", { name: "Departure" }).focus()
      await page.keyboard.press("Enter")
      await trial.getByText("Not taken: answered 500").waitFor()
      await trial.getByText("the warehouse is closed").waitFor()
      await trial.getByText("its log should say why").waitFor()
      for (const width of [390, 1400]) {
        await page.setViewportSize({ width, height: 900 })
        assert.deepStrictEqual(await violationsOf(page, colorScheme), [], `${colorScheme} ${width}`)
        assert.isFalse(await isWide(page), `can be scrolled sideways at ${width}`)
      }
      customer.isOpen = true
      await trial.getByRole("button", { name: "Pallet" }).click()
      await trial.getByText("Taken: answered 200").waitFor()
      await trial.getByText(/^POST http:.*webhook-id: test_.*"test":true\}$/s).waitFor()
      customer.isOpen = false
      await leave()
    }
    await remove(`webhook-endpoints/${String(id)}`)
    customer.close()
  })

  it(
    "D14.3 has no violation that axe finds on any page, light and dark, on a phone, a tablet, a desktop and a wall",
    async () => {
      const shipment = await yard.shipment({ item: { isDangerousGood: true } })
      // Names as long as some systems generate.
      await yard.shipment({
        fields: {
          shipmentNumber: `ASN-${"0".repeat(76)}`,
          carrier: "The Northern Freight and Forwarding Company of Rotterdam, its Successors and Assigns",
          trailerNumber: "T".repeat(60),
          expectedArrivalAt: "2026-01-01T00:00:00Z"
        }
      })
      const [pallet] = await yard.pallets(shipment, [...shipment.lpns, "unexpected"])
      for (const priority of ["HIGH", "LOW"]) await yard.except(shipment, { priority, description: "Wet" })
      const changed = await yard.shipment()
      const [removed, ...others] = changed.lpns
      await yard.items(changed, others)
      const read = async (client: string, path: string) =>
        (await site.service.call(client, { method: "GET", path: `/v1/${path}` })).body
      const firstOf = async (client: string, path: string): Promise<string> =>
        String(
          (await read(client, path) as { readonly items: ReadonlyArray<{ readonly id: unknown }> }).items[0]!
            .id
        )
      const customer = await Customer.start()
      const endpoint = String((await endpointOf({ business: "acme", baseUrl: customer.baseUrl })).id)
      await operate("businesses/acme/edi-partners", {
        slug: "bigco",
        name: "BigCo",
        facility: "east",
        theirs: { qualifier: "ZZ", id: "BIGCO" },
        ours: { qualifier: "ZZ", id: "WAREHOUSE" }
      })
      await operate("businesses/acme/alert-rules/shift", {
        facility: "east",
        kinds: ["DETENTION"],
        channel: "EMAIL",
        to: ["a@b.example"]
      }, "PUT")
      const { id: person } = await operate("people", {
        name: "Ada Byron",
        email: "ada@acme.example",
        grants: [{ business: "acme", facilities: "*", permissions: ["messages:read"] }]
      })
      await yard.pallets(shipment, shipment.lpns.slice(0, 1), "D2")
      const deliveries = `operator/webhook-endpoints/${endpoint}/deliveries`
      await eventually("a delivery", async () => {
        const { items } = await read("operator", deliveries) as {
          readonly items: ReadonlyArray<{ readonly attempts: ReadonlyArray<object> }>
        }
        return items.some(({ attempts }) => attempts.length > 0)
      })
      const paths = [
        "/docks?at=acme/east",
        "/docks?at=acme/east&kiosk=1",
        "/day?at=acme/east",
        "/day?at=acme/east&days=7",
        "/day/shipments?at=acme/east&counted=shipments",
        "/shipments?at=acme/east",
        "/exceptions?at=acme/east",
        `/exceptions/${await firstOf("acme-client", "exceptions?business=acme")}`,
        `/shipments?at=acme/east&q=${removed}`,
        `/shipments/${shipment.id}?q=${shipment.lpns[1]}`,
        `/shipments/${shipment.id}/pallets/${pallet}`,
        "/messages?at=acme/east",
        `/messages?at=acme/east&find=${shipment.lpns[0]}`,
        "/documents?at=acme/east",
        `/documents/${await yard.documentOf(shipment)}`,
        `/trace?at=acme/east&lpn=${shipment.lpns[0]}`,
        "/edi?at=acme/east",
        "/packing-lists?at=acme/east",
        "/businesses",
        "/businesses/acme",
        "/businesses/acme/field-map",
        "/businesses/acme/epcis",
        "/businesses/acme/facilities",
        "/businesses/acme/facilities/east",
        "/businesses/acme/facilities/east/docks",
        "/businesses/acme/edi-partners",
        "/businesses/acme/edi-partners/bigco",
        "/businesses/acme/alert-rules",
        "/businesses/acme/alert-rules/shift",
        "/businesses/acme/alert-rules/shift/notices",
        `/businesses/acme/messages/${await firstOf("acme-client", "messages?business=acme")}`,
        "/webhooks",
        `/webhooks/${endpoint}`,
        `/webhooks/${endpoint}/deliveries`,
        `/webhooks/${endpoint}/deliveries/${await firstOf("operator", deliveries)}`,
        "/clients",
        "/clients/acme-client",
        "/people",
        `/people/${String(person)}`,
        "/audit",
        "/nowhere"
      ]
      const { open, page, shown } = await visit("operator", { bypassCSP: true })
      // The part of the screen that moved, times its distance, without input: web.dev calls up to 0.1 good.
      await page.addInitScript(() => {
        const moved = { by: 0 }
        Object.assign(globalThis, { moved })
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            moved.by += (entry as PerformanceEntry & { readonly value: number }).value
          }
        }).observe({ type: "layout-shift", buffered: true })
      })
      // Each page of operators is among them, also those that capabilities add.
      await open("/")
      const patterns =
        (await (await page.request.get(`${site.baseUrl}/dashboard/operations`)).json() as ReadonlyArray<
          { readonly method: string; readonly pattern: string }
        >).filter(({ method }) => method === "GET").map(({ pattern }) => pattern.replace("/v1/operator", ""))
      const addresses = paths.map((path) => path.replace(/^\/webhooks\b/, "/webhook-endpoints"))
      const missing = patterns.filter((pattern) => {
        const form = new RegExp(`^${pattern.replaceAll(/:\w+/g, "[^/]+")}$`)
        return !addresses.some((address) => form.test(address))
      })
      assert.deepStrictEqual(missing, [], "pages of operators that are not looked at")
      const load = async (path: string, width: number): Promise<void> => {
        await page.setViewportSize({ width, height: 900 })
        await open(path)
        await page.getByRole("heading").first().waitFor()
        await shown()
        const moved = await page.evaluate(() =>
          (globalThis as unknown as { readonly moved: { readonly by: number } }).moved.by
        )
        assert.isBelow(moved, 0.02, `what moves while ${path} is loaded at ${width}`)
      }
      const check = async (path: string, width: number, colorScheme: "light" | "dark"): Promise<void> => {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        assert.deepStrictEqual(await violationsOf(page, colorScheme), [], `${path} ${colorScheme} ${width}`)
      }
      for (const path of paths) {
        await load(path, 390)
        await load(path, 1440)
        for (const width of [390, 768, 820, 910, 1280, 1440, 1920]) {
          await page.setViewportSize({ width, height: 900 })
          if ([390, 768, 1440, 1920].includes(width)) {
            await check(path, width, "dark")
            await check(path, width, "light")
          }
          assert.isFalse(await isWide(page), `${path} can be scrolled sideways at ${width}`)
          if (path === paths[0]) {
            const tallest = await page.getByRole("region", { name: "Expected next" }).getByRole("listitem")
              .evaluateAll((lines) => Math.max(...lines.map(({ clientHeight }) => clientHeight)))
            assert.isBelow(tallest, 300, `a line of the board at ${width}`)
          }
        }
      }
      await remove(`webhook-endpoints/${endpoint}`)
      customer.close()
    },
    600_000
  )

  it("D14.3 loads at most 50 KB of script, compressed, that browsers keep for ever and check", async () => {
    const { page } = await visitAt("")
    const html = await page.content()
    const tags =
      /<(?:script type="module" src|link rel="modulepreload" href)="([^"]+)" integrity="sha384-[^"]+"/g
    const named = Array.from(html.matchAll(tags), ([, address]) => address!)
    // The page lists all files that it needs for its first view, so that none is discovered late.
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)
    )
    assert.deepStrictEqual(loaded.filter((path) => path.endsWith(".js")).toSorted(), named.toSorted())
    for (const coding of ["br", "gzip"]) {
      let size = 0
      for (const address of named) {
        const response = await fetch(site.baseUrl + address, { headers: { "accept-encoding": coding } })
        assert.strictEqual(response.headers.get("content-encoding"), coding)
        assert.strictEqual(response.headers.get("cache-control"), "public, max-age=31536000, immutable")
        size += gzipSync(await response.text()).length
      }
      assert.isBelow(size, 50 * 1024)
    }
    for (const address of named) {
      const old = address.replace(/-[\da-f]{16}/, "-0123456789abcdef").replace(/part-.{8}/, "part-01234567")
      assert.strictEqual((await fetch(site.baseUrl + old)).status, 404)
    }
  })
})
