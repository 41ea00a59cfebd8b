/** D14.2: the docks of a facility are told right, whatever the size of what is there and however much never left. */
import { assert, describe, it } from "@effect/vitest"
import * as Chromium from "../Chromium.ts"
import { begin, operate, site, visitAt, yard } from "./Scene.ts"

const step = async (id: number, name: string, body: object): Promise<void> => {
  const { body: answer, status } = await site.service.call("tower", {
    path: `/v1/shipments/${id}/${name}`,
    body
  })
  assert.strictEqual(status, 200, JSON.stringify(answer))
}

describe.skipIf(Chromium.isSkipped)("the docks of a facility", { timeout: 240_000 }, () => {
  begin()

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
    await lane.getByText("and 99 more").waitFor()
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
})
