/** D14.2: the docks of a facility are shown correctly, however large their shipments are, and however many shipments never left. */
import { assert, describe, it } from "@effect/vitest"
import * as Chromium from "../Chromium.ts"
import { begin, operate, remove, site, visitAt, yard } from "./Scene.ts"
import { signIn } from "./Visitor.ts"

const step = async (id: number, name: string, body: object): Promise<void> => {
  const { body: answer, status } = await site.service.call("tower", {
    path: `/v1/shipments/${id}/${name}`,
    body
  })
  assert.strictEqual(status, 200, JSON.stringify(answer))
}

describe.skipIf(Chromium.isSkipped)("the docks of a facility", { timeout: 240_000 }, () => {
  begin()

  it("D14.1 begins where most happens: most trucks at docks, else most that are expected, until a facility is chosen", async () => {
    await yard.shipment({ facility: "east", pallets: 1 })
    for (let n = 0; n < 2; n++) await yard.shipment({ facility: "west", pallets: 1 })
    const facility = async (path: string): Promise<string> => {
      const { page } = await visitAt(path)
      const choice = page.getByRole("combobox", { name: "Facility" })
      const slug = await choice.inputValue()
      await choice.selectOption("acme/west")
      await page.reload()
      await page.getByRole("heading", { name: "Docks" }).waitFor()
      assert.strictEqual(await choice.inputValue(), "acme/west")
      return slug
    }
    assert.strictEqual(await facility("/"), "acme/west")
    const there = await yard.shipment({ pallets: 1 })
    await step(there.id, "arrive", { dockSlug: "D1" })
    assert.strictEqual(await facility("/"), "acme/east")
    await yard.depart(there)
    assert.strictEqual(await facility("/docks?at=acme/east"), "acme/east")
  })

  it("D14.1 a page of a facility without anything says what to do to get some", async () => {
    await operate("businesses/acme/facilities", { slug: "north", name: "Acme North" })
    await operate("businesses/acme/facilities/north/docks", { slug: "D1" })
    for (const path of ["docks", "shipments", "messages", "documents", "day"]) {
      const { page } = await visitAt(`/${path}?at=acme/north`)
      const example = page.getByRole("main").getByRole("link", { name: "reference of the interface" })
      assert.strictEqual(await example.getAttribute("href"), "/v1/docs/", path)
    }
    await remove("businesses/acme/facilities/north")
  })

  it("D13.15 shows each dock with its shipment: two of 5,000 items, and one behind 101 that never departed", async () => {
    for (let n = 0; n < 101; n++) {
      const { id } = await yard.shipment({ business: "globex", facility: "main", pallets: 1 })
      await step(id, "arrive", { dockSlug: "D1" })
    }
    const last = await yard.shipment({ business: "globex", facility: "main", pallets: 1 })
    await step(last.id, "arrive", { dockSlug: "D1" })
    const big = [
      await yard.shipment({ facility: "west", pallets: 5000 }),
      await yard.shipment({ facility: "west", pallets: 5000 })
    ]
    const { body } = await site.service.call("operator", {
      method: "GET",
      path: "/v1/operator/businesses/acme/facilities/west/docks"
    })
    const docks = (body["items"] as ReadonlyArray<{ readonly slug: string }>).map(({ slug }) => slug)
    for (const [at, { id }] of big.entries()) await step(id, "arrive", { dockSlug: docks[at] })
    for (const kiosk of ["", "&kiosk=1"]) {
      const { page } = await visitAt(`/docks?at=acme/west${kiosk}`)
      for (const [at, { number }] of big.entries()) {
        await page.locator("li.lane").filter({ hasText: docks[at]! }).getByText(number).waitFor()
      }
      await page.context().close()
    }
    const { page } = await visitAt("/docks?at=globex/main", "globex-client")
    const lane = page.locator("li.lane").filter({ hasText: "D1" })
    await lane.getByText(last.number).first().waitFor()
    await lane.getByRole("link", { name: "99 more" }).press("Enter")
    await page.getByRole("heading", { name: "Shipments" }).waitFor()
    await page.getByText("100 shipments shown; there are more").waitFor()
  })

  it("D13.15 says how long a shipment still takes at the pace since its arrival", async () => {
    const shipment = await yard.shipment({ pallets: 4 })
    await step(shipment.id, "arrive", {
      dockSlug: "D2",
      occurredAt: new Date(Date.now() - 60 * 60_000).toISOString()
    })
    await yard.pallets(shipment, shipment.lpns.slice(0, 2), "D2")
    const { page } = await visitAt("/docks?at=acme/east")
    const lane = page.locator("li.lane").filter({ hasText: shipment.number })
    await lane.getByText(/^about (59 min|1 h)( 1 min)? left$/).waitFor()
    await lane.getByText(/^arrived 1 h( 1 min)? ago$/).waitFor()
  })

  it("D13.15 says what is there too long, what is late and what left short, and names the next truck of a dock that is taken", async () => {
    await operate("businesses/globex/facilities/main", { detentionMinutes: 90 }, "PATCH")
    await operate("businesses/globex/facilities/main/docks", { slug: "D9" })
    const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString()
    const there = { business: "globex", facility: "main" }
    const slow = await yard.shipment({ ...there, fields: { dockSlug: "D9" } })
    await step(slow.id, "arrive", { dockSlug: "D9", occurredAt: at(-120) })
    const late = await yard.shipment({ ...there, fields: { dockSlug: "D9", expectedArrivalAt: at(-45) } })
    await yard.shipment({ ...there, fields: { dockSlug: "D9", expectedArrivalAt: at(45) } })
    const short = await yard.shipment(there)
    await yard.pallets(short, short.lpns.slice(1), "D9", "main", "globex")
    await yard.depart(short)
    const { page } = await visitAt("/docks?at=globex/main", "globex-client")
    const lane = page.locator("li.lane").filter({ hasText: slow.number })
    await lane.getByText(/^(29|30|31) min over the limit$/).waitFor()
    await lane.getByText(`Next ${late.number}`).waitFor()
    await lane.getByText(/4[456] min late/).waitFor()
    await page.getByText("1 late", { exact: true }).waitFor()
    await page.getByRole("link", { name: "1 left short today" }).click()
    await page.getByRole("row").filter({ hasText: short.number }).getByText("1 missing").waitFor()
  })

  it("D14.2 keeps a pallet at a wrong dock until somebody acknowledges it, also after a reload and on return", async () => {
    const shipment = await yard.shipment({ facility: "west", pallets: 1 })
    const { page } = await visitAt("/docks?at=acme/west")
    const wrong = page.getByRole("list", { name: "Wrong pallets" }).getByRole("listitem")
    await page.getByText("Live", { exact: true }).waitFor()
    await yard.pallets(shipment, ["vagrant"], "D1", "west")
    await wrong.filter({ hasText: "vagrant" }).waitFor()
    await page.reload()
    await wrong.filter({ hasText: "vagrant" }).waitFor()
    // Another facility has its own.
    await page.getByRole("combobox", { name: "Facility" }).selectOption("acme/east")
    await page.getByRole("region", { name: "Expected next" }).waitFor()
    await wrong.waitFor({ state: "detached" })
    await page.getByRole("combobox", { name: "Facility" }).selectOption("acme/west")
    await wrong.filter({ hasText: "vagrant" }).waitFor()
    // Whoever signs in after the reader in the same tab does not see it.
    await page.goto(`${site.baseUrl}/dashboard/sign-in`)
    await signIn(page, "tower")
    await page.waitForURL((url) => !url.pathname.endsWith("/sign-in"))
    await page.goto(`${site.baseUrl}/dashboard/docks?at=acme/west`)
    await page.getByRole("region", { name: "Expected next" }).waitFor()
    assert.strictEqual(await wrong.count(), 0)
    await page.goto(`${site.baseUrl}/dashboard/sign-in`)
    await signIn(page, "acme-client")
    await page.waitForURL((url) => !url.pathname.endsWith("/sign-in"))
    await page.goto(`${site.baseUrl}/dashboard/docks?at=acme/west`)
    await wrong.filter({ hasText: "vagrant" }).waitFor()
    await page.getByRole("button", { name: "Acknowledge vagrant" }).press("Enter")
    await wrong.waitFor({ state: "detached" })
    await page.reload()
    await page.getByText("Live", { exact: true }).waitFor()
    assert.strictEqual(await wrong.count(), 0)
  })
})
