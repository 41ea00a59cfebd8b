/** D14.2: a reader's permissions may change while a page is open, and requested messages may have been dropped. */
import { assert, describe, it } from "@effect/vitest"
import * as Chromium from "../Chromium.ts"
import { begin, downloaded, endpointOf, operate, site, visit, visitAt, yard } from "./Scene.ts"

describe.skipIf(Chromium.isSkipped)("an open page", { timeout: 120_000 }, () => {
  begin()

  it("D14.4 stays open when messages may no longer be read, says how it learns of changes, and shows them", async () => {
    const permissions = ["shipments:write", "messages:read"]
    const grants = (permissions: ReadonlyArray<string>) => ({
      grants: [{ business: "acme", facilities: "*", permissions }]
    })
    const { clientSecret, id } = await operate("clients", { name: "Dock desk", ...grants(permissions) })
    for (const path of ["/docks?at=acme/west", "/messages?at=acme/west"]) {
      const { open, page } = await visit(null)
      await page.request.post(`${site.baseUrl}/dashboard/sign-in`, {
        form: { client_id: String(id), client_secret: String(clientSecret) },
        headers: { origin: site.baseUrl }
      })
      await open(path)
      await page.getByText("Live", { exact: true }).waitFor()
      await page.getByLabel("Account Dock desk").waitFor()
      await operate(`clients/${String(id)}`, grants(["shipments:write"]), "PATCH")
      if (path.startsWith("/docks")) {
        await page.getByText("Updated every 5 s", { exact: true }).waitFor()
        const { number } = await yard.shipment({ facility: "west" })
        await page.getByText(number).waitFor()
      } else await page.getByText("You may not read the messages of").waitFor()
      assert.include(page.url(), path)
      await operate(`clients/${String(id)}`, grants(permissions), "PATCH")
      await page.context().close()
    }
  })

  it("D14.3 the messages that are kept are downloaded, whatever has been dropped", async () => {
    const made = await yard.shipment({ pallets: 2 })
    await yard.pallets(made, made.lpns)
    await site.execute(`update dockline.message_log l set dropped_id = m.id, dropped_sent_at = m.sent_at
      from (select distinct on (business_id) business_id, id, sent_at from dockline.message order by business_id, id) as m
      where m.business_id = l.business_id`)
    await site.execute(
      `delete from dockline.message m using dockline.message_log l where m.business_id = l.business_id and m.id <= l.dropped_id`
    )
    const { page } = await visitAt("/messages?at=acme/east")
    await page.getByText(made.lpns[1]!).first().waitFor()
    const { text } = await downloaded(page)
    assert.include(text, made.lpns[1]!)
    // The browser complains about the answers that report dropped messages.
    await page.context().close()
  })

  it("D11 an emptied number means what its text says", async () => {
    const { id } = await endpointOf({ business: "acme", baseUrl: "https://customer.test", ratePerSecond: 5 })
    const { page } = await visitAt(`/webhooks/${String(id)}`, "operator")
    await page.getByRole("button", { name: "Change…", exact: true }).click()
    await page.getByRole("spinbutton", { name: "Rate per second" }).fill("")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Saved.").waitFor()
    const { body } = await site.service.call("operator", {
      method: "GET",
      path: `/v1/operator/webhook-endpoints/${String(id)}`
    })
    assert.strictEqual(body["ratePerSecond"], 0)
  })
})
