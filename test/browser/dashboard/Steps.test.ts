/** D6.5, D13.9: people at the dock advance shipments through their pages, in a real browser. */
import { assert, describe, it } from "@effect/vitest"
import type { Page, Request } from "playwright-core"
import { eventually } from "../../support/Eventually.ts"
import * as Chromium from "../Chromium.ts"
import { begin, focused, operate, site, visit, visitAt as visitAs, yard } from "./Scene.ts"

/** A client that may report steps at the quay. */
let dock: Readonly<Record<string, unknown>>

const grant = (...permissions: ReadonlyArray<string>) => [
  { business: "umbra", facilities: ["quay"], permissions }
]

/** Sends the document of a shipment of one pallet to the quay. */
const send = (number: string): Promise<number> =>
  // Grants that were already looked up remain valid for five seconds.
  eventually("the client may send there", async () => {
    const { body, status } = await site.service.call("acme-client", {
      path: "/v1/documents",
      body: {
        business: "umbra",
        facility: "quay",
        direction: "INBOUND",
        shipmentNumber: number,
        dockSlug: "D2",
        orders: [{
          orderNumber: `PO-${number}`,
          items: [{ lpn: `${number}-1`, sku: "OAT", quantity: 1, quantityUnit: "CASE" }]
        }]
      }
    })
    return status === 201 && (body["shipment"] as { readonly id: number }).id
  })

/** Opens a page in a window in which the client of the dock has signed in. */
const visitAt = async (path: string) => {
  const visitor = await visitAs("/sign-in", null)
  const { open, page } = visitor
  await page.getByLabel("Client id").fill(String(dock["id"]))
  await page.getByLabel("Client secret").fill(String(dock["clientSecret"]))
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Docks" }).waitFor()
  await open(path)
  return visitor
}

const stepsOf = (page: Page) => page.getByRole("region", { name: "Move the shipment" })

describe.skipIf(Chromium.isSkipped)("the steps of shipments", () => {
  begin(async () => {
    await operate("businesses", { slug: "umbra", name: "Umbra" })
    await operate("businesses/umbra/facilities", { slug: "quay", name: "Quay" })
    await operate("businesses/umbra/facilities/quay/docks", { slug: "D1" })
    await operate("businesses/umbra/facilities/quay/docks", { slug: "D2" })
    dock = await operate("clients", { name: "Dock", grants: grant("shipments:write") })
    const { body: before } = await site.service.call("operator", {
      method: "GET",
      path: "/v1/operator/clients/acme-client"
    })
    const grants = [...before["grants"] as ReadonlyArray<object>, ...grant("documents:write")]
    await operate("clients/acme-client", { grants }, "PATCH")
  })

  it("D6.5 a shipment arrives from a page over plain HTTP, where browsers make no UUIDs", async () => {
    const id = await send("U-0")
    const { open, page } = await visitAt("/docks")
    await page.addInitScript("delete Crypto.prototype.randomUUID")
    await open(`/shipments/${id}`)
    await stepsOf(page).getByRole("button", { name: "Arrive" }).press("Enter")
    await stepsOf(page).getByText("The shipment has arrived at dock D2.").waitFor()
  })

  it("D6.5 a shipment arrives at the expected dock and departs, by who is asked before it is final", async () => {
    const id = await send("U-1")
    const { page } = await visitAt(`/shipments/${id}`)
    const steps = stepsOf(page)
    assert.strictEqual(await steps.getByLabel("Dock").inputValue(), "D2")
    await steps.getByRole("button", { name: "Arrive" }).press("Enter")
    await steps.getByText("The shipment has arrived at dock D2.").waitFor()
    assert.include(await focused(page), "The shipment has arrived")
    await steps.getByRole("button", { name: "Depart…" }).waitFor()
    assert.strictEqual(await steps.getByRole("button", { name: "Cancel the shipment…" }).count(), 0)
    await steps.getByRole("button", { name: "Depart…" }).press("Enter")
    const dialog = page.getByRole("dialog", { name: "Depart U-1" })
    await dialog.getByText(/1 expected pallet has not passed.* The departure is final/).waitFor()
    assert.strictEqual(await focused(page), "Go back")
    await page.keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
    assert.strictEqual(await focused(page), "Depart…")
    await page.getByRole("heading", { level: 1 }).getByText("At dock").waitFor()
    await page.keyboard.press("Enter")
    await dialog.getByRole("button", { name: "Depart for good" }).press("Enter")
    await steps.getByText("The shipment has departed.").waitFor()
    await page.getByRole("heading", { level: 1 }).getByText("1 missing").waitFor()
    assert.strictEqual(await steps.getByRole("button").count(), 0)
  })

  it("D17.3 a truck checks in: it waits at the facility, is assigned a door, and checks out, beside the status", async () => {
    const id = await send("U-5")
    const sku = { id: "OAT", description: "Rolled oats 500 g", casesPerPallet: 60 }
    const body = { business: "umbra", facility: "quay", skus: [sku] }
    assert.strictEqual((await site.service.call("acme-client", { path: "/v1/skus", body })).status, 200)
    const { page } = await visitAt(`/shipments/${id}`)
    const steps = stepsOf(page)
    // D17.4: the item has no description of its own.
    await page.getByText("Rolled oats 500 g · 60 cases a pallet").waitFor()
    const reached = page.getByRole("list", { name: "Progress of the shipment" })
    const press = (name: string) => steps.getByRole("button", { name, exact: true }).press("Enter")
    await press("At the facility")
    await steps.getByText("The truck is at the facility.").waitFor()
    await reached.getByText("At facility").waitFor()
    await steps.getByLabel("Dock").selectOption("D1")
    await press("Assign the door")
    await steps.getByText("The truck is assigned to dock D1.").waitFor()
    await reached.getByText("Door assigned").waitFor()
    assert.strictEqual(await steps.getByRole("button", { name: "At the facility" }).count(), 0)
    assert.deepStrictEqual(await Chromium.violations(page), [])
    await press("Check out")
    await steps.getByText("The truck has checked out.").waitFor()
    await reached.getByText("Checked out").waitFor()
    assert.deepStrictEqual(await reached.locator("li[data-done=false] b").allInnerTexts(), [
      "Arrived",
      "Departed"
    ])
    assert.deepStrictEqual(await steps.getByRole("button").allInnerTexts(), [
      "Arrive",
      "Link…",
      "Cancel the shipment…"
    ])
  })

  it("D6.5 a shipment is linked by the number of the other, and then a dialog shows why it is not cancelled", async () => {
    const [id, other] = [await send("U-2"), await send("U-3")]
    const { open, page } = await visitAt(`/shipments/${id}`)
    const steps = stepsOf(page)
    await steps.getByRole("button", { name: "Link…" }).press("Enter")
    const linking = page.getByRole("dialog", { name: "Link U-2" })
    await page.keyboard.type("U-404")
    await page.keyboard.press("Enter")
    await linking.getByRole("alert").getByText("There is no shipment U-404 at Quay.").waitFor()
    await linking.getByLabel("Number or id").fill(String(id))
    await page.keyboard.press("Enter")
    await linking.getByRole("alert").getByText(/cannot be linked to itself/).waitFor()
    await linking.getByLabel("Number or id").fill("U-3")
    await page.keyboard.press("Enter")
    await steps.getByText("The shipment is linked to U-3.").waitFor()
    await open(`/shipments/${other}`)
    await steps.getByRole("button", { name: "Cancel the shipment…" }).press("Enter")
    const cancelling = page.getByRole("dialog", { name: "Cancel the shipment U-3" })
    await cancelling.getByRole("button", { name: "Cancel it for good" }).press("Enter")
    await cancelling.getByRole("alert").getByText(/SCHEDULED.*CANCELLED/).waitFor()
    assert.deepStrictEqual(await Chromium.violations(page), [])
    await page.keyboard.press("Escape")
    await cancelling.waitFor({ state: "detached" })
    assert.strictEqual(await focused(page), "Cancel the shipment…")
  })

  it("D13.9 a cancellation is asked first, Escape keeps the shipment, and trying again sends the same key", async () => {
    const id = await send("U-4")
    const { open, page } = await visitAt("/docks")
    const isCancellation = (request: Request) => request.postData()?.includes("CancelShipment") === true
    const keys: Array<string | undefined> = []
    await page.route("**/api/graphql", async (route) => {
      if (!isCancellation(route.request())) return route.continue()
      keys.push(route.request().headers()["idempotency-key"])
      // The first request is accepted, but its answer is lost.
      const response = await route.fetch()
      return keys.length === 1
        ? route.fulfill({ json: { errors: [{ message: "The answer is lost." }] } })
        : route.fulfill({ response })
    })
    await open(`/shipments/${id}`)
    const opener = stepsOf(page).getByRole("button", { name: "Cancel the shipment…" })
    await opener.press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.getByText(/That is final/).waitFor()
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    assert.strictEqual(await focused(page), "Cancel the shipment…")
    assert.deepStrictEqual(keys, [])
    await opener.press("Enter")
    // The browser reports the closed dialog only after this, and a newly opened one has to stay open.
    await dialog.evaluate((node: HTMLDialogElement) => {
      node.close()
      ;[...document.querySelectorAll("button")].find(({ textContent }) =>
        textContent === "Cancel the shipment…"
      )?.click()
    })
    await dialog.getByRole("button", { name: "Cancel it for good" }).press("Enter")
    await dialog.getByRole("alert").getByText("The answer is lost.").waitFor()
    await dialog.getByRole("button", { name: "Cancel it for good" }).press("Enter")
    await page.getByRole("heading", { level: 1 }).getByText("Cancelled").waitFor()
    assert.strictEqual(keys.length, 2)
    assert.isString(keys[0])
    assert.strictEqual(keys[0], keys[1])
  })

  it("D6.5, D13.9 each reader is offered the steps that they may take", async () => {
    const made = await yard.shipment()
    const { id } = made
    const offered: Record<string, ReadonlyArray<string>> = {}
    for (const client of ["acme-client", "operator"]) {
      const { leave, open, page, shown } = await visit(client)
      await open(`/shipments/${id}`)
      await page.getByRole("region", { name: "Overview" }).waitFor()
      await shown()
      offered[client] = await stepsOf(page).getByRole("button").allInnerTexts()
      await leave()
    }
    assert.deepStrictEqual(offered, {
      "acme-client": ["Assign the door", "At the facility", "Cancel the shipment…"],
      operator: []
    })
    // A truck at a dock is at the facility, and has its door.
    await yard.arrive(made)
    const { page } = await visitAs(`/shipments/${id}`)
    await page.getByRole("heading", { level: 1 }).getByText("At dock").waitFor()
    await stepsOf(page).getByRole("button").first().waitFor()
    assert.deepStrictEqual(await stepsOf(page).getByRole("button").allInnerTexts(), ["Check out"])
    await stepsOf(page).getByRole("button", { name: "Check out" }).press("Enter")
    await stepsOf(page).getByText("The truck has checked out.").waitFor()
  })
})
