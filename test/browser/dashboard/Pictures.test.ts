/**
 * Pictures of the dashboard for the documents: `PICTURES=1 npx vitest run test/dashboard/Pictures.test.ts` takes them anew.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright-core"
import * as Site from "../../support/Site.ts"
import * as Chromium from "../Chromium.ts"
import { Customer } from "./Customer.ts"
import * as Visitor from "./Visitor.ts"
import { Yard } from "./Yard.ts"

const folder = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url))

/** The limit of a picture's size, because it is part of every clone. */
const sizeLimit = 200_000

const names = ["docks", "shipment", "webhook"].flatMap((name) => [`${name}-light`, `${name}-dark`])

it("the pictures are there, and small", () => {
  for (const name of names) {
    const path = join(folder, `${name}.png`)
    assert.isTrue(existsSync(path), `${name} is missing`)
    assert.isBelow(statSync(path).size, sizeLimit, name)
  }
})

describe.skipIf(process.env["PICTURES"] === undefined)("taking the pictures", { timeout: 120_000 }, () => {
  let site: Site.Site
  let browser: Browser

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true })
    ;[site, browser] = await Promise.all([Site.start(), Chromium.open()])
  })

  afterAll(async () => {
    await site?.stop()
  })

  it("of the docks, a shipment and an endpoint", async () => {
    const yard = new Yard(site.service)
    const customer = await Customer.start()
    const { body } = await site.service.call("operator", {
      path: "/v1/operator/webhook-endpoints",
      body: {
        business: "acme",
        baseUrl: customer.baseUrl,
        messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
        authentication: { type: "none" },
        enabled: true
      }
    })
    const left = await yard.shipment({ pallets: 6 })
    await yard.pallets(left, left.lpns)
    await yard.depart(left)
    const inbound = await yard.shipment({ pallets: 24, item: { isDangerousGood: false } })
    await yard.arrive(inbound, "D1")
    await yard.pallets(inbound, [...inbound.lpns.slice(0, 15), "00340123459999990777"], "D1")
    const outbound = await yard.shipment({ direction: "OUTBOUND", pallets: 18 })
    await yard.arrive(outbound, "D2")
    await yard.pallets(outbound, outbound.lpns.slice(0, 16), "D2")
    for (const hours of [1, 2, 3, 5]) {
      const expectedArrivalAt = new Date(Date.now() + hours * 3_600_000).toISOString()
      await yard.shipment({
        direction: hours % 2 === 0 ? "OUTBOUND" : "INBOUND",
        fields: { expectedArrivalAt }
      })
    }
    for (const colorScheme of ["light", "dark"] as const) {
      const take = async (client: string, path: string, text: string, name: string): Promise<void> => {
        const { leave, open, page } = await Visitor.enter(browser, site.baseUrl, client, {
          colorScheme,
          viewport: { width: 1280, height: 800 },
          reducedMotion: "reduce"
        })
        await open(path)
        await page.getByText(text).first().waitFor()
        await page.getByText(/^(Live|Updated every 5 s)$/).waitFor()
        await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) })
        await leave()
      }
      await take("acme-client", "/docks?at=acme/east", "00340123459999990777", "docks")
      await take("acme-client", `/shipments/${inbound.id}`, "Discrepancies", "shipment")
      await take("operator", `/webhooks/${String(body["id"])}`, "Answered 500", "webhook")
    }
    customer.close()
  })
})
