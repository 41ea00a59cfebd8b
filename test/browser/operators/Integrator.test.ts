/**
 * D9.10, D13.6: an integrator sees why the message about a pallet did not arrive at a system, has it delivered, and reads the outcome of a
 * document, in a real browser.
 */
import { assert, describe, it } from "@effect/vitest"
import { eventually } from "../../support/Eventually.ts"
import * as Chromium from "../Chromium.ts"
import { Customer } from "../dashboard/Customer.ts"
import { begin, endpointOf, remove, site, visitAt, yard } from "../dashboard/Scene.ts"

describe.skipIf(Chromium.isSkipped)("the pages of integrators", { timeout: 120_000 }, () => {
  begin()

  it("D9.10 a number on paper leads to the message, to its deliveries with request and answer, and to a replay", async () => {
    const customer = await Customer.start()
    const ids = [
      await endpointOf({ business: "globex", baseUrl: customer.baseUrl }),
      await endpointOf({
        business: "globex",
        baseUrl: "https://erp.globex.example",
        messageTypes: ["SHIPMENT_COMPLETE"]
      })
    ].map(({ id }) => String(id))
    const shipment = await yard.shipment({ business: "globex", facility: "main" })
    const [lpn, unseen] = shipment.lpns
    await yard.pallets(shipment, [lpn!], "D1", "main", "globex")
    // The third attempt comes minutes later, so that the replay alone delivers.
    await eventually("the second attempt", async () => {
      const path = `/v1/operator/webhook-endpoints/${ids[0]!}/deliveries`
      const { body } = await site.service.call("operator", { method: "GET", path })
      const [first] = body["items"] as ReadonlyArray<{ readonly attempts: ReadonlyArray<object> }>
      return first !== undefined && first.attempts.length > 1
    })
    const { page } = await visitAt("/messages?at=globex/main", "operator")
    const field = page.getByRole("searchbox", { name: "Where is my message?" })
    await field.fill(lpn!.slice(-8))
    await page.keyboard.press("Enter")
    const found = page.getByRole("region", { name: /^Message \d+$/ })
    await found.getByText("No endpoint has it.").waitFor()
    await found.getByText("The endpoint does not receive PALLET_EVENT").waitFor()
    await found.getByText(/^\{"businessSlug":"globex".*\}$/).waitFor()
    const line = found.getByRole("row").filter({ hasText: customer.baseUrl })
    await line.getByRole("link", { name: "Answered 500" }).click()
    await page.getByText("the warehouse is closed").first().waitFor()
    await page.goBack()
    customer.isOpen = true
    await line.getByRole("button", { name: "Deliver again" }).click()
    await line.getByText("Delivered", { exact: true }).waitFor()
    await found.getByText("1 of 2 endpoints has it.").waitFor()
    assert.strictEqual(customer.taken, 1)
    // The message has a page of its own, by its id.
    const id = /Message (\d+)/.exec(await found.innerText())![1]!
    await found.getByRole("link", { name: `Message ${id}` }).click()
    await page.getByRole("heading", { name: `Message ${id}` }).waitFor()
    await page.goto(`${site.baseUrl}/dashboard/messages?at=globex/main&find=${id}`)
    await found.getByRole("link", { name: `Message ${id}` }).waitFor()
    await found.getByText("1 of 2 endpoints has it.").waitFor()
    // A pallet without a message also has a reason.
    await field.fill(unseen!)
    await page.keyboard.press("Enter")
    await page.getByText("No tower has seen it").waitFor()
    for (const each of ids) await remove(`webhook-endpoints/${each}`)
    customer.close()
    await page.context().close()
  })

  it("D13.6 the page of a refused document says what its sender does about it", async () => {
    const shipment = await yard.shipment()
    await yard.arrive(shipment)
    await yard.depart(shipment)
    const refusal = await site.service.call("acme-client", {
      path: "/v1/documents",
      body: {
        business: "acme",
        facility: "east",
        direction: "INBOUND",
        shipmentNumber: shipment.number,
        orders: [{
          orderNumber: shipment.orderNumber,
          items: [{ lpn: "LATE", sku: "OAT-500", quantity: 1, quantityUnit: "CASE" }]
        }]
      }
    })
    assert.strictEqual(refusal.body["code"], "SHIPMENT_CONFLICT")
    const { page } = await visitAt(`/documents/${await yard.documentOf(shipment)}`)
    await page.getByRole("heading", { name: "It changed nothing" }).waitFor()
    await page.getByText("it has departed and cannot change any more").waitFor()
  })
})
